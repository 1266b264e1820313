"""What the findings say, each at its threshold."""

from __future__ import annotations

import pytest
from made_findings import facts, found, load, lost

from itermon import events
from itermon.analysis.findings import (
    Audit,
    Ending,
    Eta,
    LedgerRow,
    Level,
    Load,
    Progress,
    Schedule,
    Throughput,
)
from itermon.analysis.verdict.facts import ONE_GPU
from itermon.analysis.verdict.sentences import rows_wait, where
from itermon.analysis.verdict.verdict import judge
from itermon.events import RunInfo


def test_shares_and_counts_add_up_over_causes() -> None:
    ledger = (
        LedgerRow(events.EVALUATION, 3.0, 0.3, 2),
        LedgerRow(events.CHECKPOINT, 1.0, 0.1, 5),
        LedgerRow(events.TRAINING, 6.0, 0.6, 50),
    )
    made = facts(ledger=ledger)
    assert made.share(events.EVALUATION, events.CHECKPOINT) == pytest.approx(0.4)
    assert made.share(events.GC) == 0
    assert (made.count(events.CHECKPOINT), made.count(events.GC)) == (5, 0)


def test_what_first_batches_took_is_over_and_is_said_apart() -> None:
    waited = LedgerRow(events.DATA, 5.02, 0.502, 200)
    ledger = (waited, LedgerRow(events.TRAINING, 4.98, 0.498, 200))
    made = facts(ledger=ledger, first_waits=LedgerRow(events.DATA, 5.0, 0.5, 1))
    assert (made.share(events.DATA), made.count(events.DATA)) == (pytest.approx(0.002), 199)
    assert where(made) == (
        "logged time: waiting for data 0.2 % (199 × 101 µs) and waiting for the first batch 50 % (1 × 5.00 s)"
    )
    assert made.data_wait == pytest.approx(0.002)
    both = facts(ledger=ledger, audit=Audit(times_floor=2.0)).limit, made.limit
    assert both == (pytest.approx(2.0 / 0.498), pytest.approx(1.0 / 0.498))
    alone = facts(ledger=(waited,), first_waits=waited)
    assert alone.lost == []


def test_what_was_done_again_is_no_restart() -> None:
    ledger = (LedgerRow(events.TRAINING, 96.0, 0.96, 9_000), LedgerRow(events.REPEATED, 4.0, 0.04, 240))
    assert where(facts(ledger=ledger)) == "logged time: iterations done again 4 % (240 × 16.7 ms)"


def test_a_gain_is_between_nothing_and_the_limit() -> None:
    made = facts()
    assert made.limit == 2.0
    assert made.whatever_is_left == (1.0, 2.0)
    assert [made.gain(x) for x in (0.5, 1.5, 3.0)] == [1.0, 1.5, 2.0]
    unknown = facts(audit=Audit())
    assert (unknown.limit, unknown.whatever_is_left, unknown.gain(9.0)) == (None, None, 9.0)


def test_the_wait_for_data_is_the_larger_of_loop_and_ledger() -> None:
    stalls = lost(events.DATA, 0.2, 4)
    assert facts(ledger=stalls).data_wait == 0.2
    assert facts(ledger=stalls, throughput=Throughput(data_wait_share=0.1)).data_wait == 0.2
    assert facts(ledger=stalls, throughput=Throughput(data_wait_share=0.3)).data_wait == 0.3
    assert facts(throughput=Throughput(data_wait_share=0.0)).data_wait == 0.0
    several = {"ledger": stalls, "progress": Progress(trainings=2)}
    assert facts(throughput=Throughput(data_wait_share=0.1), **several).data_wait == 0.1, (
        "stalls are of all trainings"
    )
    assert facts(**several).data_wait == 0.2
    assert facts().data_wait is None


def test_the_demand_for_data_is_a_share_of_an_iteration() -> None:
    assert facts(audit=Audit(cold_disk_high_s=0.5), level=Level(2.0)).data_demand == 0.25
    assert facts().data_demand is None
    assert facts(audit=Audit(cold_disk_high_s=0.5), level=Level()).data_demand is None


@pytest.mark.parametrize(("jitter", "flat"), [(None, None), (0.03, True), (0.031, False)])
def test_times_within_three_percent_are_flat(jitter: float | None, flat: bool | None) -> None:
    assert facts(level=Level(1.0, jitter=jitter)).flat is flat
    strange = facts(level=Level(1.0, jitter=jitter), undescribed=True)
    assert strange.flat is (None if flat is None else False)
    assert strange.mostly_flat is bool(flat)


