"""Several trainings that write to one log at the same time: no restart, nothing repeated, nothing counted."""

from __future__ import annotations

from random import Random

import pytest
from simulated_runs import watched

from itermon.analysis.wall.in_turns import _in_turns
from itermon.events import ClockKind, Counted, Iteration, RunInfo, Witness
from itermon.reports.report_text import report

LOG = RunInfo(source_format="some log")
CLOCKED = RunInfo(source_format="some log", clock=ClockKind.LOG)


def rows(*indices: int) -> str:
    """The report of a log with these."""
    return report(watched([LOG, *(Iteration(i, 0.1, 2.0) for i in indices)]).findings())


def trainings(*begun: int, each: int = 60, step: int = 10) -> list[list[int]]:
    """Rows of several, by where they are when the log begins."""
    return [[first + step * n for n in range(1, each + 1)] for first in begun]


def shuffled(several: list[list[int]]) -> list[int]:
    """Rows of each in their order, and whose is next by chance."""
    random, left = Random(3), [list(one) for one in several]
    return [random.choice([one for one in left if one]).pop(0) for _ in range(sum(map(len, several)))]


@pytest.mark.parametrize(
    "indices",
    [
        [index for both in zip(*trainings(1_000, 0), strict=True) for index in both],
        [index for both in zip(*trainings(15, 0), strict=True) for index in both],
        [index for all_of_them in zip(*trainings(1_000, 0, 500), strict=True) for index in all_of_them],
        shuffled(trainings(2_000, 0)),
        shuffled(trainings(5_000, 0, 2_500)),
    ],
)
def test_rows_that_go_back_and_forth_between_rising_sequences_are_of_several_trainings(indices: list[int]) -> None:
    said = rows(*indices)
    assert "several trainings at the same time" in said
    assert "Several trainings seem to write into this log at the same time" in said
    assert not any(word in said for word in ("restarts ·", "repeated", "Where the time went", "iterations in"))


@pytest.mark.parametrize("step", [1, 7, 10])
def test_a_training_that_was_begun_again_often_is_one_training(step: int) -> None:
    crashed = [begun + step * n for begun in range(0, 2_000, 90) for n in range(14)]
    assert "at the same time" not in rows(*crashed)
    folds = [10 * n for fold in range(20) for n in range(fold % 3 + 8)]
    assert "at the same time" not in rows(*folds)


def test_rows_without_a_step_are_told_apart_by_their_epochs() -> None:
    def log(epochs: list[float]) -> str:
        events, place = [], 0
        for before, epoch in zip([0.0, *epochs], epochs, strict=False):
            events += [LOG] if epoch < before else []
            place = 1 if epoch < before else place + 1
            events.append(Iteration(place, 0.1, 2.0, scalars={"epoch": epoch}))
        return report(watched([LOG, *events, Counted(rows=True)]).findings())

    both = [epoch for n in range(60) for epoch in (5 + n / 100, n / 100)]
    assert "several trainings at the same time" in log(both)
    after_another = [n / 2 for _ in range(12) for n in range(1, 4)]
    assert "several trainings at the same time" not in log(after_another)


@pytest.mark.parametrize(("openings", "several"), [(2, True), (1, False), (20, False)])
def test_a_counter_that_falls_a_little_more_often_than_a_process_opens_is_of_several(
    openings: int, several: bool
) -> None:
    """Of trainings that are near each other: of whom begins again from a checkpoint it says so each time."""
    indices = [index for n in range(20) for index in range(10 + 3 * n, 18 + 3 * n)]
    said = report(
        watched([LOG, *(Iteration(i, 0.1, 2.0) for i in indices), Counted(openings, rows=True)]).findings()
    )
    assert ("several trainings at the same time" in said) == several
    assert ("at least 160 rows" in said) == several


def test_a_process_without_a_row_yet_is_no_fall() -> None:
    """Of many starts the newest one stands behind the newest row."""
    assert not _in_turns([5, 4, 3, 2, 1, 5, 4, 3, 2, 1], range(11))


def blocks(*begun_s: float, epochs: int = 20) -> str:
    """The report of trainings whose buffers hold an epoch of rows each, and that began at these seconds."""
    stamped = [
        Iteration(40 * epoch + step, None, 2.0, at_s=1e9 + begun + 50.0 * epoch + step, witness=Witness.STAMPS)
        for epoch in range(epochs)
        for begun in begun_s
        for step in (10, 20, 30, 40)
    ]
    return report(watched([CLOCKED, *stamped]).findings())


def test_blocks_of_rows_whose_stamps_go_back_with_their_counter_are_of_several_trainings() -> None:
    assert "several trainings at the same time" in blocks(0.0, 17.0)
    assert "several trainings at the same time" not in blocks(0.0)


def test_runs_that_overlap_and_stand_one_behind_the_other_are_no_training_in_turns() -> None:
    """A file of the logs of a search, whose parts ran at the same time."""
    runs = [
        Iteration(step, None, 2.0, at_s=1e9 + 3.0 * n + step, witness=Witness.STAMPS)
        for n in range(12)
        for step in range(1, 30)
    ]
    assert "at the same time" not in report(watched([CLOCKED, *runs]).findings())


@pytest.mark.parametrize(
    ("other", "goes_on_s", "mixed"),
    [
        ([(10, 200.0), (20, 210.0)], 160.0, True),
        ([(10, 200.0), (20, 210.0)], 211.0, False),  # one that began again
        ([(10, 200.0), (20, 210.0)], 209.0, False),  # a second is no step back
        ([(10, 9_000.0), (20, 9_010.0)], 9_010.0 - 3_600.0, False),  # the clock was set by an hour
        ([(10, 200.0), (20, 210.0)], 20.0, False),  # nor is it behind what stood before
    ],
)
def test_a_row_that_goes_on_where_it_was_while_the_clock_steps_back_stands_among_others(
    other: list[tuple[int, float]], goes_on_s: float, mixed: bool
) -> None:
    own = [(10 * n, 10.0 * n) for n in range(1, 16)]
    after = [(160 + 10 * n, goes_on_s + 10.0 * n) for n in range(9)]
    rows = [Iteration(n, None, at_s=at_s, loss=2.0) for n, at_s in [*own, *other, *after]]
    found = watched([CLOCKED, *rows]).findings()
    assert found.progress.mixed is mixed
    assert ("ran at the same time" in report(found)) is mixed
