"""When evaluations and checkpoints return, what each takes, and how many are left."""

from __future__ import annotations

import pytest

from itermon.analysis.causes.causes import Explanation
from itermon.analysis.causes.tally import Tally
from itermon.analysis.findings import Cause, Schedule
from itermon.analysis.outlook.schedule import Cadence, at_this_level, schedules
from itermon.events import CHECKPOINT, EVALUATION, EVALUATION_AND_CHECKPOINT, Config, Strength


def tally(**seconds: list[float]) -> Tally:
    """What each kind took, each time: `both` is evaluation and checkpoint in one."""
    names = {"evaluation": EVALUATION, "checkpoint": CHECKPOINT, "both": EVALUATION_AND_CHECKPOINT}
    found = Tally()
    for name, costs in seconds.items():
        for cost_s in costs:
            found.add(Explanation([Cause(names[name], cost_s, Strength.LOG)], []))
    return found


def the_only(found: tuple[Schedule, ...]) -> Schedule:
    (schedule,) = found
    return schedule


@pytest.mark.parametrize(
    ("after", "last", "count", "following"),
    [
        (0, 100, 10, 10),
        (9, 100, 10, 10),
        (10, 100, 9, 20),
        (99, 100, 1, 100),
        (100, 100, 0, 110),
        (105, 100, 0, 110),
        (115, 100, 0, 120),
    ],
)
def test_a_cadence_counts_what_is_left(after: int, last: int, count: int, following: int) -> None:
    cadence = Cadence(10, 0, "evaluation_interval")
    assert cadence.between(after, last) == count
    assert cadence.next(after) == following


def test_a_cadence_may_stand_beside_its_multiples() -> None:
    cadence = Cadence(10, 9, "evaluation_interval")
    assert (cadence.next(8), cadence.next(9)) == (9, 19)
    assert (cadence.between(8, 19), cadence.between(9, 18)) == (2, 0)


def test_the_settings_give_the_interval_and_the_log_its_cost() -> None:
    found = the_only(
        schedules(
            Config(evaluation_interval=50),
            {EVALUATION: [0, 50, 100]},
            tally(evaluation=[3.0, 5.0]),
            current=120,
            last=300,
        )
    )
    assert (found.kind, found.interval, found.offset) == (EVALUATION, 50, 0)
    assert found.origin == "evaluation_interval"
    assert (found.mean_s, found.seen) == (4.0, 2)
    assert (found.next_iteration, found.remaining) == (150, 4)
    assert found.share == 1.0
    assert not found.earlier


def test_before_the_first_iteration_and_without_an_end_less_is_known() -> None:
    config = Config(evaluation_interval=50)
    unseen = the_only(schedules(config, {}, Tally(), current=None, last=300))
    assert (unseen.next_iteration, unseen.remaining, unseen.seen, unseen.mean_s) == (None, None, 0, None)
    endless = the_only(schedules(config, {}, Tally(), current=120, last=None))
    assert (endless.next_iteration, endless.remaining) == (150, None)
    final = the_only(schedules(config, {}, Tally(), current=280, last=300))
    assert (final.next_iteration, final.remaining) == (300, 1)
    over = the_only(schedules(config, {}, Tally(), current=280, last=299))
    assert (over.next_iteration, over.remaining) == (None, 0)


@pytest.mark.parametrize(
    ("interval", "seen", "found"),
    [
        (None, [40, 80, 120], (40, 0, "seen every 40")),
        (None, [39, 79, 119], (40, 39, "seen every 40")),
        (None, [40, 80], (40, 0, "seen every 40")),
        (None, [40, 80, 120, 170], (40, 10, "seen every 40")),
        (None, [40], None),
        (None, [40, 80, 130], None),
        (None, [], None),
        (50, [], (50, 0, "evaluation_interval")),
        (50, [0, 49, 99, 149], (50, 49, "evaluation_interval")),
        (50, [40, 80, 120, 160], (40, 0, "seen every 40")),
        (50, [50, 100, 123], (50, 0, "evaluation_interval")),
        (0, [40, 80, 120], (40, 0, "seen every 40")),
        (-1, [40, 80, 120], (40, 0, "seen every 40")),
        (1, [3, 4, 5], (1, 0, "evaluation_interval")),
        (None, [40, 40, 40, 80, 120], (40, 0, "seen every 40")),
        (50, [0, 49], (50, 49, "evaluation_interval")),
        (50, [1], (50, 1, "evaluation_interval")),
        (None, [120, 80], None),
        (None, [80, 160, 220, 300, 360], None),  # every 70, by rows of 20
        (None, [40, 80, 120, 240, 280, 293], (40, 13, "seen every 40")),
        (None, [0, 1_000, 2_000], (1_000, 0, "seen every 1,000")),
    ],
)
def test_what_was_seen_is_believed_before_a_setting_that_does_not_fit(
    interval: int | None, seen: list[int], found: tuple[int, int, str] | None
) -> None:
    plan = schedules(Config(evaluation_interval=interval), {EVALUATION: seen}, Tally(), current=200, last=None)
    assert [(s.interval, s.offset, s.origin) for s in plan] == ([] if found is None else [found])


