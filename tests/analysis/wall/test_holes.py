"""Where most of the time lies in leaps of the index, no share of it is told."""

from simulated_runs import watched

from itermon.events import ClockKind, Iteration, RunInfo
from itermon.reports.report_text import report


def test_rows_that_are_missing_are_no_gap_without_a_cause() -> None:
    """The counter leaps from 400 to 40,000 while as much time passes: the middle of the log is cut out."""
    places = [*range(10, 410, 10), *range(40_000, 40_400, 10)]
    rows = [Iteration(n, None, 2.0, at_s=1e9 + n / 10) for n in places]
    info = RunInfo(source_format="a known log", clock=ClockKind.LOG)
    told = watched([info, *rows]).findings()
    assert not told.ledger
    assert "no cause was found" not in report(told)
    assert watched([info, *rows[:40]]).findings().ledger
