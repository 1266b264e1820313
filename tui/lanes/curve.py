"""A value of every column as a curve over the axis."""

from __future__ import annotations

from math import inf, isfinite
from typing import TYPE_CHECKING

from ...reports.scale import Band
from ..drawing.braille import Dots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..drawing.lines import Block, Line
    from .axis import Axis, Grid

_LEAST_SETTLED = 40


def curve(grid: Grid, values: Sequence[float | None], band: Band, rows: int, style: str) -> Dots:
    """Neighbouring values are joined; an unknown one, and one that is no finite number, is a gap."""
    dots = Dots(grid.cells, rows)
    top = 4 * rows - 1
    before: int | None = None
    for number, value in enumerate(values):
        if value is None or not isfinite(value):
            before = None
            continue
        dot = round(band.share(value) * top)
        joined = dot if before is None else before
        first = number * grid.dots
        dots.column(first, min(dot, joined), max(dot, joined), style)
        for x in range(first + 1, first + grid.dots):
            dots.column(x, dot, dot, style)
        before = dot
    return dots


def settled_band(values: Sequence[float | None], beside: Iterable[float] = ()) -> Band | None:
    """From the lowest to the highest, without the fall of the first twentieth: it would flatten the rest.

    Those `beside` the curve widen it, unless they are far above all of it. What is never negative has an axis
    that is not negative either.
    """
    known = [v for v in values if v is not None and isfinite(v)]
    settled = known[len(known) // 20 :] if len(known) >= _LEAST_SETTLED else known
    most = 1.1 * max(settled) if settled else inf
    shown = settled + [v for v in beside if isfinite(v) and v <= most]
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


def held(values: Sequence[float | None]) -> list[float | None]:
    """Each value until the next one comes."""
    newest: float | None = None
    shown: list[float | None] = []
    for value in values:
        newest = newest if value is None else value
        shown.append(newest)
    return shown


def over(
    axis: Axis, dots: Dots, band: Band, right: Sequence[Line], say: Callable[[float], str] = "{:.3g}".format
) -> Block:
    """The rows of a lane: the ends of its band at the left, the curve, and `right` beside the first rows."""
    beside = [*right, *[()] * dots.rows]
    ends = {0: say(band.high), dots.rows - 1: say(band.low)} if dots.rows > 1 else {}
    return [axis.row(axis.value(ends.get(row, "")), plot, beside[row]) for row, plot in enumerate(dots.lines())]
