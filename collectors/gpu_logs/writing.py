"""Samples as `nvidia-smi --query-gpu --format=csv` writes them: what reads its files reads these."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..nvml.measuring import LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...events import GpuSample

NOTHING = "[N/A]"
_MIB = 1 << 20


def _scaled(field: str, factor: float, form: str) -> Callable[[GpuSample], str]:
    def written(sample: GpuSample) -> str:
        value = getattr(sample, field)
        return NOTHING if value is None else form.format(value * factor)

    return written


def _text(field: str) -> Callable[[GpuSample], str]:
    # A comma would begin another cell: nvidia-smi's own files have no quotes.
    return lambda sample: getattr(sample, field).replace(",", " ") or NOTHING


def _time(sample: GpuSample) -> str:
    whole, part = divmod(round(sample.at_s * 1000), 1000)
    return time.strftime("%Y/%m/%d %H:%M:%S", time.localtime(whole)) + f".{part:03d}"


def _reasons(sample: GpuSample) -> str:
    if sample.limits is None:
        return NOTHING
    return f"0x{sum(bit for bit, name in LIMITS.items() if name in sample.limits):016x}"


COLUMNS: dict[str, Callable[[GpuSample], str]] = {
    "timestamp": _time,
    "index": lambda sample: str(sample.gpu),
    "name": _text("name"),
    "uuid": _text("uuid"),
    "utilization.gpu [%]": _scaled("utilization", 100, "{:.0f} %"),
    "memory.used [MiB]": _scaled("memory_used_bytes", 1 / _MIB, "{:.0f} MiB"),
    "memory.total [MiB]": _scaled("memory_total_bytes", 1 / _MIB, "{:.0f} MiB"),
    "temperature.gpu": _scaled("temperature_c", 1, "{:.0f}"),
    "power.draw [W]": _scaled("power_w", 1, "{:.2f} W"),
    "enforced.power.limit [W]": _scaled("power_limit_w", 1, "{:.2f} W"),
    "clocks.current.sm [MHz]": _scaled("sm_clock_hz", 1e-6, "{:.0f} MHz"),
    "clocks.max.sm [MHz]": _scaled("sm_clock_max_hz", 1e-6, "{:.0f} MHz"),
    "clocks_event_reasons.active": _reasons,
}
"""nvidia-smi's headings, and what stands under each."""

HEADING = ", ".join(COLUMNS) + "\n"


def row(sample: GpuSample) -> str:
    """The line of a sample. The number of a part of a divided GPU is that of the whole, as nvidia-smi counts."""
    return ", ".join(written(sample) for written in COLUMNS.values()) + "\n"
