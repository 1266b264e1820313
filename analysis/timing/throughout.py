"""Which changes of the level all rows between them bear out: not only the few that each was measured from.

And whether it drifts through all of them, in no step that any place could be named for.
"""

from __future__ import annotations

from itertools import pairwise
from math import log, sqrt
from statistics import median
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..findings.speed import creep
from ..ticks import NOISE
from .baseline import LEAST_CHANGE
from .lasting import lately, soon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..findings import Shift
    from ..record.columns import Columns

BLIP = 64
"""A level that goes one way and comes back the other within so many rows was no level."""

STRETCHES, ROWS = 16, 64
"""Of a longer part so many stretches of so many rows are looked at, from its first to its last: whatever its
length, to look costs the same, and no period of evaluations or epochs can hide in it."""

OF_THE_WAY = 0.5
"""A level that is told may be this share of its change away from the median of all rows that it is told of."""

BESIDE, FEWEST = 30, 5
"""So many rows right before a change and right behind it show whether it was a step; fewer show nothing."""

PARTS, ROWS_EACH = 10, 16
"""A drift is in all of so many parts of so many rows at least: in each the level goes on from the last one's."""

LARGEST = 2 / 3
"""Of the whole way, at most, from one part to the next: more is a step."""

BACK = 0.01
"""Of the level: so far it may go back in one part, as medians of few rows do."""

EIGHTHS, ROWS_OF_ONE = 8, 128
"""Each side of a change must be on its own side of the middle in each of so many parts, of so many rows at least:
a level that went and came back in the midst of one side is neither of the two that are told."""

OF_THE_STEP = 2 / 3
"""They must differ by this share of what the levels that are told of differ by: else it was a drift."""

AVERAGED = NOISE
"""By a coarse clock a smaller change is none: rows are taken together until it ticks, and the mean of so many
follows what wavers slowly, which then looks like a step."""


def throughout(shifts: Sequence[Shift], columns: Columns, begun: int) -> tuple[int, list[Shift]]:
    """Those of `shifts`, oldest first, that hold for all rows up to the next; and where the first level began.

    At `begun`, or where the newest of those that are left out for an uneven side was.

    What is left out joins two parts to one: so the others are looked at anew, the weakest change first. Many
    small steps in one direction are told as one that creeps, and none of them holds throughout: they are left.
    """
    if creep(shifts):
        return begun, [*shifts]
    kept, least = _without_blips(shifts), LEAST_CHANGE if columns.coarse is None else AVERAGED
    while kept:
        starts = [begun, *(shift.position for shift in kept)]
        levels = [median_of(columns, *part) for part in zip(starts, [*starts[1:], len(columns)], strict=True)]
        sides = zip(kept, starts, pairwise(levels), strict=False)
        share, weakest = min(
            (min(_borne(shift, *levels_s, least=least), _stepped(shift, columns, begins, *levels_s)), place)
            for place, (shift, begins, levels_s) in enumerate(sides)
        )
        if share >= 1:
            break
        del kept[weakest]
    left_out = _last_uneven(kept, columns, begun)
    return [begun, *(shift.position for shift in kept)][left_out], kept[left_out:]


def _last_uneven(shifts: Sequence[Shift], columns: Columns, begun: int) -> int:
    """How many of `shifts` go: up to the newest with a side that is not of one level in all of its parts."""
    ends = [begun, *(shift.position for shift in shifts), len(columns)]
    stretches = [(median_of(columns, *part) or 0.0, _in_parts(columns, *part)) for part in pairwise(ends)]
    uneven = [not _is_even(*sides) for sides in pairwise(stretches)]
    return max((place for place, is_uneven in enumerate(uneven, 1) if is_uneven), default=0)


def _is_even(before: tuple[float, list[float]], after: tuple[float, list[float]]) -> bool:
    """Is each part of either side, of which its level comes first, on its own side of the middle?"""
    (before_s, early), (after_s, late) = before, after
    middle_s, way = sqrt(before_s * after_s), 1 if after_s > before_s else -1
    return all(way * s < way * middle_s for s in early) and all(way * s > way * middle_s for s in late)


