"""What one device measures: each word of the clock's limits, each unit, each way around what a driver lacks."""

from types import SimpleNamespace

import pytest

from itermon.collectors.gpus.asking import Asker
from itermon.collectors.gpus.device import Device
from itermon.collectors.nvml.counters import FIELDS
from itermon.collectors.nvml.measuring import Measuring

from .made import MadeLibrary, field

BITS = {
    1: "idle", 2: "application clocks", 4: "power cap", 8: "hardware slowdown", 16: "sync boost", 32: "thermal",
    64: "hardware thermal", 128: "power brake", 256: "display clocks",
}  # fmt: skip


def measured(*passes, mig=None, seconds=1.0, **answers):
    """What the last pass gives: value and reason by field; `passes` are the counters of each."""
    library = MadeLibrary(**answers)
    made = Measuring(Asker(library), Device(0, "handle", mig=mig, parent="parent", instance_id=7))
    part = {}
    for counters in passes or ({},):
        library.answers["nvmlDeviceGetFieldValues"] = lambda *_, counters=counters: [
            field(counters[name]) if name in counters else field(0, code=3)
            for name in FIELDS
            if made.ask.wanted(name) or name in counters
        ]
        part = made.read()
        library.now_s += seconds
    return part, made


@pytest.mark.parametrize("bit", BITS)
def test_each_bit_alone_has_its_own_word(bit):
    part, _ = measured(nvmlDeviceGetCurrentClocksEventReasons=bit)
    assert part["limits"] == ((BITS[bit],), "")


@pytest.mark.parametrize("name", ["power cap", "thermal", "hardware thermal", "power brake"])
def test_a_clock_held_down_for_more_than_a_hundredth_of_the_time_was_limited(name):
    for held_ns, limits in ((10_000_000, ()), (10_000_001, (name,)), (0, ())):
        part, _ = measured({name: 0}, {name: held_ns}, nvmlDeviceGetCurrentClocksEventReasons=0)
        assert part["limits"][0] == limits


def test_every_unit_of_nvml_is_made_si():
    part, made = measured(
        {"energy": 5_000, "nvlink_read": 0, "nvlink_write": 0, "pcie_read": 0, "pcie_write": 0},
        {"energy": 8_000, "nvlink_read": 3, "nvlink_write": 4, "pcie_read": 50, "pcie_write": 70},
        seconds=2.0,
        nvmlDeviceGetEnforcedPowerLimit=700_000,
        nvmlDeviceGetUtilizationRates=SimpleNamespace(gpu=50),
        nvmlDeviceGetTemperatureV=64,
        nvmlDeviceGetClockInfo=lambda _, kind: {1: 1_935}[kind],  # NVML_CLOCK_SM
        nvmlDeviceGetMaxClockInfo=lambda _, kind: {1: 1_980}[kind],
        nvmlDeviceGetMemoryInfo=SimpleNamespace(total=100, used=60, reserved=3),
    )
    assert {name: value for name, (value, _) in part.items() if value is not None} == {
        "energy_j": pytest.approx(8.0), "power_w": pytest.approx(1.5), "power_limit_w": pytest.approx(700.0),
        "memory_used_bytes": 60, "memory_total_bytes": 100, "memory_reserved_bytes": 3, "utilization": 0.5,
        "temperature_c": 64.0, "sm_clock_hz": 1.935e9, "sm_clock_max_hz": 1.98e9,
        "pcie_read_bytes_per_s": 25.0, "pcie_write_bytes_per_s": 35.0, "nvlink_bytes_per_s": 7 * 512.0,
    }  # fmt: skip
    assert made.power_method == "energy"


@pytest.mark.parametrize(
    ("counters", "reading_mw", "power_w", "method"),
    [
        ({"power": 640_000}, 650_000, 640.0, "sensor"),
        ({}, 650_000, 650.0, "sensor"),
        ({"power": 0}, 650_000, 650.0, "sensor"),
        ({"power of the module": 900_000}, 0, 900.0, "sensor of the module"),
        ({"power of the module": 0}, 0, None, "sensor of the module"),
    ],
)
def test_without_an_energy_counter_a_sensor_gives_the_power(counters, reading_mw, power_w, method):
    part, made = measured(counters, nvmlDeviceGetPowerUsage=reading_mw)
    assert (part["power_w"][0], made.power_method) == (power_w, method)


def test_links_of_which_one_way_is_not_known_have_no_sum():
    part, _ = measured({"nvlink_read": 0}, {"nvlink_read": 3})
    assert part["nvlink_bytes_per_s"] == (None, "")


def test_an_instance_is_not_asked_for_what_only_the_whole_gpu_has():
    part, made = measured(
        mig=1, nvmlDeviceGetTemperatureV=64, nvmlDeviceGetUtilizationRates=SimpleNamespace(gpu=50)
    )
    why = "of a MIG instance: NVML measures it for the whole GPU only"
    for name in ("energy_j", "power_w", "power_limit_w", "utilization", "temperature_c", "sm_clock_hz",
                 "sm_clock_max_hz", "limits"):  # fmt: skip
        assert part[name] == (None, why), name
    assert [made.ask.why(name) for name in ("ecc_errors", "xid")] == [why, why]
