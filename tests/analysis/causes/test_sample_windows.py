"""What GPU and host did in a slow iteration decides what it was, where no line and no hook says so."""

import pytest
from simulated_runs import watched

from itermon.analysis.causes.sample_windows import SampleWindow, _apart, measure, suspect
from itermon.analysis.findings import Cause
from itermon.analysis.run import Run
from itermon.events import (
    Event,
    GpuSample,
    HostSample,
    Iteration,
    RunInfo,
    SpanBegin,
    SpanEnd,
)


def stop(*phases: tuple[float, float, int, int], lines: tuple[Event, ...] = ()) -> Run:
    """2 s iterations; number 100 begins with `phases`: seconds, power share, bytes a second read and written."""
    at_s, timed = 1000.0, []
    spans: list[tuple[float, float, float, int, int]] = []
    for i in range(130):
        begun_s = at_s
        if i == 100:
            for seconds, share, read, written in phases:
                spans.append((at_s, at_s + seconds, share, read, written))
                at_s += seconds
            timed += [(at_s, line) for line in lines]
        at_s += 2.0
        timed.append((at_s, Iteration(i, at_s - begun_s, at_s=at_s)))
    for second in range(1000, int(at_s) + 3):
        now_s = second + 0.5
        share, read, written = next((s[2:] for s in spans if s[0] < now_s <= s[1]), (1.0, 0, 0))
        timed.append((now_s, GpuSample(now_s, power_w=600.0 * share, power_limit_w=700.0)))
        timed.append((now_s, HostSample(now_s, interval_s=1.0, read_bytes=read, write_bytes=written)))
    timed.sort(key=lambda pair: pair[0])
    return watched([RunInfo(clock="hook", time_includes=("evaluation", "checkpoint")), *(e for _, e in timed)])


def causes(run: Run) -> list[tuple[str, int, str]]:
    spike = run.spike(100)
    assert spike is not None
    assert spike.clean_s + sum(c.seconds for c in spike.causes) == pytest.approx(spike.duration_s)
    return [(c.kind, round(c.seconds), c.strength) for c in spike.causes]


EVALUATION = (20.0, 0.9, 0, 0)
CHECKPOINT = (10.0, 0.2, 0, 10**9)
DATA = (10.0, 0.2, 10**9, 0)


def test_power_that_stays_is_an_evaluation() -> None:
    assert causes(stop(EVALUATION)) == [("evaluation", 20, "telemetry")]


def test_power_that_falls_while_bytes_are_written_is_a_checkpoint() -> None:
    run = stop(CHECKPOINT)
    assert causes(run) == [("checkpoint", 10, "telemetry")]
    spike = run.spike(100)
    assert spike is not None
    assert "GB written" in spike.causes[0].evidence


def test_power_that_falls_while_bytes_are_read_is_data() -> None:
    assert causes(stop(DATA)) == [("data", 10, "telemetry")]


def test_samples_divide_an_iteration_of_both_even_where_lines_say_so() -> None:
    assert causes(stop(EVALUATION, CHECKPOINT)) == [
        ("evaluation", 20, "telemetry"),
        ("checkpoint", 10, "telemetry"),
    ]
    lines = (SpanEnd("evaluation", iteration=100), SpanBegin("checkpoint", iteration=100))
    assert causes(stop(EVALUATION, CHECKPOINT, lines=lines))[0] == ("evaluation", 20, "telemetry")


def test_power_that_falls_while_nothing_moves_is_not_decided() -> None:
    assert causes(stop((10.0, 0.2, 0, 0))) == [("unexplained", 10, "guess")]


def test_a_clock_that_is_held_down_by_heat_is_throttling() -> None:
    hot = SampleWindow(idle_share=0.0, limits=("thermal",), clock_share=0.6)
    ((cause, share),) = suspect(hot, 10.0, 2.0)
    assert (cause.kind, share) == ("throttle", 1.0)
    assert cause == Cause("throttle", 0.0, "telemetry", "clock held down: thermal")


@pytest.mark.parametrize(
    ("idle_share", "read", "written", "duration_s", "causes"),
    [
        # 10 s of excess: 1.5 s of low power is the least that decides.
        (0.0, 0, 10**9, 20.0, [("evaluation", 1.0)]),
        (0.07, 0, 10**9, 20.0, [("evaluation", 1.0)]),
        (0.08, 0, 10**9, 20.0, [("evaluation", 0.84), ("checkpoint", 0.16)]),
        (0.42, 0, 10**9, 20.0, [("evaluation", 0.16), ("checkpoint", 0.84)]),
        (0.43, 0, 10**9, 20.0, [("checkpoint", 1.0)]),
        (0.43, 10**9, 0, 20.0, [("data", 1.0)]),
        (1.0, 10**9, 10**9, 20.0, [("checkpoint", 1.0)]),
        (1.0, 32_000_000, 0, 20.0, [("data", 1.0)]),
        (1.0, 31_000_000, 31_000_000, 20.0, []),
        # Of an excess of 1 s half is the least, of one of 100 s 15 s.
        (0.04, 0, 10**9, 11.0, [("evaluation", 1.0)]),
        (0.05, 0, 10**9, 11.0, [("checkpoint", 1.0)]),
        (0.13, 0, 10**9, 110.0, [("evaluation", 1.0)]),
        (0.14, 0, 10**9, 110.0, [("evaluation", 0.846), ("checkpoint", 0.154)]),
        (1.0, 0, 10**9, 10.0, []),
        (None, 0, 10**9, 20.0, []),
    ],
)
def test_low_power_is_all_excess_and_the_bytes_say_of_what(
    idle_share: float | None, read: int, written: int, duration_s: float, causes: list[tuple[str, float]]
) -> None:
    window = SampleWindow(idle_share=idle_share, read_bytes=read, write_bytes=written)
    found = suspect(window, duration_s, 10.0)
    assert [(cause.kind, pytest.approx(share, abs=1e-3)) for cause, share in found] == causes
    assert {cause.seconds for cause, _ in found} <= {0.0}


