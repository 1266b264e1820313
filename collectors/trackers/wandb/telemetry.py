"""What W&B measured of GPUs and machine, as samples: each 15 or 30 seconds, the older SDKs the mean of them."""

from __future__ import annotations

import re
from collections import deque
from statistics import median
from typing import TYPE_CHECKING

from ....events import GpuSample, HostSample

if TYPE_CHECKING:
    from .records import Measured

_MB = 1 << 20
_MOST_GPUS, _MOST_NAMES = 1 << 10, 10_000
_LIMITS, _LEAST_LIMITS = 64, 8
_GPU = re.compile(r"gpu\.(\d{1,4})\.(\w{1,40})\Z")
_OURS = re.compile(r"gpu\.process\.(\d{1,4})\.memoryAllocatedBytes\Z")
_CORE = re.compile(r"cpu\.\d{1,5}\.cpu_percent\Z")

_GPU_FIELDS = {
    "gpu": ("utilization", 0.01),
    "temp": ("temperature_c", 1.0),
    "powerWatts": ("power_w", 1.0),
    "enforcedPowerLimitWatts": ("power_limit_w", 1.0),
    "memoryAllocatedBytes": ("memory_used_bytes", 1.0),
    "smClock": ("sm_clock_hz", 1e6),
    "uncorrectedMemoryErrors": ("ecc_errors", 1.0),
}
"""W&B's names, and the field and its unit for each. Its `memory` is how busy the memory is, not how full."""

_HELPERS = ("powerPercent", "freq")
_HOST = ("cpu", "proc.memory.rssMB", "proc.memory.availableMB")
_WHOLE = ("memory_used_bytes", "ecc_errors")
_BOUNDS = {
    "utilization": 1.0,
    "temperature_c": 1e4,
    "power_w": 1e21,
    "power_limit_w": 1e21,
    "memory_used_bytes": 2.0**53 - 1,
    "sm_clock_hz": 1e21,
    "ecc_errors": 2.0**53 - 1,
}
_APPLE = "what W&B calls an Apple GPU's power cannot be one: up to 282 W on a chip that takes 30"


class Gauges:
    """Makes samples of what was measured. `gpus` are the machine's: names and memory, as far as known."""

    def __init__(self) -> None:
        self.gpus: tuple[tuple[str, int], ...] = ()
        self.cores = 0
        self._places: dict[str, tuple[int, str]] = {}
        self._counted = 0  # of the cores that have a name of their own
        self._limits: dict[int, deque[float]] = {}  # of each GPU, as its samples give it

    def wanted(self, name: str) -> str | None:
        """What a measurement of this name is read as; `None`: nobody asks for it."""
        if found := _GPU.match(name):
            return name if found[2] in _GPU_FIELDS or found[2] in _HELPERS else None
        self._counted += _CORE.match(name) is not None
        return name if name in _HOST or _OURS.match(name) else None

    def samples(self, measured: Measured) -> list[GpuSample | HostSample]:
        """Of each GPU, and of the machine, what one record says."""
        by_gpu: dict[int, dict[str, float]] = {}
        ours: dict[int, float] = {}
        for name, value in measured.values.items():
            gpu, field = self._places.get(name) or self._place(name)
            if field:
                by_gpu.setdefault(gpu, {})[field] = value
            elif gpu >= 0:
                ours[gpu] = value
        samples: list[GpuSample | HostSample] = [
            self._gpu(measured.at_s, gpu, values, ours.get(gpu, -1.0))
            for gpu, values in sorted(by_gpu.items())
            if gpu < _MOST_GPUS
        ]
        host = self._host(measured)
        return samples if host is None else [*samples, host]

    def _place(self, name: str) -> tuple[int, str]:
        """Which GPU's and what a measurement is: "" is the script's own memory there, and -1 no GPU."""
        own = _OURS.match(name)
        gpu = _GPU.match(name)
        place = (int(own[1]), "") if own else (int(gpu[1]), gpu[2]) if gpu else (-1, "")
        if len(self._places) < _MOST_NAMES:
            self._places[name] = place
        return place

    def _gpu(self, at_s: float, gpu: int, values: dict[str, float], ours: float) -> GpuSample:
        """One GPU's. `ours` is what the script has of its memory: W&B asks for the one process that it runs in, so
        that the GPUs of the other ranks are not among them. Less than 0: that is not said."""
        name, size = self.gpus[gpu] if gpu < len(self.gpus) else ("", 0)
        is_apple = "freq" in values
        found: dict[str, float] = {}
        for theirs, (field, unit) in _GPU_FIELDS.items():
            value = values.get(theirs, -1.0) * unit
            if 0 <= value <= _BOUNDS[field] and not (is_apple and field == "power_w"):
                found[field] = int(value) if field in _WHOLE else value
        if "power_limit_w" not in found and (limit_w := self._limit(gpu, values)) is not None:
            found["power_limit_w"] = limit_w
        return GpuSample(
            at_s=at_s,
            gpu=gpu,
            name=name,
            power_method="sensor" if "power_w" in found else "",
            memory_total_bytes=size or None,
            trainer_memory_bytes=int(ours) if 0 <= ours <= _BOUNDS["memory_used_bytes"] else None,
            absent={"power_w": _APPLE} if is_apple else {},
            **found,  # type: ignore[arg-type]
        )

    def _limit(self, gpu: int, values: dict[str, float]) -> float | None:
        """The older SDKs give the power, and its share of the limit a moment later: the median of many is sure."""
        power_w, percent = values.get("powerWatts", 0.0), values.get("powerPercent", 0.0)
        if not (0 < power_w < 1e5 and 1 < percent < 1e3):
            return None
        limits = self._limits.setdefault(gpu, deque(maxlen=_LIMITS))
        limits.append(100 * power_w / percent)
        return float(round(median(limits))) if len(limits) >= _LEAST_LIMITS else None

    def _host(self, measured: Measured) -> HostSample | None:
        """The machine's. W&B gives the script's share of all cores."""
        cpu, used, free = (measured.values.get(name, -1.0) for name in _HOST)
        cores = self.cores or self._counted
        resident, available = (int(value * _MB) if 0 <= value < 1e9 else None for value in (used, free))
        trainer = cpu / 100 * cores if 0 <= cpu <= 1e6 and cores else None
        if trainer is None and resident is None and available is None:
            return None
        return HostSample(
            at_s=measured.at_s,
            trainer_cpu=trainer,
            resident_bytes=resident,
            memory_available_bytes=available,
            machine_cores=cores or None,
        )
