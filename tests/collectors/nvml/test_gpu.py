"""One device: what no GPU of today reaches is no value, and one that answers nothing is lost."""

import pytest

from itermon.collectors.nvml.devices import Device
from itermon.collectors.nvml.errors import DRIVER_NOT_LOADED, NvmlError
from itermon.collectors.nvml.gpu import Gpu

from .made import MadeLibrary

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
    gpu = Gpu(MadeLibrary(), Device(3, "handle", "H200", "GPU-3"))
    return gpu._checked(5.0, {name: (value, "") for name, value in values.items()})


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
    gpu = Gpu(MadeLibrary(), Device(3, "handle"))
    absent = {"memory_used_bytes": (None, "no permission"), "sm_clock_max_hz": (1e9, "")}
    sample = gpu._checked(5.0, {**absent, vital: (1, "")})
    assert (sample.lost, getattr(sample, vital)) == ("", 1)
    sample = gpu._checked(5.0, absent)
    assert sample.lost == gpu.lost == "answers nothing: no permission"


def test_what_has_no_value_and_no_reason_is_no_data():
    assert checked(power_w=None).absent == {"power_w": "no data"}
    assert checked(power_w=None).power_method == ""


def test_a_lost_gpu_is_not_asked_again_and_nvml_that_is_gone_is_an_error():
    library = MadeLibrary()
    gpu = Gpu(library, Device(3, None, lost="needs a reset"))
    gpu.ask_rarely()
    assert gpu.sample(5.0).lost == "needs a reset"
    assert library.asked == []
    library.answers["nvmlDeviceGetComputeRunningProcesses_v3"] = NvmlError(DRIVER_NOT_LOADED, "any")
    with pytest.raises(NvmlError):
        Gpu(library, Device(3, "handle")).ask_rarely()


def test_whoever_uses_no_gpu_computes_nowhere():
    gpu = Gpu(MadeLibrary(nvmlDeviceGetComputeRunningProcesses_v3=[]), Device(3, "handle"))
    assert not gpu.computes([1])
    gpu.ask_rarely()
    assert not gpu.computes([1])