def gpu(at_s: float, power_w: float | None = None, hz: float | None = None, *limits: str) -> GpuSample:
    return GpuSample(at_s, power_w=power_w, sm_clock_hz=hz, limits=limits)


def test_the_seconds_of_an_iteration_are_held_against_the_two_minutes_before_it() -> None:
    gpus = [gpu(-21.0, 900.0), *(gpu(t, 600.0, 2e9, "power") for t in (-20.0, 50.0, 100.0))]
    gpus += [gpu(101.0, 600.0, 1e9, "power", "thermal"), gpu(104.0, 120.0, 1e9), gpu(105.0, 60.0, 9e9)]
    host = [
        HostSample(100.4, interval_s=1.0, read_bytes=1),  # the middle of its interval counts
        HostSample(100.5, interval_s=1.0, read_bytes=50_000),  # ... and is no part where the iteration begins
        HostSample(101.0, interval_s=1.0, read_bytes=20, write_bytes=3),
        HostSample(104.0, read_bytes=300),
        HostSample(104.6, interval_s=1.0, read_bytes=4_000),
    ]
    window = measure(gpus, host, 100.0, 104.0)
    assert window == SampleWindow(
        power_share=pytest.approx(0.6), idle_share=0.5, read_bytes=320, write_bytes=3,
        limits=("thermal",), clock_share=0.5, apart_s=3.0,
    )  # fmt: skip


@pytest.mark.parametrize(("power_w", "idle_share"), [(420.0, 0.0), (419.0, 1.0)])
def test_the_gpu_is_idle_below_seven_tenths_of_its_usual_power(power_w: float, idle_share: float) -> None:
    window = measure([gpu(90.0, 600.0), gpu(101.0, power_w)], [], 100.0, 104.0)
    assert window is not None
    assert window.idle_share == idle_share


def test_without_a_sample_inside_nothing_is_known() -> None:
    assert measure([gpu(99.0, 600.0), gpu(105.0, 600.0)], [], 100.0, 104.0) is None
    assert measure([], [HostSample(100.2, interval_s=1.0, read_bytes=1)], 100.0, 104.0) is None
    assert measure([], [HostSample(100.2, read_bytes=1)], 100.0, 104.0) == SampleWindow(read_bytes=1)
    assert measure([gpu(101.0, 600.0)], [], 100.0, 104.0) == SampleWindow()


def test_a_limit_without_a_known_clock_is_no_throttling() -> None:
    for share, kinds in ((None, []), (0.9, []), (0.89, ["throttle"])):
        window = SampleWindow(idle_share=1.0, limits=("thermal",), clock_share=share)
        assert [cause.kind for cause, _ in suspect(window, 10.0, 2.0)] == kinds


def test_what_samples_say_is_kept_though_the_samples_are_not() -> None:
    run = stop(CHECKPOINT)
    at_s = run.columns.at_s[-1]
    for i in range(130, 2_500):
        at_s += 2.0
        run.apply([GpuSample(at_s - 1, power_w=600.0), Iteration(i, 2.0, at_s=at_s)])
    assert len(run.gpu_history()) < 2_000
    assert causes(run) == [("checkpoint", 10, "telemetry")]


def test_a_mean_over_several_iterations_is_looked_at_as_a_whole() -> None:
    """A line every five iterations of 2 s; before line 100 the GPU waits for 10 s, long before the line comes."""
    at_s, timed = 1000.0, []
    waited: tuple[float, float] = (0.0, 0.0)
    for line in range(130):
        took_s = 20.0 if line == 100 else 10.0
        if line == 100:
            waited = (at_s, at_s + 10.0)
        at_s += took_s
        timed.append((at_s, Iteration(5 * line, took_s / 5, at_s=at_s, averaged_over=5)))
    for second in range(1000, int(at_s) + 3):
        now_s = second + 0.5
        idle = waited[0] < now_s <= waited[1]
        timed.append((now_s, GpuSample(now_s, power_w=120.0 if idle else 600.0, power_limit_w=700.0)))
        timed.append((now_s, HostSample(now_s, interval_s=1.0, read_bytes=0, write_bytes=10**9 * idle)))
    timed.sort(key=lambda pair: pair[0])
    assert causes(watched([RunInfo(clock="hook"), *(e for _, e in timed)])) == [("checkpoint", 10, "telemetry")]


