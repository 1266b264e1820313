"""Each verdict from the few facts that decide it, and no promise beyond the floor."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from seed_runs import run_a, watched

from itermon import events
from itermon.analysis import findings as fd
from itermon.analysis.findings import (
    Audit,
    Findings,
    LedgerRow,
    Level,
    Load,
    Losses,
    Now,
    Progress,
    Throughput,
)
from itermon.analysis.verdict.verdict import judge
from itermon.events import (
    Config,
    Event,
    HostSample,
    Iteration,
    RunInfo,
)


def found(**parts: object) -> Findings:
    """A run of 100 flat iterations of 1 s on a known GPU at 2 × its floor, and whatever `parts` say otherwise."""
    audit = Audit(
        achieved_flops=495e12,
        gpu="H200",
        precision="bf16",
        peak_flops=989.4e12,
        mfu=0.5,
        mfu_wall=0.48,
        floor_s=0.5,
        times_floor=2.0,
    )
    usual = {
        "level": Level(clean_s=1.0, jitter=0.004, iterations=100),
        "progress": Progress(iteration=99, first_iteration=0, iterations_seen=100),
        "audit": audit,
    }
    return Findings(**{**usual, **parts})  # type: ignore[arg-type]


def audited(**changes: object) -> Audit:
    return msgspec.structs.replace(found().audit, **changes)


def load(**values: object) -> Load:
    return Load(span_s=300.0, **values)  # type: ignore[arg-type]


def lost(cause: str, share: float, count: int) -> tuple[LedgerRow, ...]:
    return (LedgerRow(events.TRAINING, 100 * (1 - share), 1 - share), LedgerRow(cause, 100 * share, share, count))


SLOW = audited(mfu=0.2, mfu_wall=0.19, times_floor=5.0)
CASES = {
    "failed": found(ended="failed", messages=(fd.RunMessage("CUDA out of memory.", "error"),)),
    "loss-not-finite": found(losses=Losses(train=None, not_finite=3, first_not_finite=97, not_finite_since=97)),
    "silent": found(now=Now(activity="silent", elapsed_s=300.0, usual_s=1.0)),
    "warming-up": found(level=Level(clean_s=1.0, iterations=4), progress=Progress(iterations_seen=4)),
    "clock-not-synchronised": found(audit=audited(times_floor=0.7, mfu=1.43)),
    "throttled": found(load=load(limits={"thermal slowdown": 0.6}, clock_share=0.6, power_share=0.7)),
    "data-bound": found(throughput=Throughput(data_wait_share=0.4), audit=SLOW),
    "slowed-down": found(level=Level(1.2, iterations=90, shifts=(fd.Shift(60, 1.0, 1.2, held=64),))),
    "straggler": found(ledger=lost(events.STRAGGLER, 0.12, 60)),
    "recompiling": found(ledger=lost(events.COMPILE, 0.3, 8)),
    "allocation-retries": found(messages=(fd.RunMessage("12 allocation retries", "warning"),)),
    "garbage-collection": found(ledger=lost(events.GC, 0.02, 9)),
    "host-bound": found(audit=SLOW, load=load(power_share=0.4, trainer_cpu=1.0)),
    "stop-heavy": found(eta=fd.Eta(schedules=(fd.Schedule(events.CHECKPOINT, 50, seen=2, mean_s=20.0),))),
    "power-capped": found(load=load(power_share=0.99, clock_share=0.75, limits={"power cap": 0.95})),
    "compute-bound": found(load=load(power_share=0.99)),
    "low-mfu": found(audit=SLOW, load=load(power_share=0.9, memory_share=0.3)),
    "wrong-mfu-denominator": found(audit=Audit(achieved_flops=500e12, logged_mfu=1.6, note="the log says 160 %")),
    "too-little-known": found(audit=Audit()),
}


@pytest.mark.parametrize("kind", CASES)
def test_the_deciding_facts_give_their_verdict(kind: str) -> None:
    verdict = judge(CASES[kind], RunInfo())
    assert verdict.kind == kind
    assert verdict.headline
    assert verdict.next_step
    assert verdict.evidence or kind == "silent"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("loss-not-finite", "since iteration 97"),
        ("silent", "Silent for 5 m 00 s, where 1.00 s is usual"),
        ("throttled", "thermal slowdown"),
        ("data-bound", "Probably bound by data: the training loop waits"),
        ("failed", "Out of memory."),
        ("slowed-down", "since iteration 60: 1.20 × the time"),
        ("stop-heavy", "Checkpoint takes 28.6 %"),
        ("compute-bound", "Healthy: 2.00 × the floor; not data-bound."),
        ("low-mfu", "5.00 × the floor although the GPU never pauses"),
        ("wrong-mfu-denominator", "160 % is of another GPU's peak"),
    ],
)
def test_the_headline_says_it_in_plain_words(kind: str, words: str) -> None:
    assert words in judge(CASES[kind], RunInfo()).headline


def test_the_error_of_a_process_outweighs_that_of_its_launcher() -> None:
    said = ("[rank1]: ValueError: no such split", "torch.distributed...errors.ChildFailedError:")
    verdict = judge(
        found(ended="failed", messages=tuple(fd.RunMessage(text, "error") for text in said)), RunInfo()
    )
    assert verdict.evidence == said[:1]


def test_an_idle_gpu_and_a_reading_disk_are_data_bound_without_hooks() -> None:
    reading = load(power_share=0.3, read_bytes_per_s=400e6, io_pressure=0.3)
    starved = judge(found(audit=SLOW, load=reading), RunInfo())
    assert starved.kind == "data-bound"
    assert starved.headline.startswith("Bound by data: the GPU")
    assert (starved.gain_low, starved.gain_high) == (1.0, 5.0)  # whatever the floor leaves
    floorless = judge(found(audit=Audit(), load=reading), RunInfo())
    assert (floorless.kind, floorless.gain_high) == ("data-bound", None)
    busy = load(power_share=0.95, read_bytes_per_s=400e6, io_pressure=0.3)
    assert judge(found(audit=SLOW, load=busy), RunInfo()).kind == "low-mfu"


def test_a_loop_that_waits_while_the_gpu_works_is_not_data_bound() -> None:
    waiting = Throughput(data_wait_share=0.9)  # the loop runs ahead of the GPU and waits in its loader
    assert judge(found(throughput=waiting, load=load(power_share=0.95)), RunInfo()).kind == "compute-bound"
    assert judge(found(throughput=waiting, load=load(power_share=0.4)), RunInfo()).headline.startswith("Bound by")


def test_an_old_rise_that_the_level_has_left_is_not_told() -> None:
    left = Level(1.0, iterations=90, shifts=(fd.Shift(60, 1.0, 1.2, held=100),))
    assert judge(found(level=left), RunInfo()).kind == "compute-bound"


@pytest.mark.parametrize(("held", "kind"), [(40, False), (63, False), (80, True)])
def test_a_new_level_is_no_headline_before_it_has_held(held: int, kind: bool) -> None:
    durations = [1.0] * 200 + [1.2] * held
    findings = watched([Iteration(i, d) for i, d in enumerate(durations)]).findings()
    assert [shift.held for shift in findings.level.shifts] == [held]
    assert (findings.verdict.kind == "slowed-down") is kind


def test_what_each_gpu_achieves_is_not_said_where_their_number_is_assumed() -> None:
    audit = Audit(achieved_flops=1.96e15, estimated="1 GPU assumed")
    verdict = judge(found(audit=audit), RunInfo())
    assert any("1.96 PFLOP/s achieved by all GPUs" in e for e in verdict.evidence)
    assert not any("that fits" in e for e in verdict.evidence)


def test_what_is_achieved_is_that_of_one_gpu_of_many() -> None:
    said = judge(found(audit=Audit(achieved_flops=100e12, gpus=8)), RunInfo()).evidence
    assert "100 TFLOP/s achieved on each of 8 GPUs" in said
    assert any("GPUs can be, up to" in e for e in said)


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
    verdict = judge(CASES["stop-heavy"], RunInfo())
    assert "every 100 instead of every 50 saves 14.3 %" in verdict.next_step
    assert verdict.gain_high == pytest.approx(1 / (1 - 0.2857 / 2), rel=1e-3)
    assert verdict.gain_low == pytest.approx(1 / (1 - 0.85 * 0.2857 / 2), rel=1e-3)


def test_what_the_ledger_lost_is_what_can_be_gained() -> None:
    verdict = judge(CASES["recompiling"], RunInfo())  # 30 % of the time
    assert verdict.gain_low == pytest.approx(1 / 0.85)
    assert verdict.gain_high == pytest.approx(1 / 0.7)
    assert "30 % of the wall time in 8 iterations" in verdict.evidence
    assert "gains up to 1.43 ×" in verdict.next_step


def test_a_throttled_clock_bounds_what_cooling_gains() -> None:
    verdict = judge(CASES["throttled"], RunInfo())
    assert (verdict.gain_low, verdict.gain_high) == (1.0, pytest.approx(1 / 0.6))
    assert "thermal slowdown in 60 % of the samples" in verdict.evidence


def test_an_idle_gpu_alone_is_not_called_data_bound() -> None:
    idle = judge(found(audit=SLOW, load=load(power_share=0.3)), RunInfo())
    assert idle.kind == "low-mfu"
    assert "waits for something" in idle.next_step


def test_room_in_memory_is_said() -> None:
    assert "70 % of its memory is free" in judge(CASES["low-mfu"], RunInfo()).next_step
    full = found(audit=SLOW, load=load(power_share=0.9, memory_share=0.9))
    assert "memory" not in judge(full, RunInfo()).next_step.replace("memory-bound", "")


def test_without_samples_it_says_what_it_cannot_know() -> None:
    verdict = judge(found(), RunInfo())
    assert verdict.kind == "compute-bound"
    assert any("no GPU samples" in u for u in verdict.unknowable)
    unsynced = judge(found(), RunInfo(synchronised=False))
    assert any("does not wait" in u for u in unsynced.unknowable)
    both = lost(events.EVALUATION_AND_CHECKPOINT, 0.01, 1)
    assert any("hooks tell" in u for u in judge(found(ledger=both), RunInfo()).unknowable)


def test_a_source_without_times_is_not_said_to_be_warming_up() -> None:
    verdict = judge(Findings(progress=Progress(iteration=56_000, iterations_seen=56_000)), RunInfo())
    assert verdict.kind == "too-little-known"
    assert "no iteration times" in verdict.headline


def test_a_clock_that_does_not_wait_is_told() -> None:
    verdict = judge(found(audit=audited(wall_over_logged=2.5)), RunInfo())
    assert verdict.kind == "clock-not-synchronised"
    assert "2.50 × too short" in verdict.headline
    assert "2.50 s by the clock on the wall, 1.00 s by the log" in verdict.evidence[0]
    assert judge(found(audit=audited(wall_over_logged=1.1)), RunInfo()).kind == "compute-bound"


def test_few_lines_of_a_log_that_prints_rarely_are_enough() -> None:
    rare = found(
        level=Level(clean_s=0.169, iterations=8, jitter=0.006),
        progress=Progress(iteration=1000, first_iteration=0, iterations_seen=11),
        audit=Audit(),
    )
    assert judge(rare, RunInfo()).kind == "too-little-known"
    assert judge(rare, RunInfo()).headline.startswith("Steady")


@given(
    mfu=st.floats(0.01, 0.99),
    wait=st.floats(0, 0.99),
    share=st.floats(0, 0.95),
    cause=st.sampled_from((events.GC, events.COMPILE, events.STRAGGLER, events.DATA)),
    power=st.none() | st.floats(0, 1),
    clock=st.floats(0.05, 1),
)
def test_no_promise_is_beyond_the_floor(
    mfu: float, wait: float, share: float, cause: str, power: float | None, clock: float
) -> None:
    findings = found(
        audit=audited(mfu=mfu, mfu_wall=mfu * 0.9, times_floor=1 / mfu),
        throughput=Throughput(data_wait_share=wait),
        ledger=lost(cause, share, 10),
        load=load(power_share=power, clock_share=clock, limits={"thermal": share}, trainer_cpu=1.0),
    )
    verdict = judge(findings, RunInfo())
    if verdict.gain_high is not None:
        assert verdict.gain_limit is not None
        assert 1.0 <= (verdict.gain_low or 0) <= verdict.gain_high <= verdict.gain_limit


def named(name: str) -> list[Event]:
    return [*run_a(gpu=None), Config(origin="--gpu-name", gpu_name=name)]


@pytest.mark.parametrize("telemetry", [True, False])
def test_run_a_is_healthy_and_not_data_bound(telemetry: bool) -> None:
    verdict = watched(run_a() if telemetry else named("NVIDIA H200")).findings().verdict
    assert verdict.headline == "Healthy: 1.93 × the floor; not data-bound."
    assert verdict.healthy is True
    said = " ".join(verdict.evidence)
    assert "51.9 % MFU" in said
    assert "even a cold disk of 5,000 IOPS needs 1.5 % of the time" in said
    assert "an A100's peak" in said
    assert ("power at 98.6 % of the limit" in said) is telemetry
    assert any("no GPU samples" in u for u in verdict.unknowable) is not telemetry
    assert "Its stops are the only wall time to win" in verdict.next_step
    assert "at most 1.93 × is left" in verdict.next_step


def test_run_a_without_the_name_of_its_gpu_is_still_not_data_bound() -> None:
    verdict = watched(run_a(gpu=None)).findings().verdict
    assert verdict.kind == "wrong-mfu-denominator"
    assert "not data-bound" in verdict.headline
    assert any("the slowest that fits is" in e for e in verdict.evidence)


def on_the_cpu(**parts: object) -> str:
    unknown = {"audit.mfu": "it trains on the CPU, whose peak is not known: give --peak-flops"}
    findings = found(audit=Audit(), config=Config(extra={"device": "cpu"}), unknown=unknown, **parts)
    verdict = judge(findings, RunInfo())
    return " ".join([verdict.headline, verdict.next_step, *verdict.unknowable])


def test_a_run_on_the_cpu_is_not_asked_for_its_gpu() -> None:
    said = on_the_cpu(load=load(trainer_cpu=1.0), machine=HostSample(1.0, machine_cores=16))
    assert "keeps 1.0 of 16 cores busy: let it use more threads" in said
    assert "GPU" not in said
    said = on_the_cpu(load=load(trainer_cpu=15.0), machine=HostSample(1.0, machine_cores=16))
    assert "a smaller model or a GPU" in said
    assert "--gpu-name" not in on_the_cpu()
    assert "no GPU samples" not in on_the_cpu()


def test_why_there_is_no_peak_on_the_cpu_and_that_a_named_gpu_wins() -> None:
    times: list[Event] = [Iteration(i, 1.0) for i in range(40)]
    audits = [
        watched([Config(extra={"device": "cpu"}, gpu_name=name), *times]).findings()
        for name in (None, "NVIDIA H200")
    ]
    assert "trains on the CPU" in audits[0].unknown["audit.mfu"]
    assert audits[1].audit.peak_flops == pytest.approx(989.4e12)


def test_a_loop_that_measured_no_wait_at_all_is_not_data_bound() -> None:
    verdict = judge(found(throughput=Throughput(data_wait_share=0.0)), RunInfo())
    assert verdict.headline == "Healthy: 2.00 × the floor; not data-bound."


def test_a_warm_up_that_is_over_is_no_longer_to_be_won() -> None:
    """Of 100 s half were warm-up and 5 s an evaluation; what goes on is 2 × the floor, and its stops."""
    parts = ((events.TRAINING, 45), (events.WARMUP, 50), (events.EVALUATION, 5))
    ledger = tuple(LedgerRow(cause, s, s / 100) for cause, s in parts)
    assert judge(found(ledger=ledger), RunInfo()).gain_limit == pytest.approx(2.0 * 50 / 45)


def test_nobody_waits_for_data_in_an_evaluation() -> None:
    """Evaluations take half of the time: without any wait the run takes 1 - 0.5 × 0.8 of it."""
    stops = fd.Eta(schedules=(fd.Schedule(events.EVALUATION, 100, seen=3, mean_s=100.0),))
    audit = audited(times_floor=20.0, mfu=0.05)
    verdict = judge(found(throughput=Throughput(data_wait_share=0.8), eta=stops, audit=audit), RunInfo())
    assert verdict.kind == "data-bound"
    assert verdict.gain_high == pytest.approx(1 / 0.6)
    assert "the training loop waits for data 80 % of an iteration, as it measured itself" in verdict.evidence


def test_a_cold_disk_that_could_not_keep_up_is_not_said_to_do_even_so() -> None:
    """64 reads of 2 KiB in iterations of 10 ms."""
    audit = Audit(data_reads_per_iteration=64, data_bytes_per_s=13e6, cold_disk_high_s=0.019)
    said = " ".join(judge(found(level=Level(0.01, jitter=0.004, iterations=100), audit=audit), RunInfo()).evidence)
    assert "a cold disk of 5,000 IOPS would need 1.90 × the iteration" in said
    assert "even" not in said


def test_one_is_no_plural() -> None:
    one = {"level": Level(), "progress": Progress(iteration=0, first_iteration=0, iterations_seen=1)}
    assert judge(found(**one, ended="finished"), RunInfo()).headline.startswith("Ended after 1 iteration:")
    young = judge(found(**{**one, "level": Level(1.0, iterations=1)}), RunInfo())
    assert young.evidence == ("1 normal time so far; 12 are needed",)


def test_a_log_that_prints_rarely_is_not_said_to_warm_up_for_thousands_of_iterations() -> None:
    """fairseq prints an epoch of about a thousand."""
    passed = {"level": Level(0.2, iterations=4), "progress": Progress(5_904, 1_000, iterations_seen=4_908)}
    verdict = judge(found(**passed), RunInfo())
    assert verdict.headline == "Few lines so far: too early to say."
    assert verdict.evidence == ("4 normal times so far; 5 are needed",)
    ended = judge(found(**passed, ended="finished"), RunInfo())
    assert ended.headline == "Ended after 4,908 iterations: too few lines to judge its speed."


def test_faster_than_one_gpu_is_not_blamed_on_the_clock_where_nobody_counted_them() -> None:
    """Eight GPUs at 50 % MFU, taken for one: 4 × its peak."""
    verdict = judge(found(audit=audited(times_floor=0.25, mfu=4.0, estimated="1 GPU assumed")), RunInfo())
    assert verdict.kind == "too-little-known"
    assert verdict.headline == "Faster than one GPU can be: 4 or more must share the work."
    assert "--world-size" in verdict.next_step
