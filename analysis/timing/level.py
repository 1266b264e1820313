"""What is told of the normal iteration of the newest training: its time, how alike all are, and since when."""

from __future__ import annotations

from math import log
from statistics import median
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..findings import Level
from . import spread
from .lasting import borne_out, lasting

if TYPE_CHECKING:
    from ..record.columns import Columns
    from .timing import Timing

CREPT = 1.1
"""A level that is now so far from where it began has moved, in however small steps."""

NEWEST = 9
"""So many times tell whether it is the level still."""


def level_of(timing: Timing, columns: Columns) -> Level:
    """The level as a finding, with what is told of its changes. Its witnesses are the caller's to say."""
    baseline = timing.baseline
    if baseline is None:
        return Level()
    ordered = sorted(baseline.newest())
    own = [shift for shift in timing.shifts if shift.position >= timing.begun]
    shifts = borne_out(lasting(own, baseline.level), columns, max(timing.begun, timing.warmup))
    coarse = columns.coarse  # it hides how much iterations differ
    told = not coarse and spread.is_told(ordered, baseline.level, baseline.jitter)
    return Level(
        clean_s=None if coarse is not None and coarse.too_few else baseline.level,
        p95_s=ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))] if told else None,
        jitter=baseline.jitter if told else None,
        iterations=len(ordered),
        averaged_over=columns.usually_averaged(timing.begun, len(columns) - 1)[0],
        evaluates=timing.each_evaluates,
        warmup_iterations=_warmup_iterations(timing, columns),
        left=_is_left(columns, timing.begun, baseline.level),
        crept=bool(own) or abs(log(baseline.level / timing.first_level)) > log(CREPT),
        shifts=tuple(replace(s, held=len(columns) - s.position) for s in shifts),
    )


def _is_left(columns: Columns, begun: int, level_s: float) -> bool:
    """Is the median of the newest times far from the level, which is measured more rarely?"""
    newest = [d for d in columns.duration_s[max(begun, len(columns) - NEWEST) :] if d == d]
    return len(newest) > NEWEST // 2 and abs(log(median(newest) / level_s)) > log(CREPT)


def _warmup_iterations(timing: Timing, columns: Columns) -> int:
    """Iterations of the newest training before its level settled (it has not, if it goes on to fall far)."""
    begun, entries = timing.begun, timing.warmup - timing.begun
    if not entries or timing.drifts:
        return 0
    return max(entries, columns.index[timing.warmup - 1] - columns.index[begun] + columns.averaged_at(begun))