def test_a_wait_for_data_is_of_all_iterations_that_a_line_is_the_mean_of() -> None:
    events = [Iteration(10 * i, 1.0, data_wait_s=0.01, averaged_over=10) for i in range(60)]
    events.append(Iteration(600, 1.5, data_wait_s=0.51, averaged_over=10))
    spike = watched([RunInfo(), *events]).spike(60)
    assert spike is not None
    assert [(c.kind, round(c.seconds, 3)) for c in spike.causes] == [("data", 5.0)]


@pytest.mark.parametrize(
    ("apart_s", "excess_s", "is_known"), [(1.0, 2.0, True), (30.0, 30.0, False), (30.0, 150.0, True)]
)
def test_samples_that_are_rare_say_nothing_of_a_short_excess(
    apart_s: float, excess_s: float, is_known: bool
) -> None:
    """A tracker takes one each 15 or 30 seconds: one of them inside a slow iteration shows a moment of it."""
    samples = [gpu(at_s * apart_s, 300.0) for at_s in range(1, 40)]
    window = measure(samples, [], 20 * apart_s, 20 * apart_s + excess_s + 8.0)
    assert window is not None
    assert bool(suspect(window, excess_s + 8.0, 8.0)) == is_known


def test_gpus_that_are_sampled_one_after_the_other_come_no_more_often_for_it() -> None:
    samples = [GpuSample(at_s=15.0 * n + 0.002 * g, gpu=g, power_w=300.0) for n in range(40) for g in range(8)]
    window = measure(samples, [], 300.0, 345.0)
    assert window is not None
    assert window.apart_s == 15


@pytest.mark.parametrize(("apart_s", "least_s"), [(2.0, 0.0), (2.5, 10.0), (3.0, 12.0)])
def test_samples_that_are_far_apart_need_an_excess_that_holds_four(apart_s: float, least_s: float) -> None:
    window = SampleWindow(idle_share=0.0, limits=("hw_thermal",), clock_share=0.5, apart_s=apart_s)
    assert window.least_s == least_s
    for excess_s, found in ((least_s, 0), (least_s + 0.1, 1)):
        assert len(suspect(window, 50.0 + excess_s, 50.0)) == found
    unlimited = SampleWindow(idle_share=0.0, limits=("hw_thermal",), apart_s=apart_s)
    assert [cause.kind for cause, _ in suspect(unlimited, 90.0, 50.0)] == ["evaluation"]


def test_evidence_names_much_and_leaves_out_little() -> None:
    window = SampleWindow(power_share=0.456, read_bytes=32_000_000, write_bytes=31_999_999)
    assert window.words() == "power at 46 % of the usual; 32.0 MB read"


@pytest.mark.parametrize(
    ("idle_s", "read_bytes", "kinds"),
    [
        (0.4, 40_000_000, ["evaluation"]),
        (1.5, 40_000_000, ["evaluation", "data"]),
        (8.5, 40_000_000, ["evaluation", "data"]),
        (9.5, 40_000_000, ["data"]),
        (8.5, 0, []),
    ],
)
def test_a_second_and_a_half_of_power_up_or_down_is_a_part(
    idle_s: float, read_bytes: int, kinds: list[str]
) -> None:
    window = SampleWindow(idle_share=idle_s / 10.0, read_bytes=read_bytes)
    assert [cause.kind for cause, _ in suspect(window, 10.0, 0.0)] == kinds


def test_samples_of_two_minutes_before_say_what_is_usual() -> None:
    before = [GpuSample(1_000.0 - age_s, power_w=400.0) for age_s in (119.0, 60.0, 0.0)]
    old = [GpuSample(1_000.0 - age_s, power_w=100.0) for age_s in (120.0, 130.0, 150.0, 200.0, 230.0)]
    inside = [GpuSample(1_001.0, power_w=200.0)]
    window = measure([*old, *before, *inside], [], 1_000.0, 1_010.0)
    assert window is not None
    assert (window.power_share, window.idle_share) == (0.5, 1.0)


def test_the_samples_of_one_gpu_say_how_far_they_are_apart() -> None:
    first = [GpuSample(1_000.0 + 5.0 * n, gpu=0) for n in range(4)]
    other = [GpuSample(1_001.0 + n, gpu=1) for n in range(9)]
    window = measure([*first, *other], [], 999.0, 1_100.0)
    assert window is not None
    assert window.apart_s == 5.0


def test_samples_of_instances_of_one_gpu_are_apart_by_the_time_between_those_of_one() -> None:
    samples = [GpuSample(second, 0, mig=0) for second in (0.0, 5.0, 10.0)]
    assert _apart([*samples, *(GpuSample(second, 0, mig=1) for second in (1.0, 3.0))]) == 5.0
    assert _apart([GpuSample(second + gpu / 4, gpu) for second in (0.0, 5.0) for gpu in (0, 1)]) == 5.0
    assert _apart([GpuSample(1.0)]) == _apart([]) == 0.0
