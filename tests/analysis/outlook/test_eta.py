"""The remaining time and its variance, worked by hand from few numbers."""

from __future__ import annotations

from math import hypot, inf

import pytest
from msgspec.structs import replace

from itermon.analysis.causes.causes import Explanation
from itermon.analysis.causes.ledger import Times
from itermon.analysis.causes.tally import Tally
from itermon.analysis.findings import Cause, EtaScore, Schedule
from itermon.analysis.outlook.eta import GAPS, Past, Remaining, eta, remaining, scored, why_none, without_gaps
from itermon.analysis.outlook.regimes import Regimes
from itermon.analysis.timing.baseline import Baseline
from itermon.events import CHECKPOINT, DATA, EVALUATION, RESTART, WARMUP, Strength

# The bounds as numbers of its own: from the code, a test would move with them.
MODEL_ERROR = 0.006

EXACT = [1.0] * 64


def costs(*causes: tuple[str, float]) -> Tally:
    tally = Tally()
    for kind, seconds in causes:
        tally.add(Explanation([Cause(kind, seconds, Strength.LOG)], []))
    return tally


def past(
    tally: Tally | None = None,
    *,
    normal: list[float] | None = None,
    at_level: Tally | None = None,
    unseen: int = 0,
    unseen_s: float | None = None,
) -> Past:
    tally = tally or Tally()
    times = Times(wall_s=100.0, iterations=100, unseen=unseen)
    return Past(times, 100, Baseline(normal or EXACT), unseen_s, tally, at_level or tally)


def level_share() -> float:
    """Relative variance of the level of `EXACT`: the least spread, 0.5 %, over 64 iterations; it does not walk."""
    return 0.005**2 / 64


def test_normal_iterations_take_the_level() -> None:
    left = remaining(50, past(), ())
    assert left.seconds == 50.0
    assert left.variance == pytest.approx(50.0**2 * (level_share() + MODEL_ERROR**2))
    assert (left.certain, left.note) == (True, "")


def test_the_variance_is_in_seconds_whatever_the_level() -> None:
    left = remaining(50, past(normal=[2.0] * 64), ())
    assert left.variance == pytest.approx(100.0**2 * (level_share() + MODEL_ERROR**2))
    baseline = Baseline([2.0] * 64)
    baseline.block_means.extend([1.8, 2.2, 2.0])  # three are enough
    left = remaining(50, past()._replace(baseline=baseline), ())
    spread = (0.2**2 + 0.2**2) / 3 / 2.0**2
    assert left.variance == pytest.approx(100.0**2 * (spread / 3 + MODEL_ERROR**2))


def test_one_step_of_the_level_says_nothing_of_its_walk() -> None:
    one, two = Baseline(EXACT), Baseline(EXACT)
    one.steps.append(0.2)
    two.steps.extend([0.2, 0.2])
    still, first, second = (
        remaining(50, past()._replace(baseline=b), ()).variance for b in (Baseline(EXACT), one, two)
    )
    assert still == first < second


def test_few_iterations_are_not_certain() -> None:
    assert not remaining(50, past(normal=[1.0] * 11), ()).certain
    assert remaining(50, past(normal=[1.0] * 12), ()).certain


def test_a_level_of_few_iterations_is_known_worse() -> None:
    few, many = (remaining(50, past(normal=[1.0] * n), ()).variance for n in (16, 64))
    assert few - many == pytest.approx(50.0**2 * 0.005**2 * (1 / 16 - 1 / 64))


def test_iterations_without_a_line_count_by_the_clock() -> None:
    left = remaining(50, past(unseen=300, unseen_s=2.0), ())
    assert left.seconds == pytest.approx(50 * (1.0 + 1.0 * 300 / 400))
    assert remaining(50, past(unseen=300), ()).seconds == 50.0


def test_stalls_go_on_as_they_came() -> None:
    left = remaining(50, past(costs((DATA, 3.0), (DATA, 4.0))), ())
    assert left.seconds == pytest.approx(50 * (1.0 + 7.0 / 100))
    squares = 25.0 / 100
    stalls = 50 * squares + 50**2 * squares / 100
    assert left.variance == pytest.approx(50.0**2 * level_share() + stalls + (MODEL_ERROR * left.seconds) ** 2)


