"""What evaluations and checkpoints cost a run as it goes on."""

import pytest
from made_findings import found, lost

from itermon.analysis.findings import Eta, Schedule
from itermon.analysis.verdict.stop_costs import costs
from itermon.events import CHECKPOINT, EVALUATION, EVALUATION_AND_CHECKPOINT, GC


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


def test_a_stop_that_costs_nothing_is_none() -> None:
    plan = planned(Schedule(EVALUATION, 100, seen=3, mean_s=0.0))
    assert costs(found(eta=plan)) == []
