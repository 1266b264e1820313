"""What this source does not contain, and how to find it out: the last part of every verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import EVALUATION_AND_CHECKPOINT
from ...words import duration, si

if TYPE_CHECKING:
    from .facts import Facts


def unknowable(f: Facts) -> tuple[str, ...]:
    """What this source does not contain, and how to find it out."""
    a = f.audit
    parts = []
    if a.peak_flops is None:
        what = "it could go" if f.on_cpu else "this GPU could go"
        parts.append(f"how fast {what}: {f.findings.unknown.get('audit.mfu', 'unknown GPU')}")
    if f.findings.load is None and not f.on_cpu:
        advice = "" if f.over else "; watch on that machine"
        parts.append(f"whether the GPU reaches its power limit or waits: there are no GPU samples{advice}")
    if f.info.synchronised is False:
        parts.append("whether a time is the GPU's: the trainer does not wait for it; hooks time the GPU")
    if f.share(EVALUATION_AND_CHECKPOINT):
        both = "how the stops divide into evaluation and saving: the log gives one time for both"
        parts.append(f"{both}{_saving(f)}; hooks tell")
    return tuple(parts)


def _saving(f: Facts) -> str:
    """What the size of a checkpoint says of a stop that was partly saving: a bound."""
    stop = next((s for s in f.findings.eta.schedules if s.kind == EVALUATION_AND_CHECKPOINT), None)
    size = f.audit.checkpoint_bytes
    if stop is None or not stop.mean_s or size is None:
        return ""
    rate = si(size / stop.mean_s, "B/s")
    return f" (saving {si(size, 'B')} took at most {duration(stop.mean_s)}: at least {rate})"
