"""What evaluations and checkpoints cost a run as it goes on."""

import pytest
from made_findings import facts, found, lost
from msgspec.structs import replace

from itermon.analysis.findings import Eta, LedgerRow, Level, Progress, Schedule, Shift
from itermon.analysis.verdict.stop_costs import costs, saved_by_half
from itermon.analysis.verdict.troubles import stops_of_several_kinds
from itermon.events import (
    CHECKPOINT,
    DATA,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    GAP,
    GC,
    PAUSE,
    STRAGGLER,
    TRAINING,
    WARMUP,
)


def planned(*schedules: Schedule) -> Eta:
    return Eta(schedules=schedules)


def test_a_schedule_costs_its_mean_over_its_interval() -> None:
    plan = planned(
        Schedule(EVALUATION, 100, seen=3, mean_s=2.0), Schedule(CHECKPOINT, 50, seen=3, mean_s=4.0, share=0.5)
    )
    assert costs(found(eta=plan)) == [
        (CHECKPOINT, pytest.approx(0.04 / 1.06), 50),
        (EVALUATION, pytest.approx(0.02 / 1.06), 100),
    ]


@pytest.mark.parametrize(
    ("seen", "origin", "known"),
    [(1, "seen every 100", False), (2, "seen every 100", True), (1, "checkpoint_interval", True)],
)
def test_a_cost_that_was_seen_once_says_nothing_of_the_next(seen: int, origin: str, *, known: bool) -> None:
    plan = planned(Schedule(CHECKPOINT, 100, origin=origin, seen=seen, mean_s=5.0))
    assert bool(costs(found(eta=plan))) is known


def test_a_cost_of_an_earlier_level_or_without_an_interval_does_not_count() -> None:
    plan = planned(
        Schedule(EVALUATION, 100, seen=3, mean_s=2.0),
        Schedule(CHECKPOINT, 50, seen=3, mean_s=4.0, earlier=True),
        Schedule(EVALUATION_AND_CHECKPOINT, None, seen=3, mean_s=4.0),
    )
    assert costs(found(eta=plan)) == [(EVALUATION, pytest.approx(0.02 / 1.02), 100)]


@pytest.mark.parametrize(("count", "known"), [(1, False), (2, True)])
def test_without_a_schedule_the_ledger_tells_from_two_of_a_kind_on(count: int, known: bool) -> None:
    assert costs(found(ledger=lost(EVALUATION, 0.2, count))) == ([(EVALUATION, 0.2, None)] if known else [])
    assert costs(found(ledger=lost(GC, 0.2, count))) == []


def test_where_no_one_time_is_usual_a_stop_costs_what_it_has_cost() -> None:
    plan = planned(Schedule(EVALUATION, 100, seen=3, mean_s=2.0))
    level = Level(1.0, iterations=64, between=(0.5, 4.0, 64))
    assert costs(found(eta=plan, ledger=lost(EVALUATION, 0.2, 4), level=level)) == [(EVALUATION, 0.2, 100)]


def test_of_a_bound_nothing_is_to_be_saved() -> None:
    bounds = tuple(replace(row, at_most=row.cause == EVALUATION) for row in lost(EVALUATION, 0.2, 4))
    plan = planned(Schedule(EVALUATION, 100, seen=3, mean_s=2.0))
    assert costs(found(ledger=bounds)) == costs(found(ledger=bounds, eta=plan)) == []


def test_a_stop_that_costs_nothing_is_none() -> None:
    plan = planned(Schedule(EVALUATION, 100, seen=3, mean_s=0.0))
    assert costs(found(eta=plan)) == []


