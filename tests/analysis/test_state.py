"""Where a run stands: its end, what is left of it, and what it will take."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import pytest
from simulated_runs import nanogpt, plain, times, watched

from itermon.analysis.causes.ledger import Times
from itermon.analysis.run import Run
from itermon.analysis.state import current_state, has_row, last_iteration, predicted_total_s, remaining
from itermon.events import (
    EVALUATION,
    Alive,
    Config,
    Counted,
    EndReason,
    Event,
    Iteration,
    Launch,
    Message,
    RunInfo,
    SpanEnd,
)

if TYPE_CHECKING:
    from itermon.analysis.intake import Intake


def taken_in(events: list[Event]) -> Intake:
    run = Run().intake
    run.apply(events)
    return run


@pytest.mark.parametrize(("last", "ends_at"), [(None, None), (400, 400), (99, 99), (98, None)])
def test_an_end_that_the_run_has_passed_is_none(last: int | None, ends_at: int | None) -> None:
    assert last_iteration(taken_in([Config(max_iterations=last), *plain(times(100))])) == ends_at


def test_where_nobody_knows_how_many_iterations_came_none_says_how_many_lie_between_two_evaluations() -> None:
    events: list[Event] = []
    for n in range(1, 200):
        events += [Iteration(n, 1.0), *([SpanEnd(EVALUATION, None, n + 1, 5.0)] if n % 20 == 0 else [])]
    run = taken_in(events)
    assert [one.interval for one in current_state(run).schedules] == [20]
    run.apply([Counted(at_least=True)])
    assert current_state(run).schedules == ()


def test_only_rows_of_the_newest_training_are_its_own() -> None:
    run = taken_in([*plain([1.0] * 9), *plain([1.0] * 5), *(Iteration(at, 1.0) for at in (3, 8, 9))])
    assert [at for at in range(12) if has_row(run, at)] == [0, 1, 2, 3, 4, 8, 9]


def test_what_is_left_needs_an_end_a_level_and_an_iteration() -> None:
    ending = Config(max_iterations=400)
    assert remaining(current_state(taken_in([ending]))) is None
    assert remaining(current_state(taken_in([ending, Iteration(0, None, 3.0)]))) is None
    assert remaining(current_state(taken_in(plain(times(100))))) is None
    left = remaining(current_state(taken_in([ending, *plain(times(100, base_s=0.5))])))
    assert left is not None
    assert left.seconds == pytest.approx(301 * 0.5, rel=0.01)


def test_the_whole_run_is_what_was_and_what_is_left() -> None:
    run = taken_in(nanogpt(times(500, base_s=0.5)))  # evaluations of 3 s at 0, 100, ...; it ends at 1,000
    assert predicted_total_s(run) == pytest.approx(1_001 * 0.5 + 11 * 3.0, rel=0.01)
    assert isnan(predicted_total_s(taken_in(plain(times(100)))))


def test_schedules_come_with_what_they_cost_and_when_they_return() -> None:
    (schedule,) = current_state(taken_in(nanogpt(times(450)))).schedules
    assert (schedule.interval, schedule.next_iteration, schedule.remaining) == (100, 500, 6)
    assert schedule.mean_s == pytest.approx(3.0, rel=0.02)


def test_a_run_without_iterations_has_no_times() -> None:
    assert current_state(taken_in([Config(max_iterations=400)])).times == Times(0.0, iterations=0)


@pytest.mark.parametrize("seconds", [0.5, 60.0])
def test_what_was_waited_for_the_first_batch_is_not_waited_for_again(seconds: float) -> None:
    first = Iteration(0, 0.5 + seconds, data_wait_s=seconds)
    others = [Iteration(i, 0.5, data_wait_s=0.001) for i in range(1, 40)]
    left = remaining(current_state(taken_in([Config(max_iterations=400), first, *others])))
    assert left is not None
    assert left.seconds == pytest.approx(361 * 0.5, rel=0.01)


def test_a_wait_amid_the_run_may_come_again() -> None:
    events = [Iteration(i, 8.5 if i == 20 else 0.5, data_wait_s=8.0 if i == 20 else 0.001) for i in range(40)]
    left = remaining(current_state(taken_in([Config(max_iterations=400), *events])))
    assert left is not None
    assert left.seconds == pytest.approx(361 * 0.7, rel=0.01)


@pytest.mark.parametrize(("count", "usual_s"), [(1, None), (3, None), (4, 100.0), (70, 100.0)])
def test_another_training_has_a_usual_time_of_its_own(count: int, usual_s: float | None) -> None:
    """A fold of a larger model is not silent because the one before it was faster."""
    run = Run()
    run.apply([Iteration(n, 1.0, 2.0, at_s=float(n)) for n in range(100)])
    assert run.findings().now.usual_s == pytest.approx(1.0, rel=0.01)
    run.apply([Iteration(n, 100.0, 2.0, at_s=200 + 100.0 * n) for n in range(count)])
    assert run.findings().now.usual_s == usual_s


def test_what_is_left_and_what_returns_are_of_the_newest_training() -> None:
    """The first one evaluated every 50 iterations, stalled often and took a tenth of the time."""
    first = nanogpt([d + 5.0 * (i % 7 == 3) for i, d in enumerate(times(400, base_s=0.05))], every=50)
    second = nanogpt(times(250, base_s=0.5))
    state = current_state(taken_in([*first, *second]))
    (schedule,) = state.schedules
    assert (schedule.interval, schedule.next_iteration, schedule.seen) == (100, 300, 2)
    left = remaining(state)
    assert left is not None
    assert left.seconds == pytest.approx(751 * 0.5 + 8 * 3.0, rel=0.02)


def test_how_sure_it_is_what_is_left_does_not_depend_on_an_earlier_training() -> None:
    walking = [d * (1 + n // 40 % 3 * 0.02) for n, d in enumerate(times(400, noise=0.03))]
    alone, second = (
        remaining(current_state(taken_in([*first, *nanogpt(walking)]))) for first in ([], plain([0.1] * 900))
    )
    assert alone is not None
    assert second is not None
    assert second.variance == pytest.approx(alone.variance)


def test_another_training_that_has_not_evaluated_yet_has_no_cost_of_it() -> None:
    (schedule,) = current_state(taken_in([*nanogpt(times(400)), *plain(times(90, base_s=0.5))])).schedules
    assert (schedule.interval, schedule.mean_s) == (100, None)


@pytest.mark.parametrize(
    ("clock", "said_s", "after_s"),
    [
        ("log", 1160.0, 60.0),
        ("log", 1101.0, 0.0),  # no later than a next row
        ("log", None, 0.0),
        ("arrival", 1160.0, 0.0),
    ],
)
def test_a_run_lasts_until_it_says_that_it_is_over(clock: str, said_s: float | None, after_s: float) -> None:
    events: list[Event] = [RunInfo(clock=clock), *(Iteration(i, 1.0, at_s=1000.0 + i) for i in range(1, 101))]
    events += [Message("Training finished.", ending=EndReason.FINISHED, at_s=said_s, line=200)]
    for later in ([], [Alive(9_000.0)], [Launch(line=300), Alive(9_000.0)]):  # lines of others come after it
        findings = watched([*events, *later]).findings()
        assert findings.progress.wall_s == pytest.approx(100.0 + after_s)
        assert sum(row.seconds for row in findings.ledger) == pytest.approx(100.0 + after_s)
