"""The MFU that a log prints: undone of its averaging, and traced to the peak that it assumed."""

from __future__ import annotations

from itertools import pairwise
from math import isfinite
from statistics import median
from typing import TYPE_CHECKING

from ...words import percent, si, with_article
from ..ratios import LEAST
from . import peaks

if TYPE_CHECKING:
    from collections.abc import Sequence

KEPT = 0.9
"""nanoGPT prints 0.9 × what it printed before + 0.1 × this iteration's: one slow one shows for twenty lines."""

# Below this many percent the two printed digits leave too little of one iteration's share to undo the average.
UNDOABLE = 0.02


def mfu_seconds(logged: Sequence[float], durations_s: Sequence[float]) -> float | None:
    """The constant behind printed MFUs: MFU × seconds = FLOPs of an iteration over the assumed peak.

    Both readings are tried, each line's own time and nanoGPT's running average; the steadier one is right.
    `None` without three usable lines.
    """
    pairs = list(zip(logged, durations_s, strict=True))
    own = [m * t for m, t in pairs if _usable(m, t)]
    undone = [
        (m - KEPT * before) / (1 - KEPT) * t
        for (before, _), (m, t) in pairwise(pairs)
        if _usable(m, t) and before > 0 and m > UNDOABLE
    ]
    readings = [r for r in (own, undone) if len(r) >= 3]
    if not readings:
        return None
    middle, _ = min(((median(r), _spread(r)) for r in readings), key=lambda x: x[1])
    return middle if middle >= LEAST else None  # FLOPs are divided by it


def _usable(mfu: float, duration_s: float) -> bool:
    return isfinite(mfu) and isfinite(duration_s) and mfu > 0 and duration_s > 0


def _spread(values: Sequence[float]) -> float:
    middle = median(values)
    return median(abs(v - middle) for v in values) / abs(middle) if middle else float("inf")


def explain(mfu: float, assumed_flops: float, peak_flops: float | None, gpu: str | None) -> str:
    """One line on a printed MFU: of which GPU's peak it is, and what follows if it cannot be the run's."""
    whose = peaks.assumed_by(assumed_flops)
    peak, printed = si(assumed_flops, "FLOP/s"), f"the log's {percent(mfu, 1)} MFU"
    if peak_flops is not None and abs(assumed_flops / peak_flops - 1) < 0.01:
        return f"{printed} is of the {whose}'s peak ({peak})" if whose else f"{printed} is of {peak}"
    assumes = f"{'is wrong: it ' if mfu > 1 else ''}assumes {f'{with_article(whose)} ({peak})' if whose else peak}"
    if peak_flops is not None:
        return f"{printed} {assumes}; this {gpu or 'GPU'} has {si(peak_flops, 'FLOP/s')}"
    return f"{printed} {assumes}" + ("; this GPU is faster" if mfu > 1 else "")
