"""One GPU: what none of today reaches is no value, and one that answers nothing is lost."""

import pytest

from itermon.collectors.gpus.device import Device, answered

TIB = 1 << 40
MOST = {
    "power_w": 20e3, "power_limit_w": 20e3, "energy_j": 1e15, "memory_used_bytes": 64 * TIB,
    "memory_reserved_bytes": 64 * TIB, "memory_total_bytes": 64 * TIB, "utilization": 1.0, "sm_activity": 1.0,
    "tensor_activity": 1.0, "dram_activity": 1.0, "temperature_c": 200, "sm_clock_hz": 1e10,
    "sm_clock_max_hz": 1e10, "pcie_read_bytes_per_s": 1e12,
    "pcie_write_bytes_per_s": 1e12, "nvlink_bytes_per_s": 1e14,
    "trainer_memory_bytes": 64 * TIB,
}  # fmt: skip


def checked(**values):
    """The sample that these values give, beside a memory and a clock that are well."""
    values = {"memory_used_bytes": 1, "sm_clock_hz": 1e9, **values}
    device = Device(3, "handle", "H200", "GPU-3")
    return answered(device, 5.0, {name: (value, "") for name, value in values.items()}, "sensor")


@pytest.mark.parametrize("field", MOST)
def test_a_value_is_believed_up_to_what_no_gpu_reaches(field):
    assert getattr(checked(**{field: MOST[field]}), field) == MOST[field]
    beyond = checked(**{field: MOST[field] * 1.5})
    assert getattr(beyond, field) is None
    assert beyond.absent[field].startswith("implausible: ")


@pytest.mark.parametrize("field", MOST)
def test_nothing_but_a_temperature_is_below_zero(field):
    least = -100 if field == "temperature_c" else 0
    assert getattr(checked(**{field: least}), field) == least
    assert getattr(checked(**{field: least - 0.5}), field) is None


@pytest.mark.parametrize(
    "vital", ["memory_used_bytes", "power_w", "temperature_c", "utilization", "sm_clock_hz", "sm_activity"]
)
def test_one_vital_answer_is_enough(vital):
    device = Device(3, "handle", mig=1)
    absent = {"memory_used_bytes": (None, "no permission"), "sm_clock_max_hz": (1e9, "")}
    sample = answered(device, 5.0, {**absent, vital: (1, "")}, "sensor")
    assert (sample.lost, getattr(sample, vital)) == ("", 1)
    sample = answered(device, 5.0, absent, "sensor")
    assert (sample.lost, sample.gpu, sample.mig) == ("answers nothing: no permission", 3, 1)


def test_what_has_no_value_and_no_reason_is_no_data():
    assert checked(power_w=None).absent == {"power_w": "no data"}
    assert checked(power_w=None).power_method == ""


def test_how_power_is_measured_is_said_where_it_is():
    assert checked(power_w=300.0).power_method == "sensor"


def test_bytes_are_whole_numbers_and_words_are_kept():
    sample = checked(memory_used_bytes=2.0, limits=("thermal",))
    assert (sample.memory_used_bytes, type(sample.memory_used_bytes), sample.limits) == (2, int, ("thermal",))
