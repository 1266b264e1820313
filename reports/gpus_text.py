"""What NVML gives of each GPU, field by field, and what not and why: as plain text. No Textual here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from .. import words
from .table import table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..events import GpuSample

_HEAD = {"at_s", "gpu", "mig", "name", "uuid", "power_method", "lost", "absent"}
# How a field is written, by the end of its name: units stand in the names.
_UNITS: tuple[tuple[str, Callable[[Any], str]], ...] = (
    ("_bytes_per_s", lambda v: words.si(v, "B/s")),
    ("_bytes", words.memory),
    ("_hz", lambda v: words.in_unit(v / 1e6, "MHz")),
    ("_w", lambda v: f"{v:.1f} W"),
    ("_j", lambda v: words.in_unit(v, "J")),
    ("_c", lambda v: words.in_unit(v, "°C")),
    ("activity", lambda v: words.percent(v, 1)),
    ("utilization", lambda v: words.percent(v, 0)),
)


def gpus_text(
    gpus: Sequence[GpuSample], facts: Mapping[str, str], took_s: Mapping[str, float], notes: Sequence[str] = ()
) -> str:
    """The facts, a table per GPU, and what each call took here."""
    lines = table([(name, value) for name, value in facts.items() if value], (24, 0))
    lines += list(notes)
    for gpu in gpus:
        lines += ["", *_gpu(gpu)]
    if took_s:
        lines += ["", "what each call took here, the newest time"]
        slowest = sorted(took_s.items(), key=lambda item: -item[1])
        lines += table([(f"  {call}", words.duration(duration_s)) for call, duration_s in slowest], (46, 0))
    return "\n".join(lines).lstrip("\n") + "\n"


def _gpu(gpu: GpuSample) -> list[str]:
    number = f"GPU {gpu.gpu}" if gpu.mig is None else f"GPU {gpu.gpu}, MIG instance {gpu.mig}"
    head = "  ".join(part for part in (number, gpu.name, gpu.uuid) if part)
    if gpu.lost:
        return [head, f"  no answer: {gpu.lost}"]
    fields = [field.name for field in msgspec.structs.fields(gpu) if field.name not in _HEAD]
    return [head, *table([_row(gpu, field) for field in fields], (28, 16, 0))]


def _row(gpu: GpuSample, field: str) -> tuple[str, str, str]:
    value = getattr(gpu, field)
    if value is None:
        return f"  {field}", words.DASH, gpu.absent.get(field, "")
    note = {"energy": "mean between two samples, by the energy counter"}.get(gpu.power_method, gpu.power_method)
    return f"  {field}", _write(field, value), note if field == "power_w" else ""


def _write(field: str, value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value) or "none"
    return next((write(value) for end, write in _UNITS if field.endswith(end)), str(value))
