"""GPUs and MIG instances in NVML's order; what cannot be reached is listed with its reason."""

import pytest

from itermon.collectors.gpus.device import Device
from itermon.collectors.nvml.devices import devices
from itermon.collectors.nvml.errors import DRIVER_NOT_LOADED, NOT_SUPPORTED, NvmlError

from .made import MadeLibrary

REFUSED = NvmlError(NOT_SUPPORTED, "any")


def by(answers):
    """An answer for each last argument; what is not there is refused."""

    def answer(*arguments):
        if arguments[-1] not in answers:
            raise REFUSED
        return answers[arguments[-1]]

    return answer


def library(**answers):
    return MadeLibrary(
        **{
            "nvmlDeviceGetCount": 2,
            "nvmlDeviceGetHandleByIndex": by({0: "a", 1: "b"}),
            "nvmlDeviceGetName": by({"a": b"H\x1b[2J200", "b": "A100", "a/3": "H200 1g"}),
            "nvmlDeviceGetUUID": by({"a": "GPU-a", "b": "GPU-b", "a/0": "MIG-0", "a/3": "MIG-3"}),
            **answers,
        }
    )


def test_gpus_stand_in_the_order_of_their_numbers():
    assert devices(library()) == [Device(0, "a", "H200", "GPU-a"), Device(1, "b", "A100", "GPU-b")]
    assert devices(library(nvmlDeviceGetMigMode=(0, 1))) == devices(library())


def test_a_divided_gpu_is_its_instances_and_its_slots_have_gaps():
    divided = library(
        nvmlDeviceGetMigMode=by({"a": (1, 1)}),
        nvmlDeviceGetMaxMigDeviceCount=7,
        nvmlDeviceGetMigDeviceHandleByIndex=by({0: "a/0", 3: "a/3"}),
        nvmlDeviceGetGpuInstanceId=by({"a/3": 9}),
    )
    assert devices(divided) == [
        Device(0, "a/0", "H200", "MIG-0", 0, "a", "GPU-a", None),
        Device(0, "a/3", "H200 1g", "MIG-3", 3, "a", "GPU-a", 9),
        Device(1, "b", "A100", "GPU-b"),
    ]
    divided.answers["nvmlDeviceGetMaxMigDeviceCount"] = 0
    assert devices(divided)[0] == Device(0, "a", "H200", "GPU-a")


def test_no_driver_is_believed_that_counts_without_end():
    handles = library(
        nvmlDeviceGetCount=10**9,
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlDeviceGetMigMode=by({0: (1, 1)}),
        nvmlDeviceGetMaxMigDeviceCount=10**9,
        nvmlDeviceGetMigDeviceHandleByIndex=lambda _, number: f"instance {number}",
    )
    found = devices(handles)
    assert sum(device.mig is not None for device in found) == 16
    assert {device.number for device in found} == set(range(256))


def test_a_gpu_that_cannot_be_reached_has_a_reason_and_a_driver_that_is_gone_is_an_error():
    first, second = devices(library(nvmlDeviceGetHandleByIndex=by({1: "b"})))
    assert (first.number, first.handle, second.handle) == (0, None, "b")
    assert first.lost
    with pytest.raises(NvmlError):
        devices(library(nvmlDeviceGetHandleByIndex=NvmlError(DRIVER_NOT_LOADED, "any")))
