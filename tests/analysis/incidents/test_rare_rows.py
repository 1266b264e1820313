"""What passes behind the first rows of an epoch, where no others are printed."""

from __future__ import annotations

import msgspec
import pytest

from itermon.analysis.incidents.rare_rows import prints_rarely
from itermon.analysis.run import Run
from itermon.events import ClockKind, Event, Iteration, Message, RunInfo

STRANGE = RunInfo(source_format="key: value log", clock=ClockKind.LOG, undescribed=True)


def silences(places: list[tuple[int, float]], *, told: bool = False) -> list[float]:
    """Of rows with these numbers, so many seconds behind the row before; a line may be `told` in the first gap."""
    at_s, events = 1_000.0, [STRANGE]
    rows: list[Event] = []
    for n, (index, passed_s) in enumerate(places):
        if told and n and passed_s > 30:
            rows.append(Message("a warning", at_s=at_s + 0.7 * passed_s))
            told = False
        at_s += passed_s
        rows.append(Iteration(index, at_s=at_s))
    run = Run()
    run.apply([*events, *rows])
    found = run.findings().incidents
    return [(one.ended_at_s or 0.0) - (one.began_at_s or 0.0) for one in found if one.kind == "silent"]


def firsts(leap: int, *gaps_s: float) -> list[tuple[int, float]]:
    """Three rows, a second apart, at the beginning of each epoch."""
    return [
        (epoch * leap + n, gap_s if n == 0 else 1.0)
        for epoch, gap_s in enumerate((1.0, *gaps_s))
        for n in range(3)
    ]


def test_time_in_which_the_counter_leaps_as_it_does_behind_other_rows_is_no_silence() -> None:
    assert silences(firsts(50, 130.0, 40.0, 90.0, 90.0)) == []
    assert silences(firsts(3, 1.0, 400.0, 1.0, 1.0)) == [400.0], "no iteration is without a row"


def test_a_leap_that_takes_far_longer_than_the_others_is_one() -> None:
    assert silences(firsts(50, 40.0, 40.0, 900.0, 40.0)) == [900.0]


@pytest.mark.parametrize(("epochs", "silent"), [(5, 0), (2, 1)])
def test_gaps_that_come_again_and_again_are_how_the_log_is_printed(epochs: int, silent: int) -> None:
    rows = firsts(3, *[120.0] * epochs)
    assert len(silences(rows + [(rows[-1][0] + 1 + n, 1.0) for n in range(9)], told=True)) == silent


@pytest.mark.parametrize(("leap", "rare"), [(50, True), (40, True), (20, False), (10, False)])
def test_where_rows_are_missing_but_iterations_went_on_it_was_not_silent(leap: int, rare: bool) -> None:
    """A row each 10 iterations of 3 s, and one that comes 150 s behind the one before it."""
    rows = [Iteration(10 * n, 3.0, at_s=1_000.0 + 30.0 * n, averaged_over=10) for n in range(1, 101)]
    known, run = msgspec.structs.replace(STRANGE, undescribed=False), Run()
    run.apply([known, *rows, Iteration(1_000 + leap, 3.0, at_s=4_150.0, averaged_over=10)])
    assert prints_rarely(run.intake, 99, 150.0) is rare
