"""The lane of the losses: the training loss of every column, and the evaluations on top of it."""

from __future__ import annotations

from bisect import bisect_right
from math import isfinite
from operator import lt
from typing import TYPE_CHECKING

from ... import words
from ...analysis.chart import finder, not_resumed
from ...reports.scale import settled_band
from .curve import curve, over
from .lane import Lane

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...analysis.chart import ChartColumn
    from ...analysis.findings import Losses
    from ...reports.scale import Band
    from ..drawing.braille import Dots
    from ..drawing.lines import Block, Line
    from ..scene import Scene
    from .axis import Axis


class LossesLane(Lane):
    """The losses of the iterations that the chart above shows."""

    name = "loss"
    smallest = 3
    worth = 6

    def is_shown(self, scene: Scene) -> bool:
        """Where the source has any."""
        return scene.has_losses

    def wanted(self, scene: Scene, rows: int) -> int:
        """A quarter of the height; all of it where there are no times."""
        return max(self.smallest, rows // 4) if scene.has_times else rows

    def heading(self, scene: Scene, axis: Axis) -> Line:
        """Its name, and the newest where they have no place beside it."""
        said = () if axis.margins.has_figures else ((" ", ""), *newest(scene.found.losses))
        without = () if scene.has_times else ((" · no iteration times found", "dim"),)
        return ((self.name, "title"), *without, *said)

    def draw(self, scene: Scene, axis: Axis, rows: int) -> Block:
        """The curve, a ring for each evaluation, the newest beside it."""
        right = loss_lines(scene.found.losses) if axis.margins.has_figures else []
        values = [c.loss for c in axis.columns]
        rings = newest_by_column(axis, scene.validations)
        band = settled_band(values, rings.values())
        if band is None:
            beside = [*right, *[()] * rows]
            return [axis.row((), (), beside[row]) for row in range(rows)]
        dots = curve(axis.grid, values, band, rows, "loss")
        for column, value in rings.items():
            _ring(dots, band, axis, column, value)
        return over(axis, dots, band, right)


def newest_by_column(axis: Axis, validations: Sequence[tuple[int, float]]) -> dict[int, float]:
    """The newest evaluation in each cell of the axis, by its column there."""
    numbers = [index for index, _ in validations]
    if all(map(lt, numbers, numbers[1:])) and not_resumed(axis.columns):
        places = _last_in_columns(axis.columns, validations, numbers)
    else:
        column_of = finder(axis.columns)
        places = ((at, v) for index, v in validations if isfinite(v) and (at := column_of(index)) is not None)
    found: dict[int, tuple[int, float]] = {}
    for at, value in places:
        found[axis.grid.cell(at)] = at, value
    return dict(found.values())


def _last_in_columns(
    columns: Sequence[ChartColumn], validations: Sequence[tuple[int, float]], numbers: Sequence[int]
) -> Iterator[tuple[int, float]]:
    """(column, value): a search a column, where thousands of evaluations would take one each."""
    for number, column in enumerate(columns):
        at = bisect_right(numbers, column.last_index) - 1
        while at >= 0 and numbers[at] >= column.first_index:
            if isfinite(value := validations[at][1]):
                yield number, value
                break
            at -= 1


def _ring(dots: Dots, band: Band, axis: Axis, column: int, value: float) -> None:
    """A ring where an evaluation was; where the curve is in its way, next to it on the side on which it lies."""
    row = dots.rows - 1 - round(band.share(value) * (4 * dots.rows - 1)) // 4
    loss, cell = axis.columns[column].loss, axis.grid.cell(column)
    beside = row + 1 if loss is not None and value < loss else row - 1
    free = (near for near in (row, beside) if dots.free(near, cell, 1))
    dots.put(next(free, row), cell, "○", "validation")


def newest(losses: Losses) -> Line:
    """The newest training and validation loss in a line; since when there are none, where they are no numbers."""
    bad = f"{losses.not_finite:,} × nan or inf" if losses.not_finite else ""
    if bad and losses.train is None:
        at = "" if losses.not_finite_since is None else f" since {losses.not_finite_since:,}"
        return ((bad + at, "bad"),)
    parts: list[tuple[str, str]] = []
    if losses.train is not None:
        parts += [(f"{losses.called} ", "label"), (words.loss(losses.train), "loss")]
    if losses.validation is not None:
        parts.append((f"  ○ {_short(losses)} {words.loss(losses.validation)}", "validation"))
    if losses.validation_at is not None:
        parts.append((f" at {losses.validation_at:,}", "label"))
    if bad:
        parts.append((f"  {bad}", "bad"))
    return tuple(parts)


def _short(losses: Losses) -> str:
    """The set of the evaluations, as short as the column is."""
    return "val" if losses.validation_called == "validation" else losses.validation_called[:4]


def loss_lines(losses: Losses) -> list[Line]:
    """The same, a line each, for the right of the lane."""
    lines: list[Line] = []
    if losses.not_finite:
        lines.append(((f"  {words.short_count(losses.not_finite)} × nan or inf", "bad"),))
        if losses.train is None and losses.not_finite_since is not None:
            lines.append(((f"  since {losses.not_finite_since:,}", "bad"),))
    if losses.train is not None:
        lines.append(((f"  {losses.called:<5} ", "label"), (f"{words.loss(losses.train):>14}", "loss")))
    if losses.validation is not None:
        lines.append(((f"  ○ {_short(losses):<4}{words.loss(losses.validation):>14}", "validation"),))
    if losses.validation_at is not None:
        lines.append(((f"    at  {losses.validation_at:>14,}", "label"),))
    return lines
