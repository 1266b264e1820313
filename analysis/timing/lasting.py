"""Which changes of the level lasted, and are borne out by what lies on both sides of them.

A slow minute that passed is no news an hour later. A level is measured from few iterations: what is said of a
change must be true of the many around it, and of the lines' time stamps where these are another witness.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from .baseline import LEAST_CHANGE
from .witnesses import FEWEST, apart_s

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..findings import Shift
    from ..record.columns import Columns

AROUND = 64
"""So many rows on each side of a change are looked at."""

BORNE_OUT = 0.5
"""Both sides must differ by this part of the change that is told, and by `LEAST_CHANGE` at least."""

FEW = 0.25
"""Of the rows on either side, so many at most may lie on the other side of the middle between both levels: what
changes between two values all the time moves the median from one to the other, and no level has changed."""

PASSING = 256
"""A level that comes back within so many iterations was a passing trouble, not a lasting change."""


def lately(duration_s: Sequence[float], least: int, end: int, rows: int = AROUND) -> tuple[int, Sequence[float]]:
    """The newest rows before position `end`, in which a change may show: the first position, and their times.

    From position `least` on. Where few rows have a time of their own, they are further back, and many more.
    """
    since = max(least, end - rows)
    while since > least and 2 * _known(duration_s[since:end]) < rows:
        since = max(least, end - 2 * (end - since))
    return since, duration_s[since:end]


def soon(duration_s: Sequence[float], begin: int, most: int, rows: int = AROUND) -> Sequence[float]:
    """The times of the first rows from position `begin` on, in the same way, and before position `most`."""
    until = min(most, begin + rows)
    while until < most and 2 * _known(duration_s[begin:until]) < rows:
        until = min(most, begin + 2 * (until - begin))
    return duration_s[begin:until]


def _known(duration_s: Sequence[float]) -> int:
    return sum(d == d for d in duration_s)


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


def borne_out(shifts: Sequence[Shift], columns: Columns, begun: int) -> list[Shift]:
    """Those of `shifts`, oldest first, that both sides bear out. The first level began at position `begun`."""
    ends = [*(shift.position for shift in shifts[1:]), len(columns)]
    starts = [begun, *(shift.position for shift in shifts)]
    return [
        shift
        for shift, start, end in zip(shifts, starts, ends, strict=False)
        if is_borne_out(shift, columns, start, end)
    ]


def is_borne_out(shift: Shift, columns: Columns, start: int, end: int) -> bool:
    """Do the rows on both sides show it? The level before began at position `start`, the next one at `end`."""
    at, rows = shift.position, columns.duration_s
    (first, early), late = lately(rows, start, at), soon(rows, at, end)
    end = at + len(late)
    before, after = ([d for d in part if d == d] for part in (early, late))
    if len(before) < FEWEST or len(after) < FEWEST:
        return True  # nothing speaks against it
    told = shift.after_s / shift.before_s - 1
    if not _agrees(told, median(after) / median(before) - 1) or _is_mixed(shift, before, after):
        return False
    if not columns.at_s:
        return True
    apart = [apart_s(columns, *part) for part in ((first, at), (at, end))]
    return not (apart[0] and apart[1]) or _agrees(told, apart[1] / apart[0] - 1)


def _is_mixed(shift: Shift, before: Sequence[float], after: Sequence[float]) -> bool:
    """Took many as long already before it as behind it, or the other way round?"""
    middle_s, rises = (shift.before_s + shift.after_s) / 2, shift.after_s > shift.before_s
    early = sum((d >= middle_s) == rises for d in before)
    late = sum((d < middle_s) == rises for d in after)
    return early > FEW * len(before) or late > FEW * len(after)


def _agrees(told: float, found: float) -> bool:
    return told * found > 0 and abs(found) >= max(LEAST_CHANGE, BORNE_OUT * abs(told))


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


def is_back(shift: Shift, later: Shift) -> bool:
    """Is the level behind `later` again what it was before `shift`? Within a quarter of the way counts."""
    return abs(later.after_s - shift.before_s) <= abs(shift.after_s - shift.before_s) / 4


def _undoes(shift: Shift, later: Shift) -> bool:
    return is_back(shift, later) and later.position - shift.position < PASSING
