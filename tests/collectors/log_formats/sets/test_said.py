"""Whose the loss of an evaluation is: a test's, where its line says so."""

import pytest

from itermon.analysis.run import Run
from itermon.collectors.log_formats.sets.said import set_of_figure
from itermon.collectors.logs.reader import LogReader
from itermon.events import EVALUATION, OF_TEST, OF_VALIDATION, SpanEnd


@pytest.mark.parametrize(
    ("text", "of_set"),
    [
        ("Test set results: loss= 0.25 accuracy= 0.5", OF_TEST),
        ("step 40 train loss 0.5 test_loss 0.25", OF_TEST),
        ("testLoss 0.25", OF_TEST),
        ("step 40 test loss 0.5 val loss 0.25", OF_VALIDATION),
        ("step 40 val loss 0.25 test loss 0.5", OF_VALIDATION),
        ("step 40 train loss 0.75 Vali Loss: 0.25 Test Loss: 0.5", OF_VALIDATION),
        ("valiLoss 0.25 testLoss 0.5", OF_VALIDATION),
        ("the latest loss 0.25", ""),
        ("data/test/part one: loss 0.25", ""),
        ("test.py:30 loss 0.25", ""),
        ("test loss 0.75", ""),
    ],
)
def test_the_word_in_front_of_the_figure_says_its_set(text: str, of_set: str) -> None:
    assert set_of_figure(text, 0.25) == of_set


def _evaluations(*lines: str) -> list[SpanEnd]:
    reader = LogReader()
    events = [*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")]
    return [event for event in events if isinstance(event, SpanEnd) and event.kind == EVALUATION]


def _losses(*lines: str) -> tuple[str, float | None, set[str]]:
    reader, run = LogReader(), Run()
    run.apply([*reader.feed("".join(f"{line}\n" for line in lines).encode()), *reader.end(b"")])
    found = run.findings()
    return (
        found.losses.validation_called,
        found.losses.validation,
        {scalar.name for scalar in run.curves()},
    )


def _rows(*behind: str) -> list[str]:
    lines = []
    for n in range(1, 9):
        lines.append(f"iter: {n * 10} loss_train: 0.{90 - n} time: 0.2s")
        lines += [one.format(n) for one in behind]
    return lines


def test_a_log_with_a_test_set_alone_shows_its_losses_as_a_tests() -> None:
    lines = _rows("Test set results: loss= 0.5{} accuracy= 0.75")
    assert {event.of_set for event in _evaluations(*lines)} == {OF_TEST}
    called, loss, names = _losses(*lines)
    assert (called, loss) == ("test", 0.58)
    assert "test_loss" in names
    assert not names & {"val_loss"}


@pytest.mark.parametrize("test_is_first", [True, False])
def test_beside_a_validation_the_tests_loss_is_a_metric(test_is_first: bool) -> None:
    both = ["Validation set results: loss= 0.6{}", "Test set results: loss= 0.5{}"]
    called, loss, names = _losses(*_rows(*(reversed(both) if test_is_first else both)))
    assert (called, loss) == ("validation", 0.68)
    assert "test_loss" in names


def _in_blocks(front: str, *sets: str) -> list[str]:
    lines = []
    for n in range(1, 9):
        lines.append(f"{front}iter: {n * 10} loss_train: 0.{90 - n} time: 0.2s")
        for at, of_set in enumerate(sets, 5):
            lines += [f"{front}[{of_set}]", f"{front}   loss: 0.{at}{n}", f"{front}   acc: 0.{at}5"]
    return lines


@pytest.mark.parametrize("front", ["", "2024-03-05 10:20:30,456 - INFO - "])
@pytest.mark.parametrize("test", ["Test", "testing"])
def test_the_heading_over_values_says_their_set(front: str, test: str) -> None:
    called, loss, names = _losses(*_in_blocks(front, "Validation", test))
    assert (called, loss) == ("validation", 0.58)
    assert "test_loss" in names
    called, loss, names = _losses(*_in_blocks(front, test))
    assert (called, loss) == ("test", 0.58)
    assert not names & {"val_loss"}


def test_what_was_held_back_is_of_the_line_that_printed_it() -> None:
    lines = []
    for n in range(1, 9):
        lines.append(f"Epoch {n}/9")
        lines += [f"batch 0 of 20: Loss 0.9{9 - n}", "== Valid metrics ==", f"  loss: 0.5{n}", "  acc: 0.75"]
        lines += ["== testing metrics ==", f"  loss: 0.6{n}", "  acc: 0.7", f"Epoch {n} took 7s"]
    called, loss, names = _losses(*lines)
    assert (called, loss) == ("validation", 0.58)
    assert "test_loss" in names