def test_what_comes_once_is_over() -> None:
    assert remaining(50, past(costs((WARMUP, 30.0), (RESTART, 90.0))), ()).seconds == 50.0


def test_a_stop_seen_too_rarely_for_a_schedule_counts_as_a_stall() -> None:
    tally = costs((EVALUATION, 10.0))
    assert remaining(50, past(tally), ()).seconds == pytest.approx(50 * 1.1)
    plan = (Schedule(CHECKPOINT, 100, seen=3, mean_s=1.0, remaining=0),)
    assert remaining(50, past(tally), plan).seconds == pytest.approx(50.0)


def test_scheduled_stops_are_added_at_their_mean_cost() -> None:
    plan = (Schedule(EVALUATION, 10, seen=4, mean_s=10.0, remaining=5), Schedule(CHECKPOINT, 100, remaining=0))
    tally = costs(*((EVALUATION, s) for s in (8.0, 12.0, 8.0, 12.0)))
    left = remaining(50, past(tally), plan)
    assert left.seconds == 50.0 + 5 * 10.0
    scatter = 16.0 / 3  # of a single one: the mean of squared deviations, over n - 1
    stops = 5 * scatter + 5**2 * scatter / 4
    assert left.variance == pytest.approx(50.0**2 * level_share() + stops + (MODEL_ERROR * 100.0) ** 2)
    assert left.certain


def test_a_stop_that_never_scattered_is_given_fifteen_percent() -> None:
    plan = (Schedule(EVALUATION, 10, seen=0, mean_s=10.0, remaining=2),)
    left = remaining(50, past(), plan)
    assert left.variance == pytest.approx(
        50.0**2 * level_share() + 2 * 1.5**2 + (2 * 1.5) ** 2 + (MODEL_ERROR * 70.0) ** 2
    )


@pytest.mark.parametrize(
    ("stop", "note"),
    [
        (Schedule(EVALUATION, 10, remaining=5), "without evaluations: none seen yet"),
        (Schedule(EVALUATION, 10, remaining=5, seen=2), "this log does not time evaluations"),
        (
            Schedule(EVALUATION, 10, remaining=5, seen=2, mean_s=1.0, earlier=True),
            "evaluations at their cost before the level moved",
        ),
        (Schedule(EVALUATION, 10, remaining=0), ""),
        (Schedule(EVALUATION, 10, remaining=None), ""),
    ],
)
def test_a_cost_that_is_missing_is_named_and_leaves_it_uncertain(stop: Schedule, note: str) -> None:
    """Except where no time of the source will ever have it: then the interval is wider."""
    left = remaining(50, past(), (stop,))
    assert (left.note, left.certain) == (note, not note or "does not time" in note)
    assert (left.untimed_s > 0) == ("does not time" in note)


def test_all_missing_costs_are_named() -> None:
    plan = (Schedule(EVALUATION, 10, remaining=5), Schedule(CHECKPOINT, 10, remaining=5))
    assert remaining(50, past(), plan).note == (
        "without evaluations: none seen yet; without checkpoints: none seen yet"
    )


def test_a_level_that_walks_is_less_sure_the_longer_it_goes_on() -> None:
    def walking(step: float) -> Past:
        baseline = Baseline(EXACT)
        baseline.block_means.extend([1.0, 1.0, 1.0, 1.0])
        baseline.steps.extend([step, -step, step])
        return past()._replace(baseline=baseline)

    still, walk = (remaining(1_000, walking(step), ()).variance for step in (0.0, 0.05))
    per_line = 1.5 * (0.05**2 - 2 * 0.005**2 / 32) / 32
    assert walk - still == pytest.approx(1_000.0**2 * per_line * (1_000 + 32 * 4) / 3)
    assert still == pytest.approx(1_000.0**2 * MODEL_ERROR**2)  # blocks that agree: the level is known


def test_blocks_that_differ_make_the_level_less_known() -> None:
    baseline = Baseline(EXACT)
    baseline.block_means.extend([0.9, 1.1, 0.9, 1.1])
    left = remaining(50, past()._replace(baseline=baseline), ())
    assert left.variance == pytest.approx(50.0**2 * (0.1**2 / 4 + MODEL_ERROR**2))


