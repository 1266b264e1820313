"""What a run is when nothing is wrong with it, and when little is known."""

from __future__ import annotations

import pytest
from made_findings import SLOW, audited, facts, found, load, lost
from seed_runs import run_a, watched

from itermon import events
from itermon.analysis.findings import Audit, Eta, Findings, Level, Progress, Schedule, Throughput
from itermon.analysis.verdict import health
from itermon.analysis.verdict.verdict import judge
from itermon.events import ClockKind, Config, Event, HostSample, Iteration, RunInfo


@pytest.mark.parametrize(
    ("iterations", "passed", "enough"),
    [(12, 12, True), (11, 11, False), (5, 100, True), (5, 99, False), (4, 1_000, False)],
)
def test_twelve_iterations_are_enough_or_five_of_a_hundred(iterations: int, passed: int, enough: bool) -> None:
    progress = Progress(iteration=7 + passed, first_iteration=7, iterations_seen=iterations)
    said = health.too_early(facts(level=Level(1.0, iterations=iterations), progress=progress))
    assert (said is None) is enough


def test_a_hundred_iterations_of_few_lines_are_no_warm_up() -> None:
    for passed, headline in ((100, "Few lines so far"), (99, "Warming up")):
        progress = Progress(iteration=passed, first_iteration=0, iterations_seen=4)
        said = health.too_early(facts(level=Level(1.0, iterations=4), progress=progress))
        assert said is not None
        assert said.headline == f"{headline}: too early to say."
    rare = Progress(iteration=100, iterations_seen=5)
    assert health.too_early(facts(level=Level(1.0, iterations=5), progress=rare)) is None


def test_before_the_first_iteration_there_is_nothing_to_see() -> None:
    unknown = health.too_early(facts(level=Level(), progress=Progress()))
    assert unknown is not None
    assert unknown.next_step.endswith("describe them: itermon formats new NAME.")
    said = health.too_early(facts(level=Level(), progress=Progress(), source_format="nanoGPT log"))
    assert said is not None
    assert (said.kind, said.headline, said.evidence) == ("warming-up", "No iteration seen yet.", ())
    assert said.next_step == "Wait: the first iterations compile, fill caches and often evaluate."


def test_a_run_that_warms_up_counts_what_it_still_needs() -> None:
    said = health.too_early(facts(level=Level(1.0, iterations=3), progress=Progress(iterations_seen=3)))
    assert said is not None
    assert said.headline == "Warming up: too early to say."
    assert said.evidence == ("3 normal iterations so far; 12 are needed.",)


def test_times_that_no_line_holds_are_not_waited_for() -> None:
    for seen, kind in ((12, "too-little-known"), (11, "warming-up")):
        said = health.too_early(facts(level=Level(), progress=Progress(iterations_seen=seen)))
        assert said is not None
        assert said.kind == kind


@pytest.mark.parametrize(
    ("clock", "power", "capped", "said"),
    [
        (0.84, 0.99, 0.5, True),
        (0.85, 0.99, 0.5, False),
        (None, 0.99, 0.5, False),
        (0.84, 0.79, 0.5, False),
        (0.84, 0.99, 0.49, False),
        (0.84, 0.99, None, False),
    ],
)
def test_a_power_cap_is_told_where_it_holds_a_busy_clock_down(
    clock: float | None, power: float, capped: float | None, said: bool
) -> None:
    limits = {} if capped is None else {"power cap": capped}
    made = facts(load=load(clock_share=clock, power_share=power, limits=limits))
    diagnosis = health.power_capped(made)
    assert (diagnosis is not None) is said
    if diagnosis:
        assert diagnosis.healthy
        assert diagnosis.gain == (1.0, 1 / 0.84)


@pytest.mark.parametrize(
    ("distance", "power", "bound"), [(2.9, 0.9, True), (2.91, 0.9, False), (2.0, 0.49, False)]
)
def test_near_its_floor_a_gpu_computes(distance: float, power: float, bound: bool) -> None:
    made = facts(audit=audited(times_floor=distance), load=load(power_share=power))
    assert (health.compute_bound(made) is not None) is bound


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"load": load(power_share=0.9)}, True),
        ({"load": load(power_share=0.7)}, False),
        ({"audit": audited(cold_disk_high_s=0.09)}, True),
        ({"audit": audited(cold_disk_high_s=0.1)}, False),
        ({"throughput": Throughput(data_wait_share=0.019)}, True),
        ({"throughput": Throughput(data_wait_share=0.02)}, False),
        ({}, False),
    ],
)
def test_not_data_bound_is_said_for_a_reason(parts: dict[str, object], said: bool) -> None:
    diagnosis = health.compute_bound(facts(**parts))
    assert diagnosis is not None
    assert diagnosis.headline == f"Healthy. 50 % MFU{'; data keeps up' * said}."