@pytest.mark.parametrize(
    ("cause", "count", "clean_s"),
    [
        (WARMUP, 1, 1.0),
        (GAP, 3, 1.0),
        (DATA, 4, 1.0),
        (DATA, 50, 1.0),  # no more than half of the iterations
        (DATA, 51, 1.2),
        (DATA, 100, 1.2),
        (STRAGGLER, 100, 1.2),
    ],
)
def test_the_share_is_that_of_the_lane_whatever_else_takes_time(cause: str, count: int, clean_s: float) -> None:
    """100 iterations of 1 s, ten evaluations of 1 s, and 20 s of something else: inside the clean time, or not."""
    rows = ((TRAINING, 100.0, 100), (EVALUATION, 10.0, 10), (cause, 20.0, count))
    ledger = tuple(LedgerRow(kind, seconds, seconds / 130.0, n) for kind, seconds, n in rows)
    plan = planned(Schedule(EVALUATION, 10, seen=10, mean_s=1.0))
    ((_, share, _),) = costs(found(eta=plan, ledger=ledger, level=Level(clean_s=0.9)))
    assert share == pytest.approx(ledger[1].share)
    moved = Level(clean_s=clean_s, shifts=(Shift(50, clean_s, clean_s, 50),))
    ((_, share, _),) = costs(found(eta=plan, ledger=ledger, level=moved))
    assert share == pytest.approx(ledger[1].share)


def test_what_passed_between_two_trainings_is_no_training_s() -> None:
    """40 s of 100 s are stops, 50 s a pause: of the time to come they are 40 of 50."""
    rows = (
        LedgerRow(EVALUATION, 40.0, 0.4, 4),
        LedgerRow(PAUSE, 50.0, 0.5, 1),
        LedgerRow(TRAINING, 10.0, 0.1, 10),
    )
    assert costs(found(ledger=rows)) == [(EVALUATION, pytest.approx(0.8), None)]
    plan = planned(Schedule(EVALUATION, 10, seen=3, mean_s=10.0))
    assert costs(found(ledger=rows, eta=plan)) == [(EVALUATION, pytest.approx(0.5), 10)]


def test_of_evaluations_that_are_not_alike_nothing_is_said() -> None:
    plan = planned(Schedule(EVALUATION, 100, seen=9, uneven=True))
    assert costs(found(eta=plan, ledger=lost(EVALUATION, 0.6, 9))) == []


@pytest.mark.parametrize(
    ("share", "uneven", "said"), [(0.5, True, True), (0.09, True, False), (0.5, False, False)]
)
def test_stops_that_are_unlike_are_named_and_no_fewer_advised(share: float, uneven: bool, said: bool) -> None:
    plan = planned(Schedule(EVALUATION, 100, seen=9, uneven=uneven))
    rule = stops_of_several_kinds(facts(ledger=lost(EVALUATION, share, 9), eta=plan))
    assert (rule is not None) is said
    assert rule is None or (rule.headline, rule.next_step) == ("Evaluation takes 50 % of the logged time.", "")


SEEN_EVERY = Schedule(CHECKPOINT, 1, origin="seen every 1", seen=7, mean_s=4.0)


@pytest.mark.parametrize(
    ("schedule", "came", "known"),
    [
        (SEEN_EVERY, 7, False),
        (SEEN_EVERY, 15, True),
        (replace(SEEN_EVERY, origin="checkpoint_interval"), 7, True),
        (replace(SEEN_EVERY, share=0.5), 15, False),
    ],
)
def test_of_what_comes_when_a_score_gets_better_nobody_knows_what_fewer_would_save(
    schedule: Schedule, came: int, *, known: bool
) -> None:
    run = found(
        eta=planned(schedule), ledger=lost(CHECKPOINT, 0.2, came), progress=Progress(newest_seen=20, trainings=1)
    )
    assert saved_by_half(run, CHECKPOINT, 0.25) == (0.1 if known else None)


def test_half_of_the_share_that_is_shown_is_saved_and_of_a_short_run_whole_evaluations() -> None:
    plan = planned(Schedule(EVALUATION, 50, origin="evaluation_interval", seen=3, mean_s=2.0))
    run = found(eta=plan, ledger=lost(EVALUATION, 0.09, 3), progress=Progress(newest_seen=160, trainings=1))
    assert saved_by_half(run, EVALUATION, 0.2) == pytest.approx(0.045)
    over = replace(run, progress=Progress(newest_seen=160, trainings=1, fraction=1.0))
    assert saved_by_half(over, EVALUATION, 0.2) == pytest.approx(0.06)
    assert saved_by_half(found(eta=plan), EVALUATION, 0.2) == 0.1


