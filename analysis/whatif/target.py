"""Can an iteration be that fast? The floor decides, not the wish."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from ...words import duration, percent, plural, times
from ..findings import Finding

if TYPE_CHECKING:
    from ..findings import Audit


class Target(Finding, frozen=True):
    """Can an iteration take `target_s`? `times_peak` is what it asks of this GPU; over 1 nothing reaches it."""

    target_s: float
    possible: bool | None
    times_peak: float | None
    gpus_needed: int | None
    sentence: str


def can_reach(audit: Audit, target_s: float, clean_s: float | None) -> Target:
    """What physics says to a wished iteration time: the floor decides, not the wish."""
    if audit.floor_s is None or audit.peak_flops is None:
        why = "The floor is not known: give --gpu-name (and --config, where no size of the model is known)."
        return Target(target_s, None, None, None, why)
    wanted, gpus = audit.floor_s / target_s, audit.gpus or 1
    peak = f"{audit.gpu or 'this GPU'}'s peak"
    if wanted > 1:
        need = ceil(wanted * gpus)
        these = "this GPU" if gpus == 1 else f"these {plural(gpus, 'GPU')}"
        sentence = (
            f"{duration(target_s)} an iteration is impossible on {these}: it is {times(wanted)} {peak}; "
            f"the floor is {duration(audit.floor_s)}, and at 100 % it needs at least {need} such GPUs."
        )
        return Target(target_s, possible=False, times_peak=wanted, gpus_needed=need, sentence=sentence)
    faster = f", {times(clean_s / target_s)} of now" if clean_s and clean_s > target_s else ""
    sentence = (
        f"{duration(target_s)} an iteration is {percent(wanted)} of {peak}{faster}: not ruled out by physics."
    )
    return Target(target_s, possible=True, times_peak=wanted, gpus_needed=gpus, sentence=sentence)
