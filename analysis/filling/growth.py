"""Is it growth, beyond sawtooth, steps and noise? By the lowest of each of many windows, which none of them lifts.

A sawtooth's lowest points stay where they are. A step lifts the windows after it once; a cache that fills up grows
less and less. Only what lifts window after window, about as much in the newest as before, to where it has never
been, is growth; and it is drawn on for little longer than it was seen (`forecast.FARTHEST`).
"""

from __future__ import annotations

from itertools import combinations, pairwise
from math import sqrt
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .course import Stretch

WINDOWS = 16
"""Of 16 windows without growth, `RISING` of all pairs rise once in 10,000 times (Kendall)."""

RISING = 0.8
LARGEST = 0.35
"""No single window brings more of the growth: that would be a step."""

AS_BEFORE = 0.6
"""So much of the whole slope the newest half has at least, and each of the newest two quarters a half of that."""

FASTER = 1.3
"""The newest half has at most so many times the whole slope: else it began later, and a shorter part is asked."""

SCATTER = 4.0
"""The growth is so many times what the windows lie beside the line."""

LEAST = 0.02
"""... and this share of what there is."""

SHORTEST_S = 600.0
PARTS = (0.05, 0.5, 0.75)
"""Where the growth may begin: after the start's own, and later; what is seen from the earliest counts."""

_Z = 1.645  # 90 %


class Growth(NamedTuple):
    """Growth for each iteration, with its 90 % interval, since `begin`; `low` is the line's height at `newest`."""

    each: float
    each_low: float
    each_high: float
    begin: Stretch
    newest: Stretch
    low: float
    above: float  # that the highest of a window lies above the line, usually
    beside: float  # that the lowest of a window lies beside it, usually

    @property
    def iterations(self) -> int:
        """In which it was seen."""
        return self.newest.iteration - self.begin.iteration


def growth_of(stretches: Sequence[Stretch], limit: float) -> Growth | None:
    """The growth that the stretches prove, of something that is full at `limit`."""
    for part in PARTS:
        start = int(part * len(stretches))
        found = _proven(stretches[start:], limit)
        if found is None:
            continue
        before = max((stretch.high for stretch in stretches[:start]), default=found.begin.low)
        if found.low > before:
            return found
    return None


def _proven(stretches: Sequence[Stretch], limit: float) -> Growth | None:
    if len(stretches) < 2 * WINDOWS or stretches[-1].at_s - stretches[0].at_s < SHORTEST_S:
        return None
    begin, newest = stretches[0], stretches[-1]
    windows = _windows(stretches)
    if len(windows) < WINDOWS:
        return None
    lowest = [min(window, key=lambda stretch: stretch.low) for window in windows]
    points = [(float(stretch.iteration - begin.iteration), stretch.low) for stretch in lowest]
    slopes = _slopes(points)
    each, rise = median(slopes), max(low for _, low in points) - points[0][1]
    rising = sum(slope > 0 for slope in slopes) - sum(slope < 0 for slope in slopes)
    if rising < RISING * len(slopes) or rise < LEAST * abs(limit or rise):
        return None
    if not _goes_on(points, each):
        return None
    base = median(low - each * x for x, low in points)
    beside = median(abs(low - base - each * x) for x, low in points)
    if rise < SCATTER * beside:
        return None
    tops = [max(window, key=lambda stretch: stretch.high) for window in windows]
    above = median(top.high - base - each * (top.iteration - begin.iteration) for top in tops)
    each_low, each_high = _interval(slopes, len(points))
    end = base + each * (newest.iteration - begin.iteration)
    return Growth(each, each_low, each_high, begin, newest, end, max(above, 0.0), beside)


def _windows(stretches: Sequence[Stretch]) -> list[list[Stretch]]:
    """As many of equally many iterations, as far as any stretch ends in them."""
    first, last = stretches[0].iteration, stretches[-1].iteration
    if last - first < WINDOWS:
        return []
    windows: list[list[Stretch]] = [[] for _ in range(WINDOWS)]
    for stretch in stretches:
        windows[min(WINDOWS - 1, (stretch.iteration - first) * WINDOWS // (last - first))].append(stretch)
    return [window for window in windows if window]


def _goes_on(points: list[tuple[float, float]], each: float) -> bool:
    """Is it no step, and as much in the newest part as before?"""
    rises = [after - before for (_, before), (_, after) in pairwise(points)]
    half, quarter = len(points) // 2, len(points) // 4
    newest = points[half:]
    return (
        max(rises) <= LARGEST * (points[-1][1] - points[0][1])
        and AS_BEFORE * each <= median(_slopes(newest)) <= FASTER * each
        and all(
            (part[-1][1] - part[0][1]) >= AS_BEFORE / 2 * each * (part[-1][0] - part[0][0])
            for part in (points[half : half + quarter + 1], points[-quarter - 1 :])
        )
    )


def _slopes(points: Sequence[tuple[float, float]]) -> list[float]:
    """Of each pair (Theil and Sen): their median is moved by no few windows."""
    pairs = combinations(points, 2)
    return sorted((b - a) / (after - before) for (before, a), (after, b) in pairs if after > before)


def _interval(slopes: list[float], count: int) -> tuple[float, float]:
    """The 90 % interval of the median of `slopes` (Sen 1968)."""
    wide = _Z * sqrt(count * (count - 1) * (2 * count + 5) / 18)
    low = max(0, round((len(slopes) - wide) / 2))
    return slopes[low], slopes[-1 - low]
