"""Lines that stand before each beginning of the counter, and nowhere else."""

import pytest
from log_examples import of

from itermon.collectors.log_formats.plain.starting_lines import StartingLines
from itermon.collectors.logs.reader import LogReader
from itermon.events import Counted

SAID = ["Agent starts run 41", "Model is on cuda:0", "Parameters: 1200"]


def told(*runs: tuple[list[str], list[int]], behind: tuple[str, ...] = ()) -> int | None:
    lines = StartingLines()
    for said, numbers in runs:
        for text in said:
            lines.hear(text)
        for n, number in enumerate(numbers):
            lines.row(number, anew=n == 0)
    for text in behind:
        lines.hear(text)
    return lines.times


@pytest.mark.parametrize(
    ("runs", "times"),
    [
        ([(SAID, [1, 2]), (["Agent starts run 57", *SAID[1:]], [1, 2]), (SAID, [1])], 3),
        ([(["Sweep of 3", *SAID], [1, 2]), (SAID, [1, 2])], 2),  # who starts them said something before
        ([(SAID, [1, 2])], None),
        ([(SAID, [1, 2]), (SAID[1:], [1, 2])], None),  # two lines may be an epoch's heading
        ([(SAID, [1, 2]), (SAID, [3, 4])], None),  # it goes on from a checkpoint
        ([(SAID, [1, 2]), ([], [1, 2])], None),
        ([(SAID, [1, 2]), (SAID * 2, [1, 2])], None),
        ([(["Training", "Training of a model", "train set 1"], [1, 2])] * 3, None),  # an epoch says it
        ([(["Epoch 1", "step 0", "batch 0"], [1, 2])] * 3, None),
    ],
)
def test_they_confirm_how_often_the_counter_began(
    runs: list[tuple[list[str], list[int]]], times: int | None
) -> None:
    assert told(*runs) == times


def test_one_that_began_behind_the_newest_row_is_none_of_the_counters() -> None:
    assert told((SAID, [1]), (SAID, [1]), behind=tuple(SAID)) is None


def test_between_rows_that_count_on_they_are_no_processes() -> None:
    lines = StartingLines()
    for number, anew in ((1, True), (2, False), (1, True)):
        for text in SAID:
            lines.hear(text)
        lines.row(number, anew=anew)
    assert lines.times is None


def test_a_log_of_several_trainings_is_told_of_as_such() -> None:
    run = "\n".join([*SAID, *(f"epoch {n}, loss: {3 / n:.4f}" for n in range(1, 6)), "summary: best 0.5"])
    reader = LogReader()
    events = [*reader.feed(f"The search begins.\n{run}\n{run}\n{run}\n".encode()), *reader.end(b"")]
    assert of(Counted, events)[-1].openings == 3
