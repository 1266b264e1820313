"""Which changes of the level lasted. A slow minute that passed is no news an hour later."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..findings import Shift


PASSING = 256
"""A level that comes back within so many iterations was a passing trouble, not a lasting change."""


def lasting(shifts: Sequence[Shift], clean_s: float | None) -> tuple[Shift, ...]:
    """Of `shifts`, oldest first, those that held until the next one or, for the last, until now (`clean_s`).

    A level that went, in one step or several, and soon came back leaves no trace; nor does one that crept back
    in steps too small to be changes. A change "held" if the level after it kept at least half of the way.
    """
    kept: list[Shift] = []
    for shift in shifts:
        if kept and not _holds(kept[-1], shift.before_s):
            kept.pop()
        undone = next((i for i, earlier in enumerate(kept) if _undoes(earlier, shift)), None)
        if undone is None:
            kept.append(shift)
        else:
            del kept[undone:]
    if kept and clean_s is not None and not _holds(kept[-1], clean_s):
        kept.pop()
    return tuple(kept)


def longest_s(shifts: Sequence[Shift], begun: int = 0) -> float:
    """Of the levels before the last of `shifts`, the one that held longest: what is usual, whatever came between.

    `begun`: the position at which the first of them began. There is one shift at least.
    """
    starts = [begun, *(shift.position for shift in shifts)]
    levels = [shifts[0].before_s, *(shift.after_s for shift in shifts[:-1])]
    lengths = [end - start for start, end in pairwise(starts)]
    return levels[lengths.index(max(lengths))]


def _holds(shift: Shift, level_s: float) -> bool:
    way = shift.after_s - shift.before_s
    return (level_s - shift.before_s) / way >= 0.5 if way else False


def _undoes(shift: Shift, later: Shift) -> bool:
    """Is the level soon again what it was before `shift`? Within a quarter of the way counts."""
    back = abs(later.after_s - shift.before_s) <= abs(shift.after_s - shift.before_s) / 4
    return back and later.position - shift.position < PASSING
