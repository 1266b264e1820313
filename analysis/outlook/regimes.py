"""The levels that a run has had so far: a slow stretch that may pass, a fast one that may not last."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean, median, pstdev
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

STRETCHES = 32
"""Equal parts of the run so far; each has one level, the mean of some of its iterations."""

SAMPLES = 25
"""... of each part: whatever the length of the run, to look costs the same."""

APART = 0.05
"""Levels closer than this are one, as `timing/baseline.py` has it."""

SLOW = 1.25
"""A time that is so many times the usual is a stop's: what those cost is counted by itself."""

CHANCE = 5.0
"""Means of n times of one level are apart by hardly more than so many deviations of these times / √n."""

FARTHEST = 5.0
"""A level so many times another one is that of another setup: it does not come back."""

ELSEWHERE = 1 / 3
"""Of the run: what has been on one side of the mean for longer, now or before, is no excursion from it."""

FEWEST = 4 * STRETCHES
"""Iterations: of fewer a part has too few for a median."""


class Regimes(NamedTuple):
    """What the run's levels were: `number` of them, one after another.

    `usual_s` is their mean, as far as they still come back to it, `deviation_s` how far they scatter, `held` the
    share of the run that the newest lasts.
    """

    number: int
    usual_s: float
    deviation_s: float
    held: float

    def passing(self, passed: int, left: int) -> float:
        """The share of `left` iterations in which the newest level may be over: it lasts as long again."""
        return max(0.0, 1 - self.held * passed / left) if left else 0.0


def regimes(durations: Sequence[float], jitter: float = 0.0, slow: float = SLOW) -> Regimes | None:
    """The levels of a run with these `durations` (nan: not known); `None` where it has had one only.

    A level is a mean, as an iteration to come is expected to take it, of what is no longer than `slow` times the
    median: of times that are short or long by turns the median is either. Apart are levels by more than chance
    makes of times that differ by `jitter`.
    """
    total = len(durations)
    if total < FEWEST:
        return None
    levels = []
    fewest = SAMPLES
    for part in range(STRETCHES):
        begin, end = part * total // STRETCHES, (part + 1) * total // STRETCHES
        known = [d for d in durations[begin : end : max(1, (end - begin) // SAMPLES)] if d == d]
        if known:
            usual = median(known)
            levels.append(fmean([d for d in known if d <= slow * usual]))
            fewest = min(fewest, len(known))
    if not levels or not all(levels):
        return None
    levels = [level for level in levels if 1 / FARTHEST <= level / levels[-1] <= FARTHEST]
    apart = max(APART, CHANCE * jitter / fewest**0.5)
    changes = [place for place, (a, b) in enumerate(pairwise(levels), 1) if abs(b / a - 1) > apart]
    if not changes:
        return None
    held = (len(levels) - changes[-1]) / len(levels)
    usual_s = fmean(_since_the_mean(levels) if len(changes) > 1 else levels)  # of one change nobody knows
    return Regimes(len(changes) + 1, usual_s, pstdev(levels), held)


def _since_the_mean(levels: Sequence[float]) -> Sequence[float]:
    """All `levels`, or those since they were at their mean the last time, where that is long ago.

    A run that became slower halfway has a mean between both paces, which it does not go back to.
    """
    mean_s = fmean(levels)
    above = levels[-1] > mean_s
    back = next((n for n, one in enumerate(reversed(levels)) if (one > mean_s) != above), len(levels))
    elsewhere = sum((one > mean_s) != above for one in levels)
    return levels[-back:] if min(back, elsewhere) > ELSEWHERE * len(levels) else levels
