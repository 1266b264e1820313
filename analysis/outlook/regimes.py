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

FEWEST = 4 * STRETCHES
"""Iterations: of fewer a part has too few for a median."""


class Regimes(NamedTuple):
    """What the run's levels were: `number` of them, one after another.

    `usual_s` is their mean, `deviation_s` how far they scatter, `held` the share of the run that the newest lasts.
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
    return Regimes(len(changes) + 1, fmean(levels), pstdev(levels), held)
