"""The vertical scales of a chart: which value stands in which dot row, and which round values it shows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from math import ceil, floor, inf, isfinite, log10
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..analysis.chart import ChartColumn

TWO_BAND = "two bands"
LINEAR = "linear"
LOG = "log"
SCALES = (TWO_BAND, LINEAR, LOG)

_MINUTE, _HOUR, _DAY = 60.0, 3_600.0, 86_400.0
_FIRST = (*(float(f"1e{power}") for power in range(-11, 2)), *(n * _MINUTE for n in (1, 10, 60, 600)))
ROUND_S = tuple(
    sorted(
        {float(f"{n}e{power}") for power in range(-11, 1) for n in (1, 2, 5)}
        | {10.0, 20.0, 30.0}
        | {n * _MINUTE for n in (1, 2, 5, 10, 20, 30)}
        | {n * _HOUR for n in (1, 2, 5, 10)}
        | {float(f"{n}e{power}") * _DAY for power in range(6) for n in (1, 2, 5)}
    )
)
"""Round times, as a clock counts: 0.5 s, 20 s, 30 s, 1 m, 5 m, 1 h, 1 d."""

_STEPS = 16
"""The ends of an axis are multiples of a round time that it holds so often at most."""


_SETTLED, _LEAST_SETTLED = 20, 40
"""One value in twenty at the beginning is not in the range of a curve that has so many."""

_LITTLE = 1.5
"""Of its height: what lies no further out needs no axis of its own."""


class Band(msgspec.Struct, frozen=True):
    """A range of values over rows of dots; `log` spaces decades evenly. Its ends are multiples of `step_s`."""

    low: float
    high: float
    log: bool = False
    step_s: float = 0.0

    def share(self, value: float) -> float:
        """Where `value` lies: 0 at the bottom, 1 at the top, clipped."""
        low, high = self.low, self.high
        if self.log:
            low, high, value = log10(low), log10(high), log10(max(value, low))
        share = (value - low) / (high - low)
        return 0.0 if share < 0.0 else min(share, 1.0)

    def reaching(self, most: float) -> Band:
        """Itself, or a little more where that holds all: a break for so little would hide more than it shows."""
        if not self.high < most <= self.low + _LITTLE * (self.high - self.low):
            return self
        return Band(self.low, ceil(most / self.step_s) * self.step_s, step_s=self.step_s)

    def ticks(self, rows: int) -> tuple[float, list[tuple[int, float]]]:
        """What lies between round values, and those beside some of its `rows`: (row from the top, value).

        Never in neighbouring rows; two at least, be they the ends, where there are three rows.
        """
        for step_s, values in self._choices():
            placed = [(self._row(value, rows), value) for value in values]
            if len(placed) > 1 and all(low - high > 1 for (low, _), (high, _) in pairwise(placed)):
                return step_s, placed
        ends = [(rows - 1, self.low), (0, self.high)]
        return self.step_s, ends if rows > 2 else []

    def _choices(self) -> Iterator[tuple[float, Sequence[float]]]:
        """Values to mark, the most first."""
        if self.log:
            every = ROUND_S[bisect_left(ROUND_S, self.low) : bisect_right(ROUND_S, self.high)]
            yield 0.0, every
            yield 0.0, [value for value in every if value in _FIRST]
            return
        for step_s in ROUND_S[bisect_left(ROUND_S, self.step_s) :]:
            if step_s > self.high - self.low:
                return
            yield step_s, multiples(step_s, self.low, self.high)

    def _row(self, value: float, rows: int) -> int:
        return rows - 1 - round(self.share(value) * (4 * rows - 1)) // 4


def multiples(step_s: float, low: float, high: float) -> list[float]:
    """From `low` to `high`."""
    return [n * step_s for n in range(ceil(low / step_s * (1 - 1e-9)), floor(high / step_s * (1 + 1e-9)) + 1)]


def round_step(least: float) -> float:
    """The smallest round time that is at least `least`."""
    return ROUND_S[min(bisect_left(ROUND_S, least * (1 - 1e-9)), len(ROUND_S) - 1)]


def round_values(low: float, high: float, most: int) -> tuple[float, list[float]]:
    """At most `most` round times from `low` to `high`, and what lies between them: one at least."""
    first = bisect_left(ROUND_S, round_step((high - low) / most))
    for step_s in reversed(ROUND_S[: first + 1]):
        values = multiples(step_s, low, high)
        if values:
            return step_s, values[-most:]
    return high, [high]


def nice(step: float) -> float:
    """The smallest of 1, 2, 2.5, 5 × 10ⁿ that is at least `step`."""
    power = 10.0 ** floor(log10(step))
    return next((m * power for m in (1, 2, 2.5, 5) if m * power >= step * (1 - 1e-9)), 10 * power)


def band_around(columns: Sequence[ChartColumn], clean_s: float | None) -> Band | None:
    """The range of the clean iterations, but for a fiftieth of the columns; 1 % of jitter is well visible.

    Its ends are round, so that it stands still while the numbers breathe.
    """
    known = [c for c in columns if c.slowest_s]
    clean = [(c.low_s, c.high_s) for c in known if c.low_s and c.high_s]
    ends = clean or [(c.slowest_s, c.slowest_s) for c in known if c.slowest_s]
    if not ends:
        return None
    lows, highs = (sorted(column) for column in zip(*ends, strict=True))
    centre = clean_s or lows[len(lows) // 2]
    low = min(lows[len(lows) // 50], centre)
    high = max(highs[-1 - len(highs) // 50], centre)
    low, high = max(low, centre / 3), min(high, centre * 3)
    margin = max(0.01 * centre, 0.05 * (high - low))
    step_s = round_step(max(0.006 * centre, (high - low + 2 * margin) / _STEPS))
    low, high = floor((low - margin) / step_s) * step_s, ceil((high + margin) / step_s) * step_s
    return Band(max(0.0, low), high, step_s=step_s)


def whole(columns: Sequence[ChartColumn], *, log: bool) -> Band | None:
    """The range of everything that is there, from 0 where the scale is linear."""
    known = [(c.low_s or c.slowest_s, c.slowest_s) for c in columns if c.slowest_s]
    if not known:
        return None
    top = (1.02 if log else 1.1) * max(high for _, high in known)  # room for the seconds of a spike
    if not log:
        step_s = round_step(top / _STEPS)
        return Band(0.0, ceil(top / step_s) * step_s, step_s=step_s)
    bottom = 0.98 * min(low for low, _ in known)
    return Band(ROUND_S[max(0, bisect_right(ROUND_S, bottom) - 1)], round_step(top), log=True)


def settled_band(values: Sequence[float | None], beside: Iterable[float] = ()) -> Band | None:
    """From the lowest to the highest, without the fall of the first twentieth: it would flatten the rest.

    Those `beside` the curve, oldest first, widen it; far above all of it only where the newest is there too, as
    the evaluations of a run that overfits are. What is never negative has an axis that is not negative either.
    """
    known = [v for v in values if v is not None and isfinite(v)]
    settled = known[len(known) // _SETTLED :] if len(known) >= _LEAST_SETTLED else known
    marks = [v for v in beside if isfinite(v)]
    most = 1.1 * max(settled) if settled and marks and marks[-1] <= 1.1 * max(settled) else inf
    shown = settled + [v for v in marks if v <= most]
    if not shown:
        return None
    low, high = min(shown), max(shown)
    margin = 0.02 * (high - low) or 0.05 * abs(high) or 1.0
    return Band(max(0.0, low - margin) if low >= 0 else low - margin, high + margin)


def whole_band(values: Sequence[float | None], *, from_zero: bool = False) -> Band | None:
    """From the least to the greatest of them, and no further: the ends are values that there were, or zero."""
    known = [v for v in values if v is not None and isfinite(v)]
    if not known:
        return None
    low, high = min(known), max(known)
    if from_zero or low == high:
        low, high = min(0.0, low), max(0.0, high)
    return Band(low, high if high > low else low + 1.0)
