"""Bars of evaluations: the closing frame, and what waits for it."""

from __future__ import annotations

import pytest
from log_examples import format_named, of, read_to_end

from itermon.collectors.logs.reader import LogReader
from itermon.events import CHECKPOINT, EVALUATION, PrintedLoss, SpanBegin, SpanEnd

TRAINED = "".join(f"Epoch 1 train: {n}%|█ | {n}/4 [00:0{2 * n}<00:30, 2.00s/it]\n" for n in range(1, 5))


def validated(n: int, elapsed: str, rate: str, postfix: str = "") -> str:
    return f"val: {n}%|█ | {n}/16 [{elapsed}<00:00, {rate}{postfix}]\n"


def took(text: str) -> list[float | None]:
    return [
        one.duration_s and round(one.duration_s, 2) for one in of(SpanEnd, read_to_end("tqdm", TRAINED + text))
    ]


def test_of_an_evaluation_the_frame_in_which_its_bar_is_closed_tells_the_time() -> None:
    steps = validated(15, "00:06", "2.27it/s") + validated(16, "00:07", "1.56it/s")
    assert took(steps + validated(16, "00:07", "2.04it/s")) == [7.84]
    assert took(steps + validated(16, "00:08", "1.90it/s")) == [8.42]  # what it found was computed
    assert took(steps) == [7.0]


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("Evaluation took 8.25 s", 8.25),
        ("[val] finished: validation completed in 9.5 seconds", 9.5),
        ("Eval time: 0:00:09", 9.0),
        ("Test time per batch: 8.25 s", 7.84),
        ("evaluated in 8.25 s / sample", 7.84),
        ("Validation took 400 s", 7.84),  # with something else
        ("training took 8.25 s", 7.84),
    ],
)
def test_what_a_line_behind_the_bar_says_that_it_took_goes_before(line: str, seconds: float) -> None:
    assert took(validated(16, "00:07", "2.04it/s") + line + "\n") == [seconds]


@pytest.mark.parametrize(("said_s", "second_s"), [(12.0, 4.0), (4.5, 4.5)])
def test_what_a_line_says_of_all_bars_before_it_is_not_the_last_one_s(said_s: float, second_s: float) -> None:
    bars = validated(16, "00:08", "2.00it/s") + validated(16, "00:04", "4.00it/s")
    assert took(f"{bars}evaluation took {said_s} s\n") == [8.0, second_s]


@pytest.mark.parametrize(
    ("lines", "seconds"),
    [
        ("loading the ground truth...\nDone (t=0.25s)\nscoring ...\nDONE (t=2.5s).\n", 10.59),
        ("BoxEval.match() finished in 20.03 seconds.\nBoxEval.accumulate() finished in 1.5 seconds.\n", 29.37),
        ("Accumulating is done in 1.5 s\n", 9.34),
        ("image 3 done in 2.5 s\n", 7.84),
        ("Evaluation took 400 s\n", 7.84),
        ("Evaluation took 8.25 s\nDONE (t=2.5s)\n", 10.75),
    ],
)
def test_stages_of_scoring_behind_the_bar_are_the_evaluation_s_too(lines: str, seconds: float) -> None:
    assert took(validated(16, "00:07", "2.04it/s") + lines) == [seconds]


@pytest.mark.parametrize("second", ["00:05", "00:20"])
def test_another_full_bar_is_another_evaluation(second: str) -> None:
    rate = {"00:05": "3.00it/s", "00:20": "0.79it/s"}[second]
    assert took(validated(16, "00:07", "2.04it/s") + validated(16, second, rate)) == [
        7.84,
        {"00:05": 5.33, "00:20": 20.25}[second],
    ]


def test_its_end_comes_before_what_the_next_line_tells() -> None:
    parser = format_named("tqdm").parser()
    trained = TRAINED.replace("2.00s/it]", "2.00s/it, loss=1.5]")
    for line in (trained + validated(16, "00:07", "2.04it/s")).splitlines():
        told = parser.line(line, None)
    assert list(told) == []
    told = [*parser.line("train_loss=0.5 val_loss=0.75", None)]
    assert [type(one) for one in told] == [SpanEnd, PrintedLoss]
    assert [*parser.line("a line", None)] == []


def test_values_of_the_closing_frame_are_what_it_found() -> None:
    first = validated(16, "00:07", "2.04it/s", ", val_loss=0.5")
    text = (
        first
        + TRAINED.replace("Epoch 1", "Epoch 2")
        + first
        + validated(16, "00:07", "2.04it/s", ", val_loss=0.25")
    )
    found = of(SpanEnd, read_to_end("tqdm", TRAINED + text))
    assert [one.values for one in found] == [{}, {"val_loss": 0.25}]
    assert [one.after for one in found] == [None, 8]


def test_a_line_of_another_program_behind_it_is_read_for_what_it_says() -> None:
    """The format itself says nothing to such a line: it may tell of a checkpoint."""
    epoch = TRAINED.replace("2.00s/it]", "2.00s/it, loss=1.5]") + validated(16, "00:07", "2.04it/s")
    log = "".join(epoch.replace("Epoch 1", f"Epoch {n}") + "Saved the model to best.pt\n" for n in (1, 2, 3))
    reader = LogReader()
    events = [*reader.feed(log.encode()), *reader.end(b"")]
    kinds = [one.kind for one in events if isinstance(one, SpanBegin | SpanEnd)]
    assert [kinds.count(kind) for kind in (EVALUATION, CHECKPOINT)] == [3, 3]


def test_a_frame_behind_such_a_line_is_another_evaluations_unless_it_is_the_same() -> None:
    first = validated(16, "00:07", "2.04it/s") + "a line\n"
    assert took(first + validated(16, "00:08", "1.90it/s")) == [7.84, 8.42]
    assert took(first + validated(16, "00:07", "2.04it/s")) == [7.84]
