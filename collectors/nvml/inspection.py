"""Everything that the driver reports on this machine, once: for `itermon gpus`, and for bug reports."""

from __future__ import annotations

import os
import threading
import time
from importlib import metadata
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import msgspec

from ...events import GpuSample, Message
from ...words import rounded_duration
from ..clean import clean
from .errors import NvmlError
from .sampler import NvmlSampler

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...events import Event

BETWEEN_S = 1.1
"""Between the two passes: what is a rate needs two, and the energy counter of some GPUs steps by 100 ms."""
PATIENCE_S = 20.0
"""A driver that wakes eight GPUs takes up to ten seconds; after twenty it hangs."""

_VARIABLES = (
    *("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "NVIDIA_VISIBLE_DEVICES"),
    *("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"),
)


class Inspected(Protocol):
    """A sampler, NVIDIA's or another maker's, with the library that it asks."""

    library: Any
    PACKAGE: ClassVar[str]

    def sample(self) -> list[Event]:
        """One pass."""
        ...

    def close(self) -> None:
        """Give everything back."""
        ...


class Inspection(msgspec.Struct, frozen=True):
    """What was found. `trouble` says why there are no samples; `took_s` is the newest duration of each call."""

    trouble: str = ""
    driver: str = ""
    nvml: str = ""
    package: dict[str, str] = {}  # the maker's, with its version
    environment: dict[str, str] = {}
    gpus: tuple[GpuSample, ...] = ()
    messages: tuple[str, ...] = ()
    took_s: dict[str, float] = {}


def inspect(
    wish: str | None = None,
    sampler: Inspected | None = None,
    *,
    patience_s: float = PATIENCE_S,
    sleep: Callable[[float], object] = time.sleep,
) -> Inspection:
    """Ask every GPU that `wish` names (`None`: all) for every field, twice; or those of `sampler`."""
    asked = sampler or NvmlSampler(wish or "all")
    found: list[Inspection] = []
    thread = threading.Thread(target=lambda: found.append(_inspect(asked, sleep)), daemon=True)
    thread.start()
    thread.join(patience_s)
    if found:
        return found[0]
    call = (asked.library.under_way or ("its library", 0.0))[0]
    return Inspection(trouble=f"the driver hangs: {call} has not come back for {rounded_duration(patience_s)}")


def _inspect(sampler: Inspected, sleep: Callable[[float], object]) -> Inspection:
    events = sampler.sample()
    samples = [event for event in events if isinstance(event, GpuSample)]
    messages = [event.text for event in events if isinstance(event, Message)]
    if samples:
        sleep(BETWEEN_S)
        again = sampler.sample()
        samples = [event for event in again if isinstance(event, GpuSample)]
        messages += [event.text for event in again if isinstance(event, Message)]
    took_s = dict(sampler.library.took_s)
    found = Inspection(
        trouble="" if samples else (messages or [""])[0],
        driver=_version(sampler, "nvmlSystemGetDriverVersion"),
        nvml=_version(sampler, "nvmlSystemGetNVMLVersion"),
        package=_version_of(sampler.PACKAGE),
        environment={name: clean(os.environ[name]) for name in _VARIABLES if name in os.environ},
        gpus=tuple(samples),
        messages=tuple(messages),
        took_s=took_s,
    )
    sampler.close()
    return found


def _version(sampler: Inspected, call: str) -> str:
    if not isinstance(sampler, NvmlSampler):
        return ""  # the others' libraries give it for each GPU; the package's stands beside it
    try:
        return clean(str(sampler.library.call(call)))
    except (NvmlError, AttributeError):  # NVML, or pynvml itself, is not there
        return ""


def _version_of(package: str) -> dict[str, str]:
    try:
        return {package: metadata.version(package)} if package else {}
    except metadata.PackageNotFoundError:
        return {}
