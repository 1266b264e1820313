"""Long times without a row are no time of the training: they are told, and no row of the ledger holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulated_runs import watched

from itermon.events import ClockKind, Iteration, RunInfo
from itermon.reports.report_text import report

if TYPE_CHECKING:
    from itermon.analysis.findings import Findings

DAY_S = 86_400.0


def found(*pauses_s: float) -> Findings:
    """What is found in rows of 10 s, 200 in a row, with these pauses between."""
    rows, at_s = [], 1e9
    for pause_s in (0.0, *pauses_s):
        at_s += pause_s
        for _ in range(200):
            at_s += 10.0
            rows.append(Iteration(len(rows) + 1, None, 2.0, at_s=at_s))
    info = RunInfo(source_format="key: value log", undescribed=True, clock=ClockKind.LOG)
    return watched([info, *rows]).findings()


def test_a_pause_of_weeks_is_told_and_counts_as_no_time_of_the_training() -> None:
    said = report(found(20 * DAY_S))
    assert ", at least 20 d 00 h of it without a row" in said
    assert "Where the time went" not in said
    several = found(3 * DAY_S, 4 * DAY_S)
    assert 7 * DAY_S <= (several.progress.silent_s or 0.0) <= 7 * DAY_S + 60
    assert not several.ledger


def test_stops_that_are_short_or_a_small_part_are_no_silence() -> None:
    assert not found(600.0).progress.silent_s
    assert found(600.0).ledger
    assert not found(0.0, 0.0).progress.silent_s


def test_rows_that_are_missing_are_no_gap_without_a_cause() -> None:
    """The counter leaps from 400 to 40,000 while as much time passes: the middle of the log is cut out."""
    places = [*range(10, 410, 10), *range(40_000, 40_400, 10)]
    rows = [Iteration(n, None, 2.0, at_s=1e9 + n / 10) for n in places]
    info = RunInfo(source_format="a known log", clock=ClockKind.LOG)
    told = watched([info, *rows]).findings()
    assert not told.ledger
    assert "no cause was found" not in report(told)
    assert watched([info, *rows[:40]]).findings().ledger
