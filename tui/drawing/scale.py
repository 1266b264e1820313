"""The vertical scales of a chart: which value stands in which dot row. Pure numbers."""

from __future__ import annotations

from math import ceil, floor, isfinite, log10
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.chart import ChartColumn

TWO_BAND = "two bands"
LINEAR = "linear"
LOG = "log"
SCALES = (TWO_BAND, LINEAR, LOG)


class Band(msgspec.Struct, frozen=True):
    """A range of values over some rows of dots; `log` spaces decades evenly."""

    low: float
    high: float
    log: bool = False

    def share(self, value: float) -> float:
        """Where `value` lies: 0 at the bottom, 1 at the top, clipped."""
        low, high = self.low, self.high
        if self.log:
            low, high, value = log10(low), log10(high), log10(max(value, low))
        return min(1.0, max(0.0, (value - low) / (high - low)))

    def value(self, share: float) -> float:
        """The value at a share of the height."""
        if self.log:
            return float(self.low * (self.high / self.low) ** share)
        return self.low + (self.high - self.low) * share


def nice(step: float) -> float:
    """The smallest of 1, 2, 2.5, 5 × 10ⁿ that is at least `step`."""
    power = 10.0 ** floor(log10(step))
    return next((m * power for m in (1, 2, 2.5, 5) if m * power >= step * (1 - 1e-9)), 10 * power)


def band_around(columns: Sequence[ChartColumn], clean_s: float | None) -> Band | None:
    """The range of the normal iterations: it holds the columns' medians, and 1 % of jitter is well visible.

    Its ends are multiples of half a percent or more, so that it stands still while the numbers breathe.
    """
    medians = sorted(c.median_s for c in columns if c.median_s is not None and c.median_s > 0 and not _all_slow(c))
    medians = medians or sorted(c.median_s for c in columns if c.median_s is not None and c.median_s > 0)
    if not medians:
        return None
    centre = clean_s or medians[len(medians) // 2]
    low = min(medians[len(medians) // 50], centre)
    high = max(medians[-1 - len(medians) // 50], centre)
    low, high = max(low, centre / 3), min(high, centre * 3)
    margin = max(0.015 * centre, 0.25 * (high - low))
    step = nice(max(0.005 * centre, (high - low + 2 * margin) / 16))
    return Band(max(0.0, floor((low - margin) / step) * step), ceil((high + margin) / step) * step)


def _all_slow(column: ChartColumn) -> bool:
    return column.spikes > column.last - column.first


def whole(columns: Sequence[ChartColumn], *, log: bool) -> Band | None:
    """The range of everything that is there, from 0 where the scale is linear."""
    highs = [c.high_s for c in columns if c.high_s is not None and isfinite(c.high_s)]
    lows = [c.low_s for c in columns if c.low_s is not None and c.low_s > 0]
    if not highs or max(highs) <= 0:
        return None
    top = max(highs) * 1.02
    if not log or not lows:
        step = nice(top / 8)
        return Band(0.0, ceil(top / step) * step)
    bottom = min(lows) * 0.9
    return Band(bottom, max(top, bottom * 1.5), log=True)