def test_a_healthy_run_can_gain_what_tuned_code_reaches_and_its_stops() -> None:
    stops = Eta(schedules=(Schedule(events.EVALUATION, 50, seen=2, mean_s=2.5),))
    diagnosis = health.compute_bound(facts(eta=stops))
    assert diagnosis is not None
    assert diagnosis.gain == (1.0, pytest.approx(0.6 / 0.5 / (1 - 2.5 / 52.5)))
    assert "Evaluations every 100 iterations instead of 50 save about 2 %" in diagnosis.next_step
    assert diagnosis.next_step.startswith("At most 2.00 × faster; 1.20 × is realistic (60 % MFU).")
    tuned = health.compute_bound(facts(audit=audited(mfu=0.6, times_floor=1.67)))
    assert tuned is not None
    assert tuned.gain == (1.0, 1.0)
    assert tuned.next_step.startswith("No action needed: at most 1.67 × faster in theory")


@pytest.mark.parametrize(("share", "said"), [(0.004, False), (0.006, True)])
def test_stops_of_half_a_percent_are_worth_a_word(share: float, said: bool) -> None:
    diagnosis = health.compute_bound(facts(ledger=lost(events.EVALUATION, share, 4)))
    assert diagnosis is not None
    assert ("half as often" in diagnosis.next_step) is said


@pytest.mark.parametrize(
    ("power", "why"),
    [
        (0.9, "Profile ten iterations: small matrices"),
        (0.6, "The GPU often waits."),
        (None, "Profile ten iterations: nothing here shows whether"),
    ],
)
def test_far_from_the_floor_the_power_says_where_to_look(power: float | None, why: str) -> None:
    diagnosis = health.inefficient(facts(audit=SLOW, load=load(power_share=power)))
    assert diagnosis is not None
    assert diagnosis.next_step.startswith(why)
    assert diagnosis.next_step.endswith("At most 5.00 × faster.")
    assert diagnosis.gain == (1.0, pytest.approx(3.0))
    assert ("although the GPU is always busy" in diagnosis.headline) is (power == 0.9)


@pytest.mark.parametrize(("used", "said"), [(0.69, True), (0.7, False), (None, False)])
def test_free_memory_is_told_from_three_tenths_on(used: float | None, said: bool) -> None:
    diagnosis = health.inefficient(facts(audit=SLOW, load=load(memory_share=used)))
    assert diagnosis is not None
    assert ("of its memory is free" in diagnosis.next_step) is said


def test_without_mfu_or_floor_nothing_is_inefficient() -> None:
    assert health.inefficient(facts(audit=Audit())) is None
    assert health.inefficient(facts(audit=audited(mfu=None))) is None


@pytest.mark.parametrize(("logged", "wrong"), [(None, False), (1.0, False), (1.01, True)])
def test_more_than_all_of_a_peak_is_another_s(logged: float | None, wrong: bool) -> None:
    diagnosis = health.wrong_denominator(facts(audit=Audit(logged_mfu=logged)))
    assert (diagnosis is not None) is wrong
    if diagnosis:
        assert diagnosis.healthy
        assert diagnosis.headline == "The log's 101 % MFU is wrong: it assumes another GPU."


def test_data_that_a_cold_disk_could_give_is_said_not_to_bind() -> None:
    for need_s, said in ((0.09, True), (0.11, False)):
        diagnosis = health.wrong_denominator(facts(audit=Audit(logged_mfu=1.5, cold_disk_high_s=need_s)))
        assert diagnosis is not None
        assert diagnosis.headline.endswith("another GPU; data keeps up.") is said