def test_only_the_newest_thirty_two_count() -> None:
    seen = [*range(0, 4_000, 100), *range(4_000, 5_000, 50)]
    found = the_only(schedules(Config(), {EVALUATION: seen}, Tally(), current=5_700, last=None))
    assert found.interval == 50


def test_two_that_come_together_and_never_alone_are_one_schedule() -> None:
    config = Config(evaluation_interval=50, checkpoint_interval=50)
    found = the_only(schedules(config, {}, tally(both=[6.0, 8.0]), current=60, last=200))
    assert (found.kind, found.mean_s, found.seen, found.remaining) == (EVALUATION_AND_CHECKPOINT, 7.0, 2, 3)


def test_what_one_takes_alone_divides_the_two() -> None:
    config = Config(evaluation_interval=50, checkpoint_interval=100, checkpoint_needs_improvement=False)
    costs = tally(evaluation=[2.0, 2.0], both=[6.0, 8.0])
    evaluation, checkpoint = schedules(config, {}, costs, current=210, last=400)
    assert (evaluation.kind, evaluation.mean_s, evaluation.remaining) == (EVALUATION, 2.0, 4)
    assert (checkpoint.kind, checkpoint.mean_s, checkpoint.seen, checkpoint.remaining) == (CHECKPOINT, 5.0, 2, 2)


def test_two_that_were_hardly_ever_alone_are_one_schedule() -> None:
    config = Config(evaluation_interval=50, checkpoint_interval=50)
    costs = tally(evaluation=[0.5], both=[6.0, 8.0])
    found = the_only(schedules(config, {}, costs, current=160, last=400))
    assert (found.kind, found.mean_s) == (EVALUATION_AND_CHECKPOINT, 7.0)


def test_a_checkpoint_that_was_timed_itself_is_believed() -> None:
    config = Config(evaluation_interval=50, checkpoint_interval=100)
    costs = tally(evaluation=[2.0], checkpoint=[1.0], both=[9.0])
    assert [s.mean_s for s in schedules(config, {}, costs, current=210, last=None)] == [2.0, 1.0]


def test_what_is_cheaper_together_than_alone_costs_nothing_not_less() -> None:
    config = Config(evaluation_interval=50, checkpoint_interval=100)
    costs = tally(evaluation=[5.0] * 3, both=[4.0, 4.0])
    assert [s.mean_s for s in schedules(config, {}, costs, current=210, last=None)] == [5.0, 0.0]


def test_what_was_seen_without_a_time_is_counted() -> None:
    config = Config(evaluation_interval=50)
    found = the_only(schedules(config, {EVALUATION: [50, 100]}, Tally(), current=120, last=None))
    assert (found.seen, found.mean_s) == (2, None)


@pytest.mark.parametrize(
    ("needs", "evaluated", "saved", "share"),
    [
        (None, [0, 50, 100, 150, 200], [100], 0.25),
        (True, [0, 50, 100, 150, 200], [50, 100, 150, 200], 1.0),
        (False, [0, 50, 100, 150, 200], [100], 1.0),
        (None, [], [], 1.0),
        (None, [0], [], 1.0),
        (None, [0, 50], [0, 50], 1.0),
        (None, [1, 51], [51], 0.5),
    ],
)
def test_a_checkpoint_that_is_kept_only_for_a_better_loss_comes_as_often_as_it_came(
    needs: bool | None, evaluated: list[int], saved: list[int], share: float
) -> None:
    config = Config(evaluation_interval=50, checkpoint_interval=50, checkpoint_needs_improvement=needs)
    seen = {EVALUATION: evaluated, CHECKPOINT: saved}
    _, checkpoint = schedules(config, seen, tally(checkpoint=[4.0]), current=200, last=600)
    assert checkpoint.share == pytest.approx(share)
    assert checkpoint.remaining == round(8 * share)
    assert checkpoint.each_s == pytest.approx(4.0 * share)


