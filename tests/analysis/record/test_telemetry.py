"""What is usual of GPUs and machine, from samples."""

import pytest

from itermon.analysis.record.telemetry import Telemetry
from itermon.analysis.run import Run
from itermon.events import GpuSample, HostSample, Iteration
from itermon.reports.evidence import alongside

# The bounds as numbers of its own: from the code, a test would move with them.
KEPT, MOST_GPUS = 1_024, 128


def test_power_of_all_gpus_adds_up_and_a_dip_does_not_count() -> None:
    telemetry = Telemetry()
    for t in range(100):
        for gpu in (0, 1):
            power = 90.0 if 40 <= t < 60 else 690.0
            telemetry.add(GpuSample(float(t), gpu, power_w=power, power_limit_w=700.0, limits=("power cap",)))
    load = telemetry.load()
    assert load is not None
    assert load.power_w == 1380.0
    assert load.power_share == pytest.approx(0.986, abs=1e-3)
    assert load.limits == {"power cap": 1.0}
    assert load.span_s == 99.0


def test_a_gpu_that_does_not_tell_leaves_the_sum_unknown() -> None:
    telemetry = Telemetry()
    telemetry.add(GpuSample(0.0, 0, power_w=300.0))
    telemetry.add(GpuSample(0.0, 1))
    load = telemetry.load()
    assert load is not None
    assert load.power_w is None
    assert load.power_share is None


def test_a_part_of_a_gpu_and_a_lost_one_say_nothing_of_a_whole_gpu() -> None:
    telemetry = Telemetry()
    telemetry.add(GpuSample(0.0, 0, mig=1, power_w=300.0))
    telemetry.add(GpuSample(0.0, 1, lost=True))
    assert telemetry.use(None) is None


def test_old_samples_leave_and_memory_is_bounded() -> None:
    telemetry = Telemetry()
    for t in range(3 * KEPT):
        telemetry.add(GpuSample(float(t), power_w=100.0 if t < 2 * KEPT else 200.0))
        telemetry.add(HostSample(float(t), interval_s=2.0, read_bytes=20, compile_workers=t))
    load = telemetry.load()
    assert load is not None
    assert (load.power_w, load.read_bytes_per_s) == (200.0, 10.0)
    assert load.compile_workers == 3 * KEPT - 1
    machine = telemetry.machine()
    assert machine is not None
    assert machine.at_s == 3 * KEPT - 1
    assert len(telemetry.history(0, None)) == KEPT


def test_without_samples_there_is_no_load() -> None:
    assert Telemetry().load() is None
    assert Telemetry().newest() == ()
    assert Telemetry().machine() is None


def run_with_a_checkpoint() -> Run:
    """Twenty seconds of training at 690 W on two GPUs, then ten in which power falls and a gigabyte is written."""
    run = Run()
    for second in range(31):
        saving = second > 20
        for gpu in range(2):
            energy_j = 690.0 * min(second, 20) + 190.0 * max(second - 20, 0)
            run.apply([
                GpuSample(1000.0 + second + gpu / 100, gpu, power_w=190.0 if saving else 690.0,
                          sm_clock_hz=1.98e9, memory_used_bytes=10**9, energy_j=energy_j),
            ])  # fmt: skip
        written = 100_000_000 if saving else 0
        run.apply([HostSample(1000.0 + second, 1.0, trainer_cpu=1.0, read_bytes=0, write_bytes=written)])
    return run


def test_the_seconds_of_an_iteration_show_what_the_machine_did_and_what_was_usual():
    found = run_with_a_checkpoint().intake.telemetry.alongside(1020.5, 1029.5)
    assert found is not None
    assert found.power_w == pytest.approx(2 * 190.0, rel=0.06)
    assert found.usual_power_w == 2 * 690.0
    assert found.memory_used_bytes == 2e9
    assert found.write_bytes == pytest.approx(9e8, rel=0.06)
    assert found.read_bytes == 0
    assert found.energy_j == pytest.approx(9 * 380, rel=0.06)
    assert "power 380 W (usually 1,380) · clock 1,980 MHz" in alongside(found)


def test_an_iteration_that_nobody_sampled_shows_nothing_of_the_machine():
    assert run_with_a_checkpoint().intake.telemetry.alongside(10.0, 20.0) is None
    assert Run().intake.telemetry.alongside(0.0, 1.0) is None


