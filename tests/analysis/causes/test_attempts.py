"""What attempts cost together, each figure worked out by hand."""

import pytest

from itermon.analysis.causes.attempts import Attempt, Work, work_of
from itermon.analysis.run import Run
from itermon.events import Iteration, RunInfo


def run_of(*parts: tuple[int, int, float]) -> tuple[Run, list[Attempt]]:
    """Attempts from one iteration to another, a second each, with 10 s before the first and 5 s after the last."""
    run, attempts = Run(), []
    for first, last, at_s in parts:
        begun = len(run.columns)
        steps = [Iteration(i, 1.0, at_s=at_s + 10 + i - first + 1) for i in range(first, last + 1)]
        run.apply([RunInfo(started_at_s=at_s), *steps])
        attempts.append(Attempt(begun, at_s, at_s + 10 + last - first + 1 + 5))
    return run, attempts


def work(*parts: tuple[int, int, float]) -> Work:
    run, attempts = run_of(*parts)
    return work_of(run.columns, attempts, run.findings().ledger)


def test_what_is_done_twice_is_lost_with_the_time_since() -> None:
    # 0..199, then on from 150: 50 iterations and the 5 s after them. 300 of 2 * 15 + 200 + 150 s remained.
    found = work((0, 199, 1_000.0), (150, 299, 2_000.0))
    assert (found.lost_iterations, found.lost_s, found.wall_s) == (50, 55.0, 380.0)
    assert found.gaps_s == 1_000.0 - 215.0
    assert found.goodput == pytest.approx(300 / 380, abs=0.01)


def test_what_is_still_to_be_done_again_is_lost_already() -> None:
    found = work((0, 199, 1_000.0), (100, 109, 2_000.0))
    assert (found.lost_iterations, found.lost_s) == (100, 105.0)
    assert found.goodput == pytest.approx(110 / (215 + 25), abs=0.01)


def test_an_attempt_that_saved_nothing_is_lost_whole_and_nothing_counts_twice() -> None:
    # 0..199 saved at 150; 150..219 saved nothing; on from 150. Of the second its start is lost too.
    found = work((0, 199, 1_000.0), (150, 219, 2_000.0), (150, 299, 3_000.0))
    assert (found.lost_iterations, found.lost_s) == (50 + 70, 55.0 + 85.0)
    assert found.goodput == pytest.approx(300 / (215 + 85 + 165), abs=0.01)


def test_further_back_than_the_one_before() -> None:
    found = work((0, 199, 1_000.0), (150, 219, 2_000.0), (120, 299, 3_000.0))
    assert (found.lost_iterations, found.lost_s) == (80 + 70, 85.0 + 85.0)


def test_where_nothing_is_done_twice_only_what_came_after_the_last_is_lost() -> None:
    found = work((0, 199, 1_000.0), (200, 299, 2_000.0))
    assert (found.lost_iterations, found.lost_s) == (0, 5.0)


def test_without_a_clock_iterations_alone_are_known() -> None:
    run = Run()
    for first in (0, 30):
        run.apply([RunInfo(), *(Iteration(i, 1.0) for i in range(first, first + 50))])
    assert work_of(run.columns, [Attempt(0), Attempt(50)], run.findings().ledger) == Work(20)
