"""Curves over a chart: scalars by position, the machine by the clock of the iterations."""

import pytest

from itermon.analysis.run import Run
from itermon.events import GpuSample, Iteration, RunInfo

NOW_S = 1_700_000_000.0


def run_with_gpu(*, clock: bool = True, duration_s: float | None = 2.0) -> Run:
    """Twenty iterations of two seconds; the GPU idles in the one that ends at 20 s."""
    run = Run()
    run.apply([RunInfo(clock="log")])
    for n in range(20):
        end_s = NOW_S + 2 * (n + 1)
        for at_s in (end_s - 1, end_s):
            idle = n == 9
            sample = GpuSample(at_s, power_w=100.0 if idle else 700.0, utilization=0.0 if idle else 1.0)
            run.apply([sample])
        run.apply([Iteration(n, duration_s, at_s=end_s if clock else None, scalars={"reward": float(n)})])
    return run


def test_power_stands_over_the_iterations_in_whose_time_it_was_measured() -> None:
    run = run_with_gpu()
    power = run.curve("GPU power", run.chart(0, 19, 20))
    assert power.values[8] == 700.0
    assert power.values[9] == 100.0
    assert power.values[10] == 700.0
    assert run.curve("GPU utilization", run.chart(0, 19, 20)).values[9] == 0.0


def test_many_iterations_in_a_column_keep_the_dip() -> None:
    run = run_with_gpu()
    power = run.curve("GPU power", run.chart(0, 19, 2))
    assert power.values[0] == pytest.approx((17 * 700 + 2 * 100) / 19)  # the first sample speaks for no time
    assert power.lows == [100.0, 700.0]


def test_without_a_printed_time_an_iteration_begins_where_the_one_before_ended() -> None:
    power = run_with_gpu(duration_s=None).curve("GPU power", run_with_gpu().chart(0, 19, 20))
    assert power.values[9] == 100.0


def test_without_a_clock_there_is_no_curve_of_the_machine() -> None:
    run = run_with_gpu(clock=False)
    assert [one.name for one in run.curves()] == ["reward"]
    assert not run.curve("GPU power", run.chart(0, 19, 20)).known


def test_a_scalar_is_the_mean_of_its_column_and_the_names_say_what_there_is() -> None:
    run = run_with_gpu()
    assert [one.name for one in run.curves()] == [
        "reward",
        "GPU power",
        "GPU utilization",
    ]  # no memory was measured
    power = run.curves()[1]
    assert (power.newest, power.newest_at, power.least, power.most) == (700.0, 19, 100.0, 700.0)
    rewards = run.curve("reward", run.chart(0, 19, 2))
    assert rewards.values == [4.5, 14.5]
    assert rewards.lows == []


def test_the_first_iteration_of_another_process_begins_by_its_own_time() -> None:
    run = run_with_gpu()
    end_s = NOW_S + 1000
    run.apply([GpuSample(at_s, power_w=300.0) for at_s in (end_s - 500, end_s - 1, end_s)])
    run.apply([Iteration(0, 2.0, at_s=end_s)])
    run.apply([GpuSample(end_s + 1, power_w=0.0)])
    assert run.curve("GPU power", run.chart(20, 20, 1)).values == [300.0]