def test_the_opened_spike_and_the_report_carry_the_machine():
    run = run_with_a_checkpoint()
    run.apply([Iteration(0, 9.0, at_s=1029.5)])
    spike = run.spike(0)
    assert spike is not None
    assert spike.alongside is not None


def test_the_energy_of_a_run_is_that_of_the_counters():
    audit = run_with_a_checkpoint().findings().audit
    assert audit.energy_run_j == pytest.approx(2 * (690 * 20 + 190 * 10))
    assert audit.energy_span_s == pytest.approx(30)


def test_energy_without_a_counter_is_power_over_time_and_never_across_a_gap():
    run = Run()
    run.apply([GpuSample(t, 0, power_w=500.0) for t in (0.0, 1.0, 2.0, 600.0, 601.0)])
    assert run.intake.telemetry.energy() == (1500.0, 3.0)


def test_the_power_of_some_gpus_is_not_that_of_all():
    run = Run()
    run.apply([GpuSample(t, gpu, power_w=None if gpu else 500.0) for t in (0.0, 1.0, 2.0) for gpu in (0, 1)])
    found = run.intake.telemetry.alongside(0.5, 1.5)
    assert found is None or found.power_w is None


def test_energy_is_not_known_where_one_gpu_does_not_tell():
    run = Run()
    run.apply([GpuSample(t, gpu, power_w=None if gpu else 500.0) for t in (0.0, 1.0) for gpu in (0, 1)])
    assert run.intake.telemetry.energy() is None
    assert run.findings().audit.energy_run_j is None


def sampled(*at_s: float) -> Telemetry:
    telemetry = Telemetry()
    for second in at_s:
        telemetry.add(GpuSample(second, power_w=100.0))
    return telemetry


def test_samples_of_a_second_are_whole_a_second_after_it() -> None:
    telemetry = sampled(10.0, 20.0)
    assert [telemetry.behind(at_s) for at_s in (18.0, 19.0, 19.5, 21.0)] == [False, False, True, True]
    for at_s in (22.0, 25.0):
        telemetry.add(HostSample(at_s, 1.0))
        assert [telemetry.behind(at_s - before_s) for before_s in (1.0, 0.5)] == [False, True]
    assert not Telemetry().behind(0.0)


def test_a_pass_over_the_gpus_speaks_for_the_time_since_the_one_before_unless_that_is_long_ago() -> None:
    telemetry = sampled(0.0, 4.0, 9.0, 18.75, 28.75, 29.0)
    assert [*telemetry._gpu_history.span_s] == [0.0, 4.0, 5.0, 9.75, 1.0], "the newest pass may not be whole"


def test_samples_between_two_times_hold_one_second_more_at_the_end() -> None:
    telemetry = sampled(9.0, 10.0, 15.0, 21.0, 21.5)
    telemetry.add(HostSample(10.0, 1.0))
    gpus, host = telemetry.samples_between(10.0, 20.0)
    assert {s.at_s for s in gpus} == {10.0, 15.0, 21.0}
    assert [s.at_s for s in host] == [10.0]


def test_the_load_is_that_of_the_newest_five_minutes_both_ends_included() -> None:
    telemetry = Telemetry()
    for at_s, cpu in ((99.0, 9.0), (100.0, 1.0), (400.0, 3.0)):
        telemetry.add(HostSample(at_s, 1.0, trainer_cpu=cpu))
    load = telemetry.load()
    assert load is not None
    assert (load.span_s, load.trainer_cpu) == (300.0, 2.0)


def test_energy_comes_from_the_counter_where_there_is_one_and_else_from_power() -> None:
    telemetry = Telemetry()
    for at_s, energy_j in ((0.0, 1_000.0), (2.0, 1_500.0), (4.0, 100.0), (6.0, None), (30.0, None)):
        telemetry.add(GpuSample(at_s, power_w=300.0, energy_j=energy_j))
    # 500 J counted; 2 s at 300 W where the counter began anew, and where it is not given; 24 s without a sample.
    assert telemetry.energy() == (500.0 + 600.0 + 600.0, 6.0)


