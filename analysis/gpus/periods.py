"""How often GPUs rise and fall together: the period of a loop that feeds them too slowly.

It is believed where what they do comes again after one period, after two and after three, and not in between: a
ramp, or noise that is slow, does none of it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST_SAMPLES = 4
"""In a period: with fewer, one that is too fast to be seen looks like a slow one."""

PERIODS = 3
"""After so many it still comes again."""

LEAST = 0.35
"""Correlation with what was a period before: seven times what chance reaches in 400 samples."""

NEWEST = 480
"""Samples that are looked at: eight minutes at one a second, in a twentieth of one."""

MOVES = 0.1
"""Of the highest value: what moves by less is the ripple of a sensor."""

RIPPLE = 0.01
"""... and so is what its changes spread by."""

FADES = 0.5
"""Of this correlation, at the later periods; and the most of it in between."""


def period_of(values: Sequence[float]) -> int | None:
    """The samples in a period of `values`; `None` where they have none that can be seen at this sampling."""
    values = values[-NEWEST:]
    if not values:
        return None
    in_order, few = sorted(values), len(values) // 20
    highest = max(map(abs, values))
    if in_order[-1 - few] - in_order[few] <= MOVES * highest:
        return None
    changes = [after - before for before, after in pairwise(values)]
    return _period(values, 0.0) or _period(changes, RIPPLE * highest)


def _period(values: Sequence[float], ripple: float) -> int | None:
    """That of values that spread by more than a `ripple`."""
    count = len(values)
    mean = sum(values) / count
    flat = [value - mean for value in values]
    whole = sum(value * value for value in flat)
    if whole <= count * ripple**2:
        return None
    found = [_again(flat, lag, whole) for lag in range(count // (PERIODS + 1) * PERIODS)]
    falls = next((lag for lag, again in enumerate(found) if again < FADES * LEAST), len(found))
    for lag in range(falls, len(found) // PERIODS):
        if found[lag] >= LEAST and found[lag] == max(found[lag - 1 : lag + 2]):
            return lag if lag >= FEWEST_SAMPLES and _comes_again(found, lag) else None
    return None


def _comes_again(found: Sequence[float], lag: int) -> bool:
    """A period is not a whole number of samples: its second comes up to one of them earlier or later."""
    later = [max(found[lag * n - n + 1 : lag * n + n]) for n in range(2, PERIODS + 1)]
    between = [found[lag * n + lag // 2] for n in range(PERIODS)]
    return min(later) >= FADES * found[lag] >= max(between)


def _again(flat: Sequence[float], lag: int, whole: float) -> float:
    """The correlation of the values with those `lag` samples before."""
    count = len(flat)
    return sum(map(float.__mul__, flat[lag:], flat)) / whole * count / (count - lag)
