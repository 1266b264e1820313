"""The lane of the losses: the training loss of every column, and the evaluations on top of it."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from ... import words
from .curve import curve, over, settled_band
from .lane import Lane

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        losses = scene.found.losses
        return losses.train is not None or losses.validation is not None or bool(losses.not_finite)

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
        for index, value in scene.validations:
            _ring(dots, axis, band, index, value)
        return over(axis, dots, band, right)


def _ring(dots: Dots, axis: Axis, band: Band, index: int, value: float) -> None:
    """A ring where an evaluation was: beside the curve rather than on it, as far as there is room."""
    at = _column_of(axis.columns, index)
    if at is None or not isfinite(value):
        return
    cell = axis.grid.cell(at)
    row = dots.rows - 1 - round(band.share(value) * (4 * dots.rows - 1)) // 4
    free = [near for near in (row, row - 1, row + 1) if dots.free(near, cell, 1)]
    dots.put(free[0] if free else row, cell, "○", "validation")


def _column_of(columns: Sequence[ChartColumn], index: int) -> int | None:
    for number in range(len(columns) - 1, -1, -1):  # from the newest: the last run of an iteration counts
        if columns[number].first_index <= index <= columns[number].last_index:
            return number
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