@pytest.mark.parametrize(
    ("samples", "busy", "idle"),
    [
        ({}, None, False),
        ({"power_share": 0.8}, True, False),
        ({"power_share": 0.79}, False, False),
        ({"power_share": 0.5}, False, False),
        ({"power_share": 0.49}, False, True),
        ({"power_share": 0.9, "tensor_activity": 0.1, "utilization": 0.1}, True, False),
        ({"tensor_activity": 0.45}, True, False),
        ({"tensor_activity": 0.44}, False, False),
        ({"utilization": 0.49}, None, True),
        ({"utilization": 0.5}, None, False),
    ],
)
def test_power_says_first_whether_a_gpu_works_or_waits(
    samples: dict[str, float], busy: bool | None, idle: bool
) -> None:
    made = facts(load=load(**samples))
    assert (made.busy, made.idle) == (busy, idle)


def test_the_costliest_stop_comes_first() -> None:
    plan = Eta(
        schedules=(
            Schedule(events.EVALUATION, 100, seen=3, mean_s=2.0),
            Schedule(events.CHECKPOINT, 50, seen=3, mean_s=4.0),
        )
    )
    made = facts(eta=plan)
    assert made.costliest == (events.CHECKPOINT, pytest.approx(0.08 / 1.1), 50)
    assert made.stop_share == pytest.approx(0.1 / 1.1)
    assert facts().stop_share is None


def test_a_warm_up_that_is_over_is_no_longer_to_be_won() -> None:
    """Of 100 s half were warm-up and 5 s an evaluation; what goes on is 2 × the floor, and its stops."""
    parts = ((events.TRAINING, 45), (events.WARMUP, 50), (events.EVALUATION, 5))
    ledger = tuple(LedgerRow(cause, s, s / 100) for cause, s in parts)
    assert judge(found(ledger=ledger), RunInfo()).gain_limit == pytest.approx(2.0 * 50 / 45)


def test_what_is_slow_for_one_of_several_trainings_is_no_stop() -> None:
    stops = lost(events.UNEXPLAINED, 0.6, 40)
    one, several = Progress(trainings=1), Progress(trainings=4)
    assert [row.cause for row in facts(ledger=stops, progress=one).lost] == [events.UNEXPLAINED]
    assert facts(ledger=stops, progress=several).lost == []


def test_what_was_lost_is_in_order_and_of_several_trainings_without_what_nobody_explains() -> None:
    rows = (
        LedgerRow(events.EVALUATION, 1.0, 0.1, 1),
        LedgerRow(events.UNEXPLAINED, 3.0, 0.3, 1),
        LedgerRow(events.CHECKPOINT, 2.0, 0.2, 1),
        LedgerRow(events.TRAINING, 4.0, 0.4, 1),
    )
    for trainings, kinds in (
        (1, [events.UNEXPLAINED, events.CHECKPOINT, events.EVALUATION]),
        (2, [events.CHECKPOINT, events.EVALUATION]),
    ):
        made = facts(ledger=rows, progress=Progress(trainings=trainings))
        assert [row.cause for row in made.lost] == kinds


def test_who_reports_on_what_and_whether_it_is_over() -> None:
    plain = facts()
    assert (plain.over, plain.hooked, plain.on_cpu, plain.one_gpu) == (False, False, False, False)
    assert plain.load == Load(span_s=0.0)
    assert facts(ending=Ending("")).over is True
    assert facts(RunInfo(clock=events.ClockKind.HOOK)).hooked is True
    assert facts(audit=Audit(estimated=(ONE_GPU,))).one_gpu is True


@pytest.mark.parametrize(
    ("share", "stalls", "wait"),
    [(None, 0.0, None), (None, 0.2, 0.2), (0.1, 0.2, 0.2), (0.3, 0.2, 0.3), (0.0, 0.0, 0.0)],
)
def test_a_wait_for_data_is_measured_or_in_the_ledger(
    share: float | None, stalls: float, wait: float | None
) -> None:
    made = facts(ledger=lost(events.DATA, stalls, 3), throughput=Throughput(data_wait_share=share))
    assert made.data_wait == wait


@pytest.mark.parametrize(
    ("given", "busy", "idle"),
    [
        ({}, None, False),
        ({"power_share": 0.8}, True, False),
        ({"power_share": 0.79}, False, False),
        ({"power_share": 0.5}, False, False),
        ({"power_share": 0.49}, False, True),
        ({"tensor_activity": 0.45}, True, False),
        ({"tensor_activity": 0.44}, False, False),
        ({"utilization": 0.49}, None, True),
        ({"utilization": 0.5}, None, False),
    ],
)
def test_a_gpu_works_or_waits_by_its_samples(given: dict[str, float], busy: bool | None, idle: bool) -> None:
    made = facts(load=load(**given))
    assert (made.busy, made.idle) == (busy, idle)


@pytest.mark.parametrize(("share", "at_least", "said"), [(0.8, True, "80 %"), (0.4, True, ""), (0.8, False, "")])
def test_where_only_rows_tell_of_waits_it_is_said_what_they_waited(
    share: float, at_least: bool, said: str
) -> None:
    row = LedgerRow(events.DATA, 4.0, 0.04, 0, at_least=at_least)
    waits = facts(throughput=Throughput(data_wait_share=share), ledger=(row,))
    assert (f"waited for data for {said} of their time" in rows_wait(waits)) == bool(said)
