"""A value of every column as a curve over the axis."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from ..drawing.braille import Dots

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...reports.scale import Band
    from ..drawing.lines import Block, Line
    from .axis import Axis, Grid


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
