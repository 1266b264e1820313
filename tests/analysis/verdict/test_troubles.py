"""What makes a run slow: each rule from the facts that decide it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from made_findings import SLOW, audited, facts, found, load, lost
from seed_runs import watched

from itermon import events
from itermon.analysis.findings import (
    Audit,
    Cause,
    Eta,
    LedgerRow,
    Level,
    Progress,
    RunMessage,
    Schedule,
    Shift,
    SlowPlace,
    Spike,
    Straggler,
    Throughput,
)
from itermon.analysis.verdict import troubles
from itermon.analysis.verdict.diagnosis import Diagnosis
from itermon.analysis.verdict.facts import Facts
from itermon.analysis.verdict.verdict import judge
from itermon.events import Iteration, RunInfo

Rule = Callable[[Facts], Diagnosis | None]


@pytest.mark.parametrize(
    ("reason", "share", "ledger", "throttled"),
    [
        ("thermal slowdown", 0.1, 0.0, True),
        ("HW slowdown", 0.1, 0.0, True),
        ("power brake", 0.1, 0.0, True),
        ("hardware", 0.1, 0.0, True),
        ("thermal slowdown", 0.09, 0.0, False),
        ("power cap", 0.9, 0.0, False),
        ("power cap", 0.9, 0.03, True),
        ("power cap", 0.9, 0.02, False),
    ],
)
def test_throttling_is_heat_or_the_supply_not_the_power_cap(
    reason: str, share: float, ledger: float, throttled: bool
) -> None:
    said = troubles.throttled(facts(load=load(limits={reason: share}), ledger=lost(events.THROTTLE, ledger, 3)))
    assert (said is not None) is throttled


def test_the_worst_of_several_reasons_is_named() -> None:
    said = troubles.throttled(facts(load=load(limits={"thermal slowdown": 0.2, "power brake": 0.4})))
    assert said is not None
    assert (said.headline, said.evidence, said.gain) == (
        "The GPU is throttled: power brake.", ('The driver says "power brake" in 40 % of the samples.',), None,
    )  # fmt: skip
    clock = troubles.throttled(facts(load=load(clock_share=0.5), ledger=lost(events.THROTTLE, 0.1, 3)))
    assert clock is not None
    assert (clock.headline, clock.evidence) == (
        "The GPU is throttled: its clock fell.",
        ("Its clock runs at 50 % of the highest.",),
    )
    assert clock.gain == (1.0, 2.0)


@pytest.mark.parametrize(("wait", "bound"), [(0.09, False), (0.1, True), (0.99, True)])
def test_a_loop_is_data_bound_from_a_tenth_on(wait: float, bound: bool) -> None:
    said = troubles.data_bound(facts(throughput=Throughput(data_wait_share=wait)))
    assert (said is not None) is bound
    if said:
        assert said.gain == (pytest.approx(1 / (1 - wait / 2)), pytest.approx(1 / (1 - wait)))


@pytest.mark.parametrize(("pressure", "bound"), [(0.09, False), (0.1, True)])
def test_an_idle_gpu_whose_host_waits_for_its_disk_is_data_bound(pressure: float, bound: bool) -> None:
    said = troubles.data_bound(facts(load=load(power_share=0.3, io_pressure=pressure)))
    assert (said is not None) is bound
    if said:
        assert "Processes wait for I/O 10 % of the time." in said.evidence
        assert said.gain == (1.0, 2.0)


@pytest.mark.parametrize(
    ("clean_s", "after_s", "held", "slower"),
    [
        (1.2, 1.2, 64, True),
        (1.2, 1.2, 63, False),
        (1.05, 1.05, 64, True),
        (1.04, 1.04, 64, False),
        (1.27, 1.2, 64, False),
        (1.25, 1.2, 64, True),
    ],
)
def test_a_level_is_slower_if_it_rose_held_and_is_still_there(
    clean_s: float, after_s: float, held: int, slower: bool
) -> None:
    shifts = (Shift(20, 9.0, 1.0, position=20), Shift(60, 1.0, after_s, position=60, held=held))
    level = Level(clean_s, iterations=90, shifts=shifts)
    said = troubles.slowed(facts(level=level))
    assert (said is not None) is slower
    if said:
        assert said.gain == (1.0, after_s)
        assert said.headline.startswith("Slower since iteration 60")


@pytest.mark.parametrize(("usual_s", "slower"), [(5.8, False), (5.7, True)])
def test_a_level_is_not_slower_where_it_was_as_slow_for_most_of_the_time(usual_s: float, *, slower: bool) -> None:
    dip = (Shift(60, usual_s, 4.0, position=60), Shift(90, 4.0, 6.0, position=90, held=64))
    assert (troubles.slowed(facts(level=Level(6.0, iterations=90, shifts=dip))) is not None) is slower


@pytest.mark.parametrize(("held", "slower"), [(1_200, True), (1_201, False)])
def test_that_the_first_of_many_iterations_were_faster_is_no_trouble(held: int, *, slower: bool) -> None:
    rose = (Shift(60, 4.0, 6.0, position=60, held=held),)
    assert (troubles.slowed(facts(level=Level(6.0, iterations=90, shifts=rose))) is not None) is slower


def test_a_slower_level_is_compared_with_the_one_before() -> None:
    said = troubles.slowed(facts(level=Level(6.0, iterations=90, shifts=(Shift(60, 4.0, 6.0, held=64),))))
    assert said is not None
    assert said.gain == (1.0, 1.5)
    assert said.headline == "Slower since iteration 60: an iteration takes 1.50 × as long."
    assert said.evidence[0] == "An iteration took 4.00 s before and takes 6.00 s since."


@pytest.mark.parametrize(
    ("rule", "cause", "share", "count", "said"),
    [
        (troubles.straggler, events.STRAGGLER, 0.03, 1, True),
        (troubles.straggler, events.STRAGGLER, 0.029, 50, False),
        (troubles.garbage, events.GC, 0.005, 3, True),
        (troubles.garbage, events.GC, 0.005, 2, False),
        (troubles.garbage, events.GC, 0.004, 9, False),
        (troubles.garbage, events.COMPILE, 0.1, 9, False),
    ],
)
def test_what_the_ledger_lost_is_a_trouble_from_its_threshold_on(
    rule: Rule, cause: str, share: float, count: int, said: bool
) -> None:
    assert (rule(facts(ledger=lost(cause, share, count))) is not None) is said


@pytest.mark.parametrize(("share", "count", "said"), [(0.02, 2, True), (0.02, 1, False), (0.019, 9, False)])
def test_what_is_compiled_again_in_the_midst_is_a_trouble(share: float, count: int, said: bool) -> None:
    again = LedgerRow(events.COMPILE, 100 * share, share, count)
    found = troubles.recompiling(facts(ledger=lost(events.COMPILE, 0.9, 12), recompiled=again))
    assert (found is not None) is said
    if found:
        first = "Compilation takes 90 % of the logged time, in 12 iterations; 2.00 s of it in 2 after the start."
        assert found.evidence[0] == first, "the first compilation is none of it"
    assert troubles.recompiling(facts(ledger=lost(events.COMPILE, 0.9, 12))) is None


def test_the_newest_spike_of_the_cause_is_the_evidence() -> None:
    def spike(index: int, kind: str, evidence: str) -> Spike:
        return Spike(index, index, 2.0, 1.0, (Cause(kind, 1.0, events.Strength.HOOK, evidence),))

    spikes = (spike(1, events.GC, "old"), spike(2, events.GC, "new"), spike(3, events.COMPILE, "other"))
    said = troubles.garbage(facts(ledger=lost(events.GC, 0.02, 9), spikes=spikes))
    assert said is not None
    assert said.evidence == ("Garbage collection takes 2 % of the logged time, in 9 iterations.", "New.")


@pytest.mark.parametrize(("share", "who"), [(0.5, "Rank 3"), (0.49, "One rank")])
def test_a_rank_is_named_if_it_is_the_late_one_half_of_the_time(share: float, who: str) -> None:
    late = Straggler(rank=3, share=share, local_s=1.5, others_s=1.0)
    said = troubles.straggler(facts(ledger=lost(events.STRAGGLER, 0.12, 60), straggler=late))
    assert said is not None
    assert said.headline == f"{who} is slower than the others, and all wait for it."
    assert any(e.startswith("Rank 3 takes 1.50 s, the others 1.00 s") for e in said.evidence)


def test_allocation_retries_need_both_words() -> None:
    def said(*texts: str) -> Diagnosis | None:
        return troubles.allocation_retries(facts(messages=tuple(RunMessage(t) for t in texts)))

    assert said("allocated 3 GiB") is None
    assert said("retry 2") is None
    found = said("2 alloc retries", "12 Allocation Retries")
    assert found is not None
    assert found.evidence == ("12 Allocation Retries.",)
    full = troubles.allocation_retries(facts(messages=(RunMessage("alloc retry"),), load=load(memory_share=0.97)))
    assert full is not None
    assert full.evidence[-1] == "97 % of the GPU's memory is used."


@pytest.mark.parametrize(
    ("power", "cpu", "wait", "bound"),
    [
        (0.4, 0.9, None, True),
        (0.4, 0.89, None, False),
        (0.5, 1.0, None, False),
        (0.4, None, None, False),
        (0.4, 1.0, 0.1, False),
        (0.4, 1.0, 0.09, True),
    ],
)
def test_a_host_is_the_limit_if_the_gpu_idles_and_its_thread_does_not(
    power: float, cpu: float | None, wait: float | None, bound: bool
) -> None:
    made = facts(load=load(power_share=power, trainer_cpu=cpu), throughput=Throughput(data_wait_share=wait))
    said = troubles.host_bound(made)
    assert (said is not None) is bound
    if said:
        assert said.gain == (1.0, 2.0)
        assert "At most 2.00 × faster." in said.next_step


def test_without_a_floor_a_host_may_gain_whatever_it_leaves() -> None:
    said = troubles.host_bound(facts(audit=Audit(), load=load(power_share=0.4, trainer_cpu=1.0)))
    assert said is not None
    assert said.next_step.endswith("CUDA graphs.")
    assert said.gain is None


@pytest.mark.parametrize(("cost_s", "heavy"), [(5.0, False), (5.6, True)])
def test_stops_are_heavy_from_a_tenth_on(cost_s: float, heavy: bool) -> None:
    plan = Eta(schedules=(Schedule(events.EVALUATION, 50, seen=2, mean_s=cost_s),))
    assert (troubles.stop_heavy(facts(eta=plan)) is not None) is heavy
    assert "to come" not in str(troubles.stop_heavy(facts(eta=plan, ended="finished")))


def test_stops_without_a_schedule_are_half_as_often() -> None:
    said = troubles.stop_heavy(facts(ledger=lost(events.EVALUATION, 0.2, 4)))
    assert said is not None
    assert said.next_step == "Evaluations half as often save about 10 % of the time."
    assert said.gain == (pytest.approx(1 / (1 - 0.85 * 0.1)), pytest.approx(1 / 0.9))
    assert troubles.stop_heavy(facts(ledger=lost(events.EVALUATION, 0.2, 1))) is None
    paused = troubles.stop_heavy(
        facts(ledger=(*lost(events.EVALUATION, 0.2, 4), LedgerRow(events.PAUSE, 50.0, 0.5, 1)))
    )
    assert paused is not None
    assert paused.next_step == "Evaluations half as often save about 20 % of the time, pauses left out."


def test_an_idle_gpu_and_a_reading_disk_are_data_bound_without_hooks() -> None:
    reading = load(power_share=0.3, read_bytes_per_s=400e6, io_pressure=0.3)
    starved = judge(found(audit=SLOW, load=reading), RunInfo())
    assert starved.kind == "data-bound"
    assert starved.headline == "The GPU waits for its data."
    assert (starved.gain_low, starved.gain_high) == (1.0, 5.0)  # whatever the floor leaves
    floorless = judge(found(audit=Audit(), load=reading), RunInfo())
    assert (floorless.kind, floorless.gain_high) == ("data-bound", None)
    busy = load(power_share=0.95, read_bytes_per_s=400e6, io_pressure=0.3)
    assert judge(found(audit=SLOW, load=busy), RunInfo()).kind == "low-mfu"


def test_a_loop_that_waits_while_the_gpu_works_is_not_data_bound() -> None:
    waiting = Throughput(data_wait_share=0.9)  # the loop runs ahead of the GPU and waits in its loader
    assert judge(found(throughput=waiting, load=load(power_share=0.95)), RunInfo()).kind == "compute-bound"
    assert judge(found(throughput=waiting, load=load(power_share=0.4)), RunInfo()).kind == "data-bound"


def test_an_old_rise_that_the_level_has_left_is_not_told() -> None:
    left = Level(1.0, iterations=90, shifts=(Shift(60, 1.0, 1.2, held=100),))
    assert judge(found(level=left), RunInfo()).kind == "compute-bound"


@pytest.mark.parametrize(("held", "kind"), [(40, False), (63, False), (80, True)])
def test_a_new_level_is_no_headline_before_it_has_held(held: int, kind: bool) -> None:
    durations = [1.0] * 200 + [1.2] * held
    findings = watched([Iteration(i, d) for i, d in enumerate(durations)]).findings()
    assert [shift.held for shift in findings.level.shifts] == [held]
    assert (findings.verdict.kind == "slowed-down") is kind


@pytest.mark.parametrize(("active", "kind"), [(0.6, "compute-bound"), (0.1, "data-bound")])
def test_tensor_cores_tell_work_from_waiting_where_power_does_not(active: float, kind: str) -> None:
    waiting = Throughput(data_wait_share=0.5)
    assert judge(found(throughput=waiting, load=load(tensor_activity=active)), RunInfo()).kind == kind


@pytest.mark.parametrize(
    ("rate", "need", "kind"), [(60e6, None, "data-bound"), (40e6, None, "low-mfu"), (60e6, 1e7, "low-mfu")]
)
def test_reading_much_is_measured_by_what_is_needed(rate: float, need: float | None, kind: str) -> None:
    audit = msgspec.structs.replace(SLOW, data_bytes_per_s=need)
    assert judge(found(audit=audit, load=load(power_share=0.3, read_bytes_per_s=rate)), RunInfo()).kind == kind


def test_half_as_many_checkpoints_save_half_of_their_cost() -> None:
    verdict = judge(found(eta=Eta(schedules=(Schedule(events.CHECKPOINT, 50, seen=2, mean_s=20.0),))), RunInfo())
    assert "every 100 iterations instead of 50 save about 14 % of the time" in verdict.next_step
    assert verdict.gain_high == pytest.approx(1 / (1 - 0.2857 / 2), rel=1e-3)
    assert verdict.gain_low == pytest.approx(1 / (1 - 0.85 * 0.2857 / 2), rel=1e-3)


def test_what_the_ledger_lost_is_what_can_be_gained() -> None:
    verdict = judge(found(recompiled=LedgerRow(events.COMPILE, 30.0, 0.3, 8)), RunInfo())
    assert verdict.gain_low == pytest.approx(1 / 0.85)
    assert verdict.gain_high == pytest.approx(1 / 0.7)
    assert "; 30.0 s of it in 8 after the start." in verdict.evidence[0]
    assert "Up to 1.43 × faster." in verdict.next_step


def test_a_throttled_clock_bounds_what_cooling_gains() -> None:
    verdict = judge(
        found(load=load(limits={"thermal slowdown": 0.6}, clock_share=0.6, power_share=0.7)), RunInfo()
    )
    assert (verdict.gain_low, verdict.gain_high) == (1.0, pytest.approx(1 / 0.6))
    assert 'The driver says "thermal slowdown" in 60 % of the samples.' in verdict.evidence


def test_nobody_waits_for_data_in_an_evaluation() -> None:
    """Evaluations take half of the time: without any wait the run takes 1 - 0.5 × 0.8 of it."""
    stops = Eta(schedules=(Schedule(events.EVALUATION, 100, seen=3, mean_s=100.0),))
    audit = audited(times_floor=20.0, mfu=0.05)
    verdict = judge(found(throughput=Throughput(data_wait_share=0.8), eta=stops, audit=audit), RunInfo())
    assert verdict.kind == "data-bound"
    assert verdict.gain_high == pytest.approx(1 / 0.6)
    assert "The trainer measured 800 ms of waiting for data in an iteration of 1.00 s." in verdict.evidence


@pytest.mark.parametrize(
    ("after_s", "held", "trainings", "slower"),
    [(20.0, 16, 1, True), (20.0, 15, 1, False), (2.9, 16, 1, False), (20.0, 16, 2, False), (20.0, 64, 2, True)],
)
def test_a_level_of_many_times_the_seconds_is_news_sooner(
    after_s: float, held: int, trainings: int, slower: bool
) -> None:
    level = Level(after_s, iterations=90, shifts=(Shift(60, 1.0, after_s, held=held),))
    said = troubles.slowed(facts(level=level, progress=Progress(trainings=trainings)))
    assert (said is not None) == slower


def test_a_little_waiting_for_the_disk_is_no_evidence() -> None:
    for pressure, is_said in ((0.01, False), (0.03, True)):
        said = troubles.data_bound(facts(load=load(power_share=0.3, io_pressure=pressure, read_bytes_per_s=9e9)))
        assert said is not None
        assert any("wait for I/O" in one for one in said.evidence) is is_said


@pytest.mark.parametrize(("seconds", "is_named"), [(10.0, True), (9.9, False), (20.0, True)])
def test_a_place_of_half_of_the_unexplained_time_is_named(seconds: float, is_named: bool) -> None:
    place = SlowPlace("data.py:48 read_shard", 9, seconds)
    found = troubles.not_explained(facts(ledger=lost("unexplained", 0.2, 11), slow_place=place))
    assert found is not None
    assert ("most of it in data.py:48 read_shard" in found.headline) == is_named


@pytest.mark.parametrize(("wait", "largest"), [(None, True), (0.5, False)])
def test_of_waits_that_nobody_measured_nobody_knows_what_takes_more(wait: float | None, largest: bool) -> None:
    waits = facts(ledger=lost("unexplained", 0.6, 11), throughput=Throughput(data_wait_share=wait))
    assert troubles._is_largest(waits, events.DATA) is largest