def test_the_interval_holds_nine_tenths_and_never_begins_below_zero() -> None:
    found = eta(Remaining(100.0, 400.0, certain=True, note="n"), 1_000.0, (), (), "")
    assert found.low_s == pytest.approx(100.0 - 1.645 * 20.0)
    assert found.high_s == pytest.approx(100.0 + 1.645 * 20.0)
    assert (found.remaining_s, found.finish_at_s, found.note) == (100.0, 1_100.0, "n")
    assert eta(Remaining(1.0, 400.0, certain=True), None, (), (), "").low_s == 0.0
    unsure = eta(Remaining(100.0, 400.0, certain=False), None, (), (), "it stands")
    assert (unsure.low_s, unsure.high_s, unsure.finish_at_s, unsure.frozen) == (None, None, None, "it stands")


def test_an_earlier_eta_is_scored_against_past_and_remaining() -> None:
    made = [EtaScore(0.1, 150.0), EtaScore(0.25, 80.0), EtaScore(0.5, inf)]
    assert scored(made, 60.0, 40.0) == (EtaScore(0.1, 150.0, 0.5), EtaScore(0.25, 80.0, pytest.approx(-0.2)))
    assert scored(made, 60.0, None) == (EtaScore(0.1, 150.0), EtaScore(0.25, 80.0))
    assert scored(made[:1], 0.0, 0.0) == (EtaScore(0.1, 150.0),)


def test_what_no_time_of_the_source_includes_only_widens_the_interval_upwards() -> None:
    """llm.c times neither evaluations nor checkpoints: each may take ten iterations."""
    plan = (Schedule(EVALUATION, 10, seen=4, remaining=3), Schedule(CHECKPOINT, 25, seen=0, remaining=2))
    left = remaining(50, past(), plan)
    assert (left.seconds, left.untimed_s, left.certain) == (50.0, 5 * 10 * 1.0, True)
    shown = eta(left, None, plan, (), "")
    assert shown.low_s is not None
    assert shown.high_s is not None
    assert shown.high_s - 50.0 == pytest.approx(50.0 - shown.low_s + 50.0)
    assert "does not time" in shown.note


def test_of_an_untimed_stop_that_may_never_come_again_nothing_is_added() -> None:
    assert remaining(50, past(), (Schedule(EVALUATION, 10, seen=4, remaining=None),)).untimed_s == 0.0


def test_a_stop_that_nobody_has_seen_is_not_certain() -> None:
    assert not remaining(50, past(), (Schedule(CHECKPOINT, 25, seen=0, remaining=2),)).certain


def test_a_slow_stretch_that_may_pass_widens_the_interval_and_is_not_taken_for_all() -> None:
    slow = Regimes(number=3, usual_s=0.6, deviation_s=0.2, held=0.1)  # it lasts a tenth of the 100 so far
    still, moved = remaining(40, past(), ()), remaining(40, past()._replace(regimes=slow), ())
    passing = 1 - 10 / 40
    assert moved.seconds == pytest.approx(40 * (1.0 + passing * (0.6 - 1.0) / 3))
    deviation_s = 40 * hypot(passing * 0.4 / 2, 0.2 * passing / 3**0.5)
    level = still.variance - (MODEL_ERROR * 40.0) ** 2
    assert moved.variance == pytest.approx(level + (MODEL_ERROR * moved.seconds) ** 2 + deviation_s**2)


def test_a_level_that_has_lasted_as_long_as_is_left_stays() -> None:
    once = remaining(50, past()._replace(regimes=Regimes(2, 0.6, 0.2, 0.1)), ())
    assert once.seconds == 50.0  # it has moved once, and never come back
    lasting = Regimes(number=2, usual_s=0.6, deviation_s=0.2, held=0.5)
    stays = remaining(50, past()._replace(regimes=lasting), ())
    assert (stays.seconds, stays.variance) == (50.0, remaining(50, past(), ()).variance)


def test_of_a_run_that_never_varies_nine_of_ten_ends_lie_within_a_hundredth() -> None:
    found = eta(remaining(10_000, past(), ()), 0.0, (), (), "")
    assert found.low_s is not None
    assert found.high_s is not None
    assert (found.high_s - found.low_s) / 2 == pytest.approx(100.0, rel=0.02)


def test_before_the_first_iteration_there_is_one_to_divide_by() -> None:
    assert past()._replace(times=Times(0.0, 0)).iterations == 1
    assert past()._replace(times=Times(0.0, 2, unseen=3)).iterations == 5


