"""The lane of the losses: the training loss of every column, and the evaluations on top of it."""

from __future__ import annotations

from bisect import bisect_left
from math import isfinite
from typing import TYPE_CHECKING

from ... import words
from .curve import curve, over, settled_band
from .lane import Lane

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
        without = () if scene.has_times else ((" · no iteration times in this source", "dim"),)
        return ((self.name, "title"), *without, *said)

    def draw(self, scene: Scene, axis: Axis, rows: int) -> Block:
        """The curve, a ring for each evaluation, the newest beside it."""
        right = loss_lines(scene.found.losses) if axis.margins.has_figures else []
        values = [c.loss for c in axis.columns]
        band = settled_band(values, (v for _, v in scene.validations))
        if band is None:
            beside = [*right, *[()] * rows]
            return [axis.row((), (), beside[row]) for row in range(rows)]
        dots = curve(axis.grid, values, band, rows, "loss")
        for cell, value in newest_by_cell(axis, scene.validations).items():
            _ring(dots, band, cell, value)
        return over(axis, dots, band, right)


def newest_by_cell(axis: Axis, validations: Iterable[tuple[int, float]]) -> dict[int, float]:
    """The newest evaluation in each cell of the axis; of an iteration that was done again, where it was last."""
    stretches = [*_ascending(axis.columns)][::-1]
    found: dict[int, float] = {}
    for index, value in validations:
        at = _column_of(axis.columns, stretches, index)
        if at is not None and isfinite(value):
            found[axis.grid.cell(at)] = value
    return found


def _ring(dots: Dots, band: Band, cell: int, value: float) -> None:
    """A ring where an evaluation was: beside the curve rather than on it, as far as there is room."""
    row = dots.rows - 1 - round(band.share(value) * (4 * dots.rows - 1)) // 4
    free = [near for near in (row, row - 1, row + 1) if dots.free(near, cell, 1)]
    dots.put(free[0] if free else row, cell, "○", "validation")


def _ascending(columns: Sequence[ChartColumn]) -> Iterator[tuple[int, list[int]]]:
    """The stretches between two restarts, oldest first: the number of its first column, the last index of each."""
    start, lasts = 0, list[int]()
    for number, column in enumerate(columns):
        if lasts and column.last_index <= lasts[-1]:
            yield start, lasts
            start, lasts = number, []
        lasts.append(column.last_index)
    yield start, lasts


def _column_of(
    columns: Sequence[ChartColumn], stretches: Iterable[tuple[int, list[int]]], index: int
) -> int | None:
    for start, lasts in stretches:
        number = bisect_left(lasts, index)
        if number < len(lasts) and columns[start + number].first_index <= index:
            return start + number
    return None


def newest(losses: Losses) -> Line:
    """The newest training and validation loss in a line; since when there are none, where they are no numbers."""
    bad = f"{losses.not_finite:,} × nan or inf" if losses.not_finite else ""
    if bad and losses.train is None:
        at = "" if losses.not_finite_since is None else f" since {losses.not_finite_since:,}"
        return ((bad + at, "bad"),)
    parts: list[tuple[str, str]] = []
    if losses.train is not None:
        parts += [("train ", "label"), (words.loss(losses.train), "loss")]
    if losses.validation is not None:
        parts.append((f"  ○ val {words.loss(losses.validation)}", "validation"))
    if losses.validation_at is not None:
        parts.append((f" at {losses.validation_at:,}", "label"))
    if bad:
        parts.append((f"  {bad}", "bad"))
    return tuple(parts)


def loss_lines(losses: Losses) -> list[Line]:
    """The same, a line each, for the right of the lane."""
    lines: list[Line] = []
    if losses.not_finite:
        lines.append(((f"  {words.short_count(losses.not_finite)} × nan or inf", "bad"),))
        if losses.train is None and losses.not_finite_since is not None:
            lines.append(((f"  since {losses.not_finite_since:,}", "bad"),))
    if losses.train is not None:
        lines.append((("  train ", "label"), (f"{words.loss(losses.train):>14}", "loss")))
    if losses.validation is not None:
        lines.append(((f"  ○ val {words.loss(losses.validation):>14}", "validation"),))
    if losses.validation_at is not None:
        lines.append(((f"    at  {losses.validation_at:>14,}", "label"),))
    return lines
