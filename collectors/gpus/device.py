"""One GPU, whoever made it, and the sample of what it answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...events import GpuSample
from .bounds import plausible

if TYPE_CHECKING:
    from collections.abc import Mapping

VITAL = ("memory_used_bytes", "power_w", "temperature_c", "utilization", "sm_clock_hz", "sm_activity")
"""A GPU that answers none of these answers nothing."""

Answer = tuple[Any, str]
"""A value (`None`: there is none), and the reason if there is none."""


class Device(NamedTuple):
    """A GPU, or an instance of one. `handle` is `None` where it cannot be reached: `lost` says why."""

    number: int  # of the GPU
    handle: Any
    name: str = ""
    uuid: str = ""
    mig: int | None = None
    parent: Any = None  # of an instance: the GPU's handle
    parent_uuid: str = ""
    instance_id: int | None = None  # NVML's id of the GPU instance
    lost: str = ""


def no_answer(device: Device, why: str, at_s: float) -> GpuSample:
    """The sample of a GPU that does not answer."""
    return GpuSample(at_s, device.number, mig=device.mig, name=device.name, uuid=device.uuid, lost=why)


def answered(device: Device, at_s: float, answers: Mapping[str, Answer], power_method: str) -> GpuSample:
    """The sample of `answers`, by field. A value that cannot be is none; without a vital one it is lost."""
    known: dict[str, Any] = {}
    absent: dict[str, str] = {}
    for field, (value, why) in answers.items():
        if value is None:
            absent[field] = why or "no data"
        elif isinstance(value, int | float) and not plausible(field, value):
            absent[field] = f"implausible: {value:.6g}"
        else:
            known[field] = int(value) if field.endswith("_bytes") else value
    if not any(field in known for field in VITAL):
        return no_answer(device, f"answers nothing: {absent['memory_used_bytes']}", at_s)
    return GpuSample(
        at_s,
        device.number,
        mig=device.mig,
        name=device.name,
        uuid=device.uuid,
        power_method=power_method if "power_w" in known else "",
        absent=absent,
        **known,
    )
