"""The same iterations on another GPU: by the peaks of both, never below the floor of the new one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...words import did_you_mean, duration, percent, times
from ..audit import peaks
from .scenario import Range

if TYPE_CHECKING:
    from ..findings import Audit


class OtherGpu(NamedTuple):
    """How often faster a peak is (`None`: not known), and what to say of it."""

    label: str
    faster: float | None
    note: str


def other_gpu(audit: Audit, name: str) -> OtherGpu:
    """The GPU `name` against that of the run."""
    row = peaks.find(name)
    if row is None:
        near = did_you_mean(name, (known.label for known in peaks.table()))
        return OtherGpu(name, None, f"{peaks.why_unknown(name).replace('--gpu-name', '--to-gpu')}{near}.")
    flops, precision = row.at(audit.precision)
    if flops is None:
        return OtherGpu(row.label, None, f"The peak of {row.label} at {precision} is not known.")
    if not audit.peak_flops or not audit.gpu:
        return OtherGpu(row.label, None, "The run's own GPU is not known: give --gpu-name.")
    share = f", {percent(audit.mfu)} of it," if audit.mfu else ""
    note = (
        f"{row.label} has {times(flops / audit.peak_flops)} the peak of {audit.gpu} ({precision}). The same share"
        f"{share} is a guess: memory and links count too."
    )
    return OtherGpu(row.label, flops / audit.peak_flops, note)


def on_other(iteration_s: Range, faster: float, floor_s: float | None) -> Range:
    """At the same share of the peak; at best at the floor; a faster GPU at worst as slow as the old one."""
    best = iteration_s.best / faster
    low = min(floor_s / faster if floor_s else best, best)
    worst = iteration_s.high if faster >= 1 else None
    return Range(best, low, worst if worst is None else max(worst, best))


def impossible(audit: Audit, clean_s: float) -> str:
    """Why the run was not on the GPU that is named, or "" where it may have been."""
    if audit.floor_s is None or clean_s >= audit.floor_s:
        return ""
    return (
        f"{duration(clean_s)} an iteration is impossible on {audit.gpu or 'this GPU'}: its floor is "
        f"{duration(audit.floor_s)}. The run had another GPU, or its settings are not these: nothing is held "
        "against that floor. For a plan on another GPU give --to-gpu."
    )
