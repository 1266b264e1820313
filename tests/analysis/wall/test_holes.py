"""Where most of the time lies in leaps of the index, no share of it is told."""

from simulated_runs import watched

from itermon.events import PAUSE, ClockKind, Iteration, RunInfo
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


def tails(*places: tuple[int, float]) -> list[Iteration]:
    """The last rows of several trainings, a second an iteration: from which iteration on, and at what time."""
    return [
        Iteration(first + n, None, 2.0, at_s=1e9 + at_s + n) for first, at_s in places for n in range(0, 120, 20)
    ]


def test_what_passed_between_the_ends_of_trainings_is_no_pause() -> None:
    """The rows of each begin in its midst: most of the day between them was the training that is not there."""
    info = RunInfo(source_format="a known log", clock=ClockKind.LOG)
    told = watched([info, *tails((60_000, 0), (40_000, 90_000), (40_000, 180_000))]).findings()
    assert told.progress.trainings > 1
    assert not told.ledger
    assert not told.spikes
    assert not told.incidents
    assert "pause" not in report(told)


def test_between_trainings_that_begin_at_their_beginning_it_is_one() -> None:
    info = RunInfo(source_format="a known log", clock=ClockKind.LOG)
    told = watched([info, *tails((20, 0), (20, 90_000), (20, 180_000))]).findings()
    assert PAUSE in [row.cause for row in told.ledger]
    assert "pause" in report(told)