@pytest.mark.parametrize(("trainings", "most"), [(1, "iteration times"), (2, "times of the newest training")])
def test_times_of_which_some_are_far_from_a_steady_level_are_mostly_alike(trainings: int, most: str) -> None:
    level, progress = Level(1.0, jitter=0.01, iterations=40, strays=0.1), Progress(trainings=trainings)
    said = health.little_known(facts(audit=Audit(), level=level, progress=progress))
    assert said.headline == f"Most {most} are alike."


@pytest.mark.parametrize(
    ("jitter", "headline", "healthy"),
    [
        (0.03, "Iteration times are steady", True),
        (0.04, "Iteration times vary", None),
        (None, "Most iterations differ by less than the log's clock tells", None),
    ],
)
def test_times_alone_are_steady_or_not(jitter: float | None, headline: str, healthy: bool | None) -> None:
    diagnosis = health.little_known(facts(audit=Audit(), level=Level(1.0, jitter=jitter, iterations=40)))
    assert diagnosis.headline == f"{headline}."
    assert diagnosis.healthy is healthy
    assert diagnosis.next_step == "Give --gpu-name and --config to see how fast it could be."


def test_stops_are_told_of_a_run_of_which_little_is_known() -> None:
    diagnosis = health.little_known(facts(audit=Audit(), ledger=lost(events.EVALUATION, 0.05, 4)))
    assert diagnosis.headline == "Iteration times are steady; evaluation takes 5 % of the logged time."
    assert "Evaluations half as often save about 2 %" in diagnosis.next_step


@pytest.mark.parametrize(
    ("cause", "of"), [(events.EVALUATION, "of all trainings, evaluation takes"), (events.PAUSE, "pause")]
)
def test_a_share_of_all_trainings_stands_beside_the_newest_one_with_that_word(cause: str, of: str) -> None:
    given = facts(audit=Audit(), ledger=lost(cause, 0.05, 4), progress=Progress(trainings=3))
    assert health.little_known(given).headline.startswith(f"The newest training is steady; {of}")


@pytest.mark.parametrize(("used", "threads"), [(12.0, True), (12.1, False), (None, False)])
def test_cores_that_are_free_are_told_of_a_run_on_the_cpu(used: float | None, threads: bool) -> None:
    made = facts(
        audit=Audit(),
        config=Config(extra={"device": "cpu"}),
        load=load(trainer_cpu=used),
        machine=HostSample(1.0, machine_cores=16),
    )
    assert ("more threads" in health.little_known(made).next_step) is threads


def test_an_idle_gpu_alone_is_not_called_data_bound() -> None:
    idle = judge(found(audit=SLOW, load=load(power_share=0.3)), RunInfo())
    assert idle.kind == "low-mfu"
    assert "The GPU often waits" in idle.next_step


def test_room_in_memory_is_said() -> None:
    assert (
        "70 % of its memory is free"
        in judge(found(audit=SLOW, load=load(power_share=0.9, memory_share=0.3)), RunInfo()).next_step
    )
    full = found(audit=SLOW, load=load(power_share=0.9, memory_share=0.9))
    assert "memory" not in judge(full, RunInfo()).next_step.replace("memory-bound", "")


def test_a_source_without_times_is_not_said_to_be_warming_up() -> None:
    verdict = judge(Findings(progress=Progress(iteration=56_000, iterations_seen=56_000)), RunInfo())
    assert verdict.kind == "too-little-known"
    assert "No iteration has a time that itermon can read" in verdict.headline
    hooked = judge(Findings(progress=Progress(iterations_seen=56_000)), RunInfo(clock=ClockKind.HOOK))
    assert "hooks.begin()" in hooked.next_step


def test_without_a_time_of_an_iteration_a_printed_rate_is_its_speed() -> None:
    rate = Throughput(logged_tokens_per_s=332.0)
    verdict = judge(Findings(progress=Progress(iteration=40, iterations_seen=40), throughput=rate), RunInfo())
    assert verdict.headline == "No iteration has a time that itermon can read; the log prints 332 tokens/s."


def test_only_what_is_missing_is_asked_for() -> None:
    with_size = Audit(flops_per_iteration=1e15)
    assert health.little_known(facts(audit=with_size)).next_step == "Give --gpu-name to see how fast it could be."
    whole = Audit(flops_per_iteration=1e15, peak_flops=1e15)
    assert health.little_known(facts(audit=whole)).next_step == health.NO_ACTION


