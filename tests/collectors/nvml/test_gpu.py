"""One device: one that answers nothing is lost."""

import pytest

from itermon.collectors.gpus.device import Device
from itermon.collectors.nvml.errors import DRIVER_NOT_LOADED, NvmlError
from itermon.collectors.nvml.gpu import Gpu

from .made import MadeLibrary


def test_one_that_answers_nothing_is_lost_and_not_asked_again():
    library = MadeLibrary()
    gpu = Gpu(library, Device(3, "handle"))
    assert gpu.sample(5.0).lost == gpu.lost != ""
    asked = len(library.asked)
    assert gpu.sample(6.0).lost == gpu.lost
    assert len(library.asked) == asked > 0


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