def test_without_an_end_or_without_times_it_is_said_why_there_is_none() -> None:
    assert "--max-iters" in why_none(None, "")
    assert "--max-iters" in why_none(None, "unknown")
    assert why_none(9, "") == "no iteration time is known yet"
    assert why_none(9, "", partly=True) == "too few iterations have a time that itermon can read"
    for end in ("finished", "failed", "interrupted", "killed"):
        assert why_none(9, end) == why_none(None, end) == "the run is over"


def test_what_no_time_includes_takes_ten_iterations_of_this_run_at_most() -> None:
    plan = (Schedule(EVALUATION, 10, seen=4, remaining=3),)
    assert remaining(50, past(normal=[2.0] * 64), plan).untimed_s == 3 * 10 * 2.0


def test_the_interval_holds_the_mean_of_all_so_far_by_the_clock_too() -> None:
    """100 iterations took 160 s, and the usual one 1.0 s: of 1.6 s each the usual one knows nothing."""
    slow = past()._replace(times=Times(wall_s=160.0, iterations=100))
    found = eta(remaining(50, slow, ()), None, (), (), "")
    assert found.low_s is not None
    assert found.high_s is not None
    assert found.low_s < 50.0 < 80.0 < found.high_s < 81.0


def test_the_mean_of_all_speaks_neither_of_what_comes_once_nor_of_a_level_that_is_over() -> None:
    slow = Times(wall_s=160.0, iterations=100)
    assert remaining(50, past(costs((WARMUP, 60.0)))._replace(times=slow), ()).by_mean_s == 50.0
    assert remaining(50, past()._replace(times=slow, one_level=False), ()).by_mean_s is None
    assert remaining(50, past()._replace(times=slow, regimes=Regimes(2, 1.3, 0.2, 0.1)), ()).by_mean_s is None
    assert remaining(50, past()._replace(times=Times(0.0, 100)), ()).by_mean_s is None


def test_an_evaluation_that_may_follow_the_last_iteration_widens_the_interval_by_what_one_takes() -> None:
    plan = Schedule(EVALUATION, 10, remaining=4, seen=2, mean_s=3.0)
    alone, followed = (remaining(50, past(), (replace(plan, may_follow=one),)) for one in (False, True))
    assert (alone.untimed_s, followed.untimed_s) == (0.0, 3.0)
    assert alone.seconds == followed.seconds


@pytest.mark.parametrize("newest", [0.8, 1.3])
def test_the_interval_holds_what_the_newest_of_few_rows_say(newest: float) -> None:
    """Rows of many iterations each: of a dozen of them no change of level can be told."""
    moved = past(normal=[1.0, 1.1, 0.9] * 3 + [newest] * 5)
    found = eta(remaining(1_000, moved, ()), None, (), (), "")
    assert found.low_s is not None
    assert found.high_s is not None
    assert found.low_s < 1_000 * newest < found.high_s
    assert remaining(1_000, past(), ()).by_newest_s is None


def test_where_no_one_time_is_usual_the_interval_holds_the_newest_pace() -> None:
    left = remaining(1_000, past()._replace(pace_s=1.5), ())
    found = eta(left, None, (), (), "")
    assert found.remaining_s == 1_000.0
    assert found.low_s is not None
    assert found.high_s is not None
    assert found.low_s < 1_000.0
    assert found.high_s > 1_500.0


def test_of_few_blocks_the_rows_behind_them_count_as_much() -> None:
    """45 rows that take longer and longer: the one mean of 32 of them is that of the first."""
    durations = [2.0 + 0.04 * n for n in range(45)]
    baseline = Baseline(durations)
    baseline.block_means.append(2.62)
    left = remaining(1_000, past()._replace(baseline=baseline, pace_s=2.9), ())
    assert left.seconds == pytest.approx(1_000.0 * 2.88)
    assert left.by_newest_s == pytest.approx(1_000.0 * 3.56)  # farther off than the pace of all


def test_what_passes_between_two_epochs_clocks_is_in_no_interval() -> None:
    left = without_gaps(remaining(50, past(), ()))
    assert (left.seconds, left.certain, left.note) == (50.0, False, GAPS)
    found = eta(left, None, (), (), "")
    assert (found.remaining_s, found.low_s, found.high_s) == (50.0, None, None)
