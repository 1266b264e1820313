"""What trackers measure of the GPUs is a sample of each GPU, with its units; what cannot be is left out."""

from __future__ import annotations

import math

import pytest

from itermon.collectors.trackers.stores.gpus import Gauges, samples
from itermon.events import GpuSample

MLFLOW = {
    "system/gpu_0_utilization_percentage": 97.0,
    "system/gpu_0_memory_usage_megabytes": 40_000.0,
    "system/gpu_0_power_usage_watts": 350.0,
    "system/cpu_utilization_percentage": 12.0,
}
TRACKIO = {
    "gpu/1/utilization": 50,
    "gpu/1/allocated_memory": 10.0,
    "gpu/1/total_memory": 80.0,
    "gpu/1/power": 300.0,
    "gpu/1/power_limit": 700.0,
    "gpu/1/temp": 60,
    "gpu/1/sm_clock": 1980,
    "gpu/total_power": 300.0,
}


def test_mlflows_names() -> None:
    expected = GpuSample(5.0, power_w=350.0, memory_used_bytes=40_000_000_000, utilization=0.97)
    assert samples(5.0, MLFLOW) == [expected]


def test_trackios_names() -> None:
    expected = GpuSample(
        5.0,
        gpu=1,
        power_w=300.0,
        power_limit_w=700.0,
        memory_used_bytes=10 << 30,
        memory_total_bytes=80 << 30,
        utilization=0.5,
        temperature_c=60.0,
        sm_clock_hz=1.98e9,
    )
    assert samples(5.0, TRACKIO) == [expected]


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, 1e300, 101.0])
def test_what_no_gpu_can_have_is_left_out(value: float) -> None:
    assert samples(5.0, {"gpu/0/utilization": value}) == []


def test_values_of_one_moment_are_one_sample() -> None:
    gauges, found = Gauges(), []
    for at_s in (1.0, 2.0):
        for name, value in MLFLOW.items():
            found += gauges.add(at_s, {name: value})
    assert [s.at_s for s in found] == [1.0]
    assert [(s.at_s, s.power_w) for s in gauges.finish()] == [(2.0, 350.0)]
    assert gauges.finish() == []


def test_what_is_no_measure_of_a_gpu_hides_none_behind_it() -> None:
    others = {"system/cpu_utilization_percentage": 12.0, "gpu/0/fan": 3.0, "gpu/0/utilization": 500.0}
    assert samples(5.0, {**others, "gpu/0/power": 300.0}) == [GpuSample(5.0, power_w=300.0)]