def test_only_the_sixteen_newest_tell_how_often_a_checkpoint_is_kept() -> None:
    """Of the newest 16 evaluations 4 saved; before them all did, and they no longer count."""
    config = Config(evaluation_interval=50, checkpoint_interval=50)
    evaluated = list(range(50, 2_050, 50))
    saved = [*evaluated[:24], *evaluated[24:28]]
    _, checkpoint = schedules(
        config, {EVALUATION: evaluated, CHECKPOINT: saved}, Tally(), current=2_000, last=None
    )
    assert checkpoint.share == pytest.approx(4 / 16)
    often = [i + n for i in evaluated for n in (0, 1)]  # saved twice as often as evaluated: 8 of the newest 16
    _, checkpoint = schedules(
        config, {EVALUATION: evaluated, CHECKPOINT: often}, Tally(), current=2_000, last=None
    )
    assert checkpoint.share == pytest.approx(8 / 16)


def test_a_checkpoint_of_another_interval_does_not_wait_for_a_better_loss() -> None:
    config = Config(evaluation_interval=50, checkpoint_interval=100)
    seen = {EVALUATION: [50, 100, 150, 200], CHECKPOINT: [100]}
    assert [s.share for s in schedules(config, seen, Tally(), current=200, last=600)] == [1.0, 1.0]


def test_costs_of_this_level_replace_those_before_it() -> None:
    plan = (Schedule(EVALUATION, 50, seen=9, mean_s=80.0), Schedule(CHECKPOINT, 100, seen=4, mean_s=40.0))
    newest = (Schedule(EVALUATION, 50, seen=2, mean_s=2.0), Schedule(CHECKPOINT, 100))
    evaluation, checkpoint = at_this_level(plan, newest)
    assert (evaluation.mean_s, evaluation.seen, evaluation.earlier) == (2.0, 2, False)
    assert (checkpoint.mean_s, checkpoint.seen, checkpoint.earlier) == (40.0, 4, True)
    assert not at_this_level((Schedule(EVALUATION, 50),), ())[0].earlier


@pytest.mark.parametrize(
    ("count", "at_once", "cost_s"), [(4, 1, 3.0), (8, 2, 6.0), (9, 2, 6.0), (6, 1, 3.0), (12, 3, 9.0)]
)
def test_those_that_come_together_at_each_place_are_one_stop(count: int, at_once: int, cost_s: float) -> None:
    """A validation and a test behind each epoch cost what both take; what came at some places only is no pair."""
    places = {EVALUATION: [100, 200, 300, 400]}
    found = the_only(schedules(Config(), places, tally(evaluation=[3.0] * count), current=410, last=700))
    assert (found.at_once, found.mean_s, found.remaining) == (at_once, cost_s, 3)


def test_a_new_level_tells_what_one_takes_and_not_how_many_come_together() -> None:
    plan = (Schedule(EVALUATION, 100, seen=8, mean_s=6.0, at_once=2),)
    (found,) = at_this_level(plan, (Schedule(EVALUATION, 100, seen=2, mean_s=5.0),))
    assert (found.mean_s, found.at_once) == (10.0, 2)


@pytest.mark.parametrize(("came", "cost_s"), [(7, 3.0), (8, None)])
def test_what_one_of_many_took_says_nothing_of_the_others(came: int, cost_s: float | None) -> None:
    """The validation behind the last epoch stands apart; those before it lie within the epochs' times."""
    found = the_only(
        schedules(Config(), {EVALUATION: list(range(came))}, tally(evaluation=[3.0]), current=came, last=300)
    )
    assert (found.mean_s, found.interval) == (cost_s, 1)


@pytest.mark.parametrize(("last", "follows"), [(98, False), (99, True), (100, False), (None, False)])
def test_one_that_would_come_right_behind_the_last_iteration_may_follow(
    last: int | None, *, follows: bool
) -> None:
    plan = schedules(Config(evaluation_interval=10), {EVALUATION: (10, 20)}, Tally(), current=25, last=last)
    assert the_only(plan).may_follow is follows


def test_evaluations_of_two_kinds_have_no_one_price() -> None:
    seen = list(range(100, 2_001, 100))
    kinds = tally(evaluation=[0.9] * 17 + [200.0] * 3)
    found = the_only(schedules(Config(), {EVALUATION: seen}, kinds, current=2_050, last=4_000))
    assert (found.interval, found.mean_s, found.uneven) == (100, None, True)
    alike = the_only(
        schedules(Config(), {EVALUATION: seen}, tally(evaluation=[0.9] * 20), current=2_050, last=4_000)
    )
    assert (alike.mean_s, alike.uneven) == (pytest.approx(0.9), False)


def test_evaluations_that_come_more_often_than_their_interval_have_no_one_price() -> None:
    seen = sorted([*range(100, 4_001, 100), 130, 250, 480, 790, 1_010])
    found = the_only(
        schedules(Config(), {EVALUATION: seen}, tally(evaluation=[0.9] * 45), current=4_050, last=8_000)
    )
    assert (found.interval, found.mean_s, found.uneven) == (100, None, True)
