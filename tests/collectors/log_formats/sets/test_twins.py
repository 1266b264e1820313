"""A row of an evaluation whose first name alone says it."""

import pytest

from itermon.analysis.run import Run
from itermon.collectors.log_formats.sets.twins import is_twin
from itermon.collectors.logs.reader import LogReader

TRAINED = {"Train mask loss": "0.75", "box loss": "0.5", "epoch": "3"}


@pytest.mark.parametrize(
    ("row", "twin"),
    [
        ({"Val mask loss": "0.5", "box loss": "0.25", "epoch": "3"}, True),
        ({"Val mask loss": "0.5", "box loss": "0.25", "epoch": "4"}, False),
        ({"Val mask loss": "0.5", "edge loss": "0.25", "epoch": "3"}, False),
        ({"Val loss": "0.5", "epoch": "3"}, False),
        ({"Train mask loss": "0.5", "box loss": "0.25", "epoch": "3"}, False),
    ],
)
def test_names_and_place_are_those_of_the_trained_row(row: dict[str, object], *, twin: bool) -> None:
    assert is_twin(row, TRAINED) == twin


def _lines(*each: str) -> bytes:
    return "".join(f"{one.format(n, 90 - n)}\n" for n in range(1, 21) for one in each).encode()


def test_it_is_no_second_row_of_its_epoch_and_a_part_no_loss_of_the_validation() -> None:
    run, reader = Run(), LogReader()
    text = _lines(
        "2.5s {0} [Epoch {0} / 20] Train mask loss:   0.{1}, box loss   0.5",
        "2.5s {0} [Epoch {0} / 20] Val mask loss  :   0.2{0:02d}, box loss   0.25",
        "2.5s {0} [Epoch {0} / 20] Train loss:   1.{1}. Val loss:   1.6{0:02d} [280 secs]",
    )
    run.apply([*reader.feed(text), *reader.end(b"")])
    found = run.findings()
    assert (found.progress.iteration, found.progress.iterations_seen) == (20, 20)
    assert found.losses.validation == 1.62
    assert run.validations()[0][1] == 1.601


def test_where_no_other_row_has_the_whole_its_loss_is_the_validations() -> None:
    run, reader = Run(), LogReader()
    text = _lines(
        "[Epoch {0} / 20] Train ce loss: 0.{1}, accuracy: 0.5",
        "[Epoch {0} / 20] Val ce loss: 0.2{0:02d}, accuracy: 0.25",
    )
    run.apply([*reader.feed(text), *reader.end(b"")])
    found = run.findings()
    assert (found.progress.iterations_seen, found.losses.validation) == (20, 0.22)