@pytest.mark.parametrize(("last", "came", "saved"), [(3_125, 7, 3), (3_000, 6, 3), (2_700, 6, 3), (3_125, 6, 3)])
def test_an_evaluation_at_the_very_end_stays_when_half_as_many_are_made(last: int, came: int, saved: int) -> None:
    plan = planned(Schedule(EVALUATION, 500, origin="evaluation_interval", seen=came, mean_s=2.0))
    progress = Progress(iteration=last, newest_seen=last, trainings=1, fraction=1.0)
    over = found(eta=plan, ledger=lost(EVALUATION, 0.1 * came, came), progress=progress)
    assert saved_by_half(over, EVALUATION, 0.2) == pytest.approx(0.1 * saved)


@pytest.mark.parametrize(
    ("came", "least_s", "most_s", "saved"),
    [
        (20, 2.0, 2.0, 0.1),
        (21, 2.0, 2.0, 0.2 * 20 / 21 / 2),
        (22, 1.0, 20.0, 0.2 * 40 / 60 * 20 / 21 / 2),
        (21, 1.0, 3.0, 0.2 * 59 / 60 / 2),
    ],
)
def test_a_check_before_the_training_and_a_test_behind_it_are_saved_by_no_other_interval(
    came: int, least_s: float, most_s: float, saved: float
) -> None:
    plan = planned(Schedule(EVALUATION, 50, origin="seen every 50", seen=came, mean_s=2.0))
    row = LedgerRow(EVALUATION, 60.0, 0.2, came, least_s=least_s, most_s=most_s)
    run = found(eta=plan, ledger=(row,), progress=Progress(newest_seen=1_000, trainings=1))
    assert saved_by_half(run, EVALUATION, 0.2) == pytest.approx(saved)


@pytest.mark.parametrize(
    ("came", "fraction", "saved"),
    [(40, None, 0.1), (41, None, 0.2 * 40 / 41 / 2), (40, 1.0, 0.1), (26, None, None)],
)
def test_two_that_come_at_each_place_are_both_saved_by_half_as_many_places(
    came: int, fraction: float | None, saved: float | None
) -> None:
    """A validation and a test behind each of 20 epochs; and one more test, which no interval saves."""
    plan = planned(Schedule(EVALUATION, 50, origin="seen every 50", seen=came, mean_s=6.0, at_once=2))
    row = LedgerRow(EVALUATION, 3.0 * came, 0.2, came, least_s=2.0, most_s=4.0)
    run = found(eta=plan, ledger=(row,), progress=Progress(newest_seen=1_000, trainings=1, fraction=fraction))
    assert saved_by_half(run, EVALUATION, 0.2) == (None if saved is None else pytest.approx(saved))


@pytest.mark.parametrize(("most_s", "known"), [(4.0, True), (None, True), (50.0, False)])
def test_a_sum_that_is_mostly_one_stall_does_not_say_what_fewer_would_save(
    most_s: float | None, *, known: bool
) -> None:
    plan = planned(Schedule(EVALUATION, 50, origin="evaluation_interval", seen=20, mean_s=3.0))
    row = LedgerRow(EVALUATION, 100.0, 0.1, 20, least_s=2.0, most_s=most_s)
    run = found(eta=plan, ledger=(row,), progress=Progress(newest_seen=1_000, trainings=1))
    assert saved_by_half(run, EVALUATION, 0.1) == (0.05 if known else None)


def test_what_came_at_no_interval_is_not_passed_over_for_what_has_one() -> None:
    plan = planned(Schedule(EVALUATION, 40, origin="seen every 40", seen=9, mean_s=0.5))
    rows = (*lost(CHECKPOINT, 0.6, 5), *lost(EVALUATION, 0.1, 9)[-1:])
    assert costs(found(eta=plan, ledger=rows))[0] == (CHECKPOINT, 0.6, None)
