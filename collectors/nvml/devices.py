"""Which GPUs and MIG instances there are, in NVML's order (by PCI bus)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..clean import clean
from ..gpus.device import Device
from .errors import NvmlError

if TYPE_CHECKING:
    from .library import Library

_MOST_INSTANCES = 16
"""Of one GPU; NVIDIA's largest count is 8. A driver that says more is not believed."""
_MOST_GPUS = 256


def devices(library: Library) -> list[Device]:
    """All devices; a GPU that is divided is listed as its instances. Raises `NvmlError` if NVML is gone."""
    count = min(int(library.call("nvmlDeviceGetCount")), _MOST_GPUS)
    return [device for index in range(count) for device in _gpu(library, index)]


def _gpu(library: Library, index: int) -> list[Device]:
    try:
        handle = library.call("nvmlDeviceGetHandleByIndex", index)
    except NvmlError as error:
        if error.is_of_all:
            raise
        return [Device(index, None, lost=str(error))]
    gpu = Device(
        index, handle, _text(library, "nvmlDeviceGetName", handle), _text(library, "nvmlDeviceGetUUID", handle)
    )
    return _instances(library, gpu) or [gpu]


def _instances(library: Library, gpu: Device) -> list[Device]:
    try:
        if library.call("nvmlDeviceGetMigMode", gpu.handle)[0] != 1:
            return []
        count = min(int(library.call("nvmlDeviceGetMaxMigDeviceCount", gpu.handle)), _MOST_INSTANCES)
    except NvmlError:
        return []  # no MIG on this GPU or in this driver; a GPU that is lost is found by its first question
    return [device for number in range(count) if (device := _instance(library, gpu, number))]


def _instance(library: Library, gpu: Device, number: int) -> Device | None:
    try:
        handle = library.call("nvmlDeviceGetMigDeviceHandleByIndex", gpu.handle, number)
    except NvmlError:
        return None  # the slots of instances have gaps
    try:
        instance_id = int(library.call("nvmlDeviceGetGpuInstanceId", handle))
    except NvmlError:
        instance_id = None
    name = _text(library, "nvmlDeviceGetName", handle) or gpu.name
    uuid = _text(library, "nvmlDeviceGetUUID", handle)
    return Device(gpu.number, handle, name, uuid, number, gpu.handle, gpu.uuid, instance_id)


def _text(library: Library, call: str, handle: Any) -> str:
    try:
        answer = library.call(call, handle)
    except NvmlError:
        return ""
    return clean(answer.decode("utf-8", "replace") if isinstance(answer, bytes) else str(answer))
