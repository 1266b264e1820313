"""What a column is, by its heading."""

import pytest

from itermon.collectors.gpu_logs.headings import column


@pytest.mark.parametrize(
    ("heading", "field", "gpu", "scale"),
    [
        ("utilization.gpu [%]", "utilization", None, 0.01),
        ("memory.used [MiB]", "memory_used_bytes", None, 2**20),
        ("enforced.power.limit [W]", "power_limit_w", None, 1),
        ("clocks.max.sm [MHz]", "sm_clock_max_hz", None, 1e6),
        ("temperature.gpu", "temperature_c", None, None),
        ("gpu.0.gpu", "utilization", 0, 0.01),
        ("gpu.12.powerWatts", "power_w", 12, 1),
        ("gpu.0.powerPercent", "power_share", 0, 0.01),
        ("gpu.0.memoryAllocatedBytes", "memory_used_bytes", 0, 1),
        ("gpu.1.smClock", "sm_clock_hz", 1, None),
        ("run/cuda:0 (gpu:3)/memory_used (MiB)/mean", "memory_used_bytes", 3, 2**20),
        ("temperature_C", "temperature_c", None, 1),
        ("GPU 0 (W)", "power_w", 0, 1),
        ("gpu0_watts", "power_w", 0, 1),
        ("DCGM_FI_DEV_SM_CLOCK", "sm_clock_hz", None, None),
        ("gpu_index", "index", None, None),
        ("gpu", "index", None, None),
        ("pci.bus_id", "uuid", None, None),
    ],
)
def test_names_of_many_programs(heading: str, field: str, gpu: int | None, scale: float | None) -> None:
    found = column(heading)
    assert found is not None
    assert (found.field, found.gpu, found.scale) == (field, gpu, scale)


@pytest.mark.parametrize(
    "heading",
    [
        "GPU0",  # of what? nobody says
        "memory_util_pct",
        "utilization.memory [%]",
        "power_plan",
        "temperature.memory",
        "clocks.mem [MHz]",
        "gpu.process.0.powerWatts",  # the same once more
        "cpu.powerWatts",
        "run/cuda:0 (gpu:0)/power_usage (W)/max",
        "loss",
        "",
        "#" * 300,
    ],
)
def test_what_is_nothing_of_a_gpu_or_not_known_is_no_column(heading: str) -> None:
    assert column(heading) is None


def test_a_unit_of_something_else_is_not_believed() -> None:
    assert column("power (MHz)") is None
    assert column("pwr", "W") == column("pwr [W]")


def test_each_reason_has_a_column_of_its_own() -> None:
    found = column("clocks_event_reasons.hw_thermal_slowdown")
    assert found is not None
    assert (found.field, found.reason) == ("reasons", "hardware thermal")


@pytest.mark.parametrize(
    ("heading", "scale"),
    [
        ("utilization.gpu [%]", 0.01), ("utilization.gpu [pct]", 0.01), ("power.draw [W]", 1.0),
        ("power.draw [mW]", 1e-3), ("power.draw [kW]", 1e3), ("temperature.gpu [C]", 1.0),
        ("clocks.sm [Hz]", 1.0), ("clocks.sm [kHz]", 1e3), ("clocks.sm [MHz]", 1e6), ("clocks.sm [GHz]", 1e9),
        ("memory.used [B]", 1), ("memory.used [bytes]", 1), ("memory.used [KiB]", 1_024),
        ("memory.used [kB]", 1_024), ("memory.used [MiB]", 1_048_576), ("memory.used [MB]", 1_048_576),
        ("memory.used [GiB]", 1_073_741_824), ("memory.used [GB]", 1_073_741_824),
        ("utilization.gpu [percent]", 0.01), ("utilization.gpu [percentage]", 0.01), ("power.draw [watt]", 1.0),
        ("power.draw [watts]", 1.0), ("temperature.gpu [°C]", 1.0), ("temperature.gpu [degC]", 1.0),
        ("temperature.gpu [celsius]", 1.0), ("energy [J]", 1.0), ("energy [mJ]", 1e-3), ("energy [kJ]", 1e3),
        ("energy [joules]", 1.0),
    ],
)  # fmt: skip
def test_a_unit_is_what_it_is_in_si(heading: str, scale: float) -> None:
    found = column(heading)
    assert found is not None
    assert found.scale == scale


@pytest.mark.parametrize(
    ("heading", "known"), [("gpu/memory", False), ("gpu/0/memory", True), ("Process GPU", False)]
)
def test_the_sum_of_all_gpus_and_those_of_one_process_are_no_gpu(heading: str, known: bool) -> None:
    assert (column(heading) is not None) is known