def _in_parts(columns: Columns, first: int, end: int) -> list[float]:
    """What is usual in each of up to `EIGHTHS` parts of the rows from position `first` up to `end`."""
    parts = max(1, min(EIGHTHS, (end - first) // ROWS_OF_ONE))
    cuts = [first + (end - first) * part // parts for part in range(parts + 1)]
    return [usual_s for part in pairwise(cuts) if (usual_s := median_of(columns, *part))]


def _without_blips(shifts: Sequence[Shift]) -> list[Shift]:
    kept: list[Shift] = []
    for shift in shifts:
        before = kept[-1] if kept else None
        opposite = before is not None and (before.after_s > before.before_s) != (shift.after_s > shift.before_s)
        if before is not None and opposite and shift.position - before.position < BLIP:
            kept[-1] = replace(before, after_s=shift.after_s)  # what is left of both
        else:
            kept.append(shift)
    return kept


def median_of(columns: Columns, first: int, end: int) -> float | None:
    """Of the rows from position `first` up to `end`; `None`: too few of them have a time."""
    rows = columns.duration_s
    if end - first <= STRETCHES * ROWS:
        known = [d for d in rows[first:end] if d == d]
    else:
        apart = (end - first - ROWS) / (STRETCHES - 1)
        begins = [first + round(n * apart) for n in range(STRETCHES)]
        known = [d for at in begins for d in rows[at : at + ROWS] if d == d]
    return median(known) if known else None


def _borne(shift: Shift, before_s: float | None, after_s: float | None, *, least: float = LEAST_CHANGE) -> float:
    """From 1 on it is borne out by what the rows on both sides took; the less, the less of it is there."""
    if not before_s or not after_s:
        return 1.0  # nothing speaks against it
    way, found = log(shift.after_s / shift.before_s), log(after_s / before_s)
    off = max(abs(log(before_s / shift.before_s)), abs(log(after_s / shift.after_s)))
    if way * found <= 0 or off > OF_THE_WAY * abs(way):
        return 0.0
    return abs(found) / log(1 + least)


def _stepped(shift: Shift, columns: Columns, begun: int, before_s: float | None, after_s: float | None) -> float:
    """From 1 on the rows right beside it differ as those levels do, of which the first began at `begun`."""
    at, rows = shift.position, columns.duration_s
    sides = (lately(rows, begun, at, BESIDE)[1], soon(rows, at, len(rows), BESIDE))
    beside = [[d for d in part if d == d] for part in sides]
    near_s = [median(part) for part in beside if len(part) >= FEWEST]
    if not before_s or not after_s or before_s == after_s or len(near_s) < len(beside) or not all(near_s):
        return 1.0  # nothing speaks against it
    return log(near_s[1] / near_s[0]) / (OF_THE_STEP * log(after_s / before_s))


def has_moved(first_s: float, level_s: float) -> bool:
    """Is the level elsewhere than where it began, by what is a change of level anywhere else?"""
    return abs(log(level_s / first_s)) > log(1 + LEAST_CHANGE)


def drift(columns: Columns, first: int) -> tuple[float, float] | None:
    """What was usual in the first tenth of the rows from position `first` on, and in the last; or no drift."""
    count = len(columns) - first
    if count < PARTS * ROWS_EACH:
        return None
    ends = [first + count * part // PARTS for part in range(PARTS + 1)]
    usual_s = [one for part in pairwise(ends) if (one := median_of(columns, *part))]
    if len(usual_s) < PARTS or not has_moved(usual_s[0], usual_s[-1]):
        return None
    way = log(usual_s[-1] / usual_s[0])
    steps = [log(after / before) / way for before, after in pairwise(usual_s)]
    goes_on = min(steps) * abs(way) >= -BACK and max(steps) <= LARGEST
    return (usual_s[0], usual_s[-1]) if goes_on else None