def test_more_gpus_than_there_can_be_are_left_out_and_reported_once() -> None:
    run = Run()
    run.apply([GpuSample(float(gpu // 1000), gpu, power_w=90.0) for gpu in range(3 * MOST_GPUS)])
    found = run.findings()
    assert [gpu.gpu for gpu in found.gpus] == [*range(MOST_GPUS)]
    assert [m.text for m in found.messages] == ["more than 128 GPUs: the samples of the others are left out"]


def test_a_run_whose_own_gpus_are_silent_for_long_has_no_load() -> None:
    telemetry = Telemetry()
    for t in range(0, 6_000, 2):
        if t < 200:
            telemetry.add(GpuSample(float(t), 0, power_w=300.0, utilization=0.9, trainer_memory_bytes=1 << 33))
        telemetry.add(GpuSample(float(t), 1, power_w=300.0, utilization=0.9, trainer_memory_bytes=0))
    run = telemetry.use(None)
    assert run is not None
    assert (run.ours, telemetry.load()) == ((0,), None)


def test_a_counter_of_energy_may_begin_at_nothing_and_begin_anew():
    run = Run()
    run.apply([GpuSample(float(t), 0, energy_j=joules) for t, joules in enumerate((0.0, 0.0, 40.0, 5.0, 7.0))])
    assert run.intake.telemetry.energy() == (42.0, 3.0)


@pytest.mark.parametrize(("memory", "joules"), [(0, 300.0 * 98), (1 << 33, None)])
def test_power_that_cannot_be_leaves_the_energy_unknown_where_it_is_of_the_run(
    memory: int, joules: float | None
) -> None:
    """A second GPU draws twice what its limit allows: another job's says nothing of this run."""
    telemetry = Telemetry()
    for t in range(99):
        for gpu, watts, ours in ((0, 300.0, 1 << 33), (1, 1_400.0, memory)):
            telemetry.add(
                GpuSample(
                    float(t), gpu, power_w=watts, power_limit_w=700.0, utilization=0.9, trainer_memory_bytes=ours
                )
            )
    used = telemetry.use(None)
    assert used is not None
    assert list(used.impossible_power) == ["1"]
    found = telemetry.energy()
    assert (None if found is None else found[0]) == joules


def test_a_pass_over_the_gpus_ends_with_the_last_of_them() -> None:
    telemetry = Telemetry()
    for at_s in (0.0, 1.0, 2.0):
        for gpu in (0, 1):
            telemetry.add(GpuSample(at_s + gpu / 4, gpu, power_w=100.0))
    assert [*telemetry._gpu_history.at_s] == [0.25, 1.25]


def test_samples_that_come_rarely_speak_for_the_time_between_them() -> None:
    telemetry = sampled(*(20.0 * n for n in range(6)))
    assert telemetry.energy() == (4 * 20.0 * 100.0, 80.0), "since it is known that they come rarely"
    assert [*telemetry._gpu_history.span_s] == [0.0, 20.0, 20.0, 20.0, 20.0]


def test_the_load_of_the_gpus_is_that_of_the_newest_five_minutes() -> None:
    telemetry = Telemetry()
    for at_s, power_w in ((99.0, 900.0), (100.0, 100.0), (400.0, 300.0)):
        telemetry.add(GpuSample(at_s, power_w=power_w))
    load = telemetry.load()
    assert load is not None
    assert (load.span_s, load.power_w) == (300.0, 200.0)


def test_whose_gpus_these_are_is_asked_after_each_of_the_first_passes_and_then_seldom() -> None:
    telemetry, found, asked = sampled(0.0), None, []
    for number in range(1, 200):
        telemetry.add(GpuSample(float(number), power_w=100.0))
        before, found = found, telemetry.use(1)
        asked += [number] * (found is not before)
        assert telemetry.use(1) is found
    assert asked == [*range(1, 64), 127, 191]
    assert telemetry.use(2) is not found, "another number of them was told"


@pytest.mark.parametrize("later_s", [0.0, -0.5])
def test_a_clock_that_stands_still_or_was_set_back_measures_no_energy(later_s: float) -> None:
    assert sampled(10.0, 10.0 + later_s).energy() is None


def test_how_often_samples_come_is_learnt_while_they_are_few() -> None:
    """At first a second, and then 20 s apart: the third of these is known to be usual."""
    assert sampled(0.0, 1.0, 21.0, 41.0, 61.0, 81.0).energy() == (100.0 * (1 + 20 + 20), 41.0)