def test_few_lines_of_a_log_that_prints_rarely_are_enough() -> None:
    rare = found(
        level=Level(clean_s=0.169, iterations=8, jitter=0.006),
        progress=Progress(iteration=1000, first_iteration=0, iterations_seen=11),
        audit=Audit(),
    )
    assert judge(rare, RunInfo()).kind == "too-little-known"
    assert judge(rare, RunInfo()).headline.startswith("Iteration times are steady")


def named(name: str) -> list[Event]:
    return [*run_a(gpu=None), Config(origin="--gpu-name", gpu_name=name)]


@pytest.mark.parametrize("telemetry", [True, False])
def test_run_a_is_healthy_and_its_data_keeps_up(telemetry: bool) -> None:
    verdict = watched(run_a() if telemetry else named("NVIDIA H200")).findings().verdict
    assert verdict.headline == "Healthy. 51.9 % MFU; data keeps up (100 kB/s)."
    assert verdict.healthy is True
    said = " ".join(verdict.evidence)
    assert "MFU is 51.9 %" in said
    assert "even a disk without cache (5,000 IOPS) needs 1.5 % of an iteration" in said
    assert "it assumes an A100" in said
    assert ("The GPU uses 98.6 % of its power limit" in said) is telemetry
    assert any("no GPU samples" in u for u in verdict.unknowable) is not telemetry
    assert verdict.next_step.startswith("At most 1.93 × faster; 1.16 × is realistic (60 % MFU). Evaluations and")


def test_run_a_without_the_name_of_its_gpu_is_still_not_data_bound() -> None:
    verdict = watched(run_a(gpu=None)).findings().verdict
    assert verdict.kind == "wrong-mfu-denominator"
    assert "data keeps up" in verdict.headline
    assert any("The GPU must be an H100" in e for e in verdict.evidence)


def on_the_cpu(**parts: object) -> str:
    unknown = {"audit.mfu": "it trains on the CPU, whose peak is not known; give --peak-flops"}
    findings = found(audit=Audit(), config=Config(extra={"device": "cpu"}), unknown=unknown, **parts)
    verdict = judge(findings, RunInfo())
    return " ".join([verdict.headline, verdict.next_step, *verdict.unknowable])


def test_a_run_on_the_cpu_is_not_asked_for_its_gpu() -> None:
    said = on_the_cpu(load=load(trainer_cpu=1.0), machine=HostSample(1.0, machine_cores=16))
    assert "uses 1.00 of 16 cores: try more threads" in said
    assert "GPU" not in said
    said = on_the_cpu(load=load(trainer_cpu=15.0), machine=HostSample(1.0, machine_cores=16))
    assert "a GPU may make it faster" in said, "the environment of an agent may take the time"
    assert "only" not in said
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
    assert verdict.headline == "Healthy. 50 % MFU; data keeps up."


def test_one_is_no_plural() -> None:
    one = {"level": Level(), "progress": Progress(iteration=0, first_iteration=0, iterations_seen=1, wall_s=1.0)}
    assert judge(found(**one, ended="finished"), RunInfo()).headline.startswith("Ended after 1 iteration:")
    young = judge(found(**{**one, "level": Level(1.0, iterations=1)}), RunInfo())
    assert young.evidence == ("1 normal iteration so far; 12 are needed.",)


def test_a_log_that_prints_rarely_is_not_said_to_warm_up_for_thousands_of_iterations() -> None:
    """fairseq prints an epoch of about a thousand."""
    passed = {"level": Level(0.2, iterations=4), "progress": Progress(5_904, 1_000, iterations_seen=4_908)}
    verdict = judge(found(**passed), RunInfo())
    assert verdict.headline == "Few lines so far: too early to say."
    assert verdict.evidence == ("4 normal iterations so far; 5 are needed.",)
    ended = judge(found(**passed, ended="finished"), RunInfo())
    assert ended.headline == "Ended after 4,908 iterations: too few times to judge its speed."


@pytest.mark.parametrize(("share", "named"), [(0.004, False), (0.005, True), (0.05, True)])
def test_half_a_percent_that_nothing_explains_is_worth_a_search(share: float, named: bool) -> None:
    for cause in (events.UNEXPLAINED, events.GAP):
        diagnosis = health.compute_bound(facts(ledger=lost(cause, share, 4)))
        assert diagnosis is not None
        assert ("to see what takes the unexplained time." in diagnosis.next_step) is named
