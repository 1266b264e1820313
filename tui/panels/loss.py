"""The loss chart: the training loss of every column, and the evaluations on top of it."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from ... import words
from ..drawing.braille import Dots
from ..drawing.lines import box
from ..drawing.scale import Band
from .chart import GUTTER, Grid, wanted_columns
from .panel import Panel, Size, lower_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.chart import ChartColumn
    from ...analysis.findings import Losses
    from ..drawing.lines import Block, Line
    from ..scene import Scene


class LossPanel(Panel):
    """The losses of the iterations that the chart above shows."""

    name = "loss"
    smallest = Size(32, 8)
    worth = 4

    def wanted(self, scene: Scene, space: Size) -> Size:  # noqa: ARG002 - a panel's signature
        """A third of the height."""
        return lower_size(space)

    def draw(self, scene: Scene, size: Size) -> Block:
        """The chart, and the newest values in the frame."""
        return framed_losses(scene, size, ((self.name, "title"),))


def framed_losses(scene: Scene, size: Size, title: Line) -> Block:
    """The loss chart in a frame of `size` under `title`."""
    cells = size.columns - 2
    chart = loss_chart(scene.columns(wanted_columns(cells)), scene.validations, cells, size.rows - 2)
    return box(title, chart, *size, right=newest(scene.found.losses, size.columns))


def loss_chart(
    columns: Sequence[ChartColumn], validations: Sequence[tuple[int, float]], width: int, rows: int
) -> Block:
    """`rows` lines of `width` cells; `validations` are (iteration, validation loss)."""
    grid = Grid.of(len(columns), width)
    band = _band([c.loss for c in columns], [v for _, v in validations])
    if band is None or rows < 1:
        return [((" " * width, ""),)] * rows
    dots = Dots(grid.cells, rows)
    top = 4 * rows - 1
    before: int | None = None
    for number, column in enumerate(columns):
        if column.loss is None or not isfinite(column.loss):
            before = None
            continue
        dot = round(band.share(column.loss) * top)
        joined = dot if before is None else before
        first = number * grid.dots
        dots.column(first, min(dot, joined), max(dot, joined), "loss")
        for x in range(first + 1, first + grid.dots):
            dots.column(x, dot, dot, "loss")
        before = dot
    for index, value in validations:
        at = _column_of(columns, index)
        if at is not None and isfinite(value):
            dots.put(rows - 1 - round(band.share(value) * top) // 4, grid.cell(at), "○", "validation")
    values = {0: band.high, rows - 1: band.low}
    return [_gutter(values.get(row), line) for row, line in enumerate(dots.lines())]


def _gutter(value: float | None, line: Line) -> Line:
    return ((f"{'' if value is None else f'{value:.3g}':>{GUTTER - 2}} ", "axis"), ("┊", "axis"), *line)


def _band(losses: Sequence[float | None], validations: Sequence[float]) -> Band | None:
    """From the lowest to the highest loss, without the fall of the first twentieth: it would flatten the rest."""
    known = [v for v in losses if v is not None and isfinite(v)]
    settled = known[len(known) // 20 :] if len(known) >= 40 else known
    values = settled + [v for v in validations if isfinite(v) and (not settled or v <= 1.1 * max(settled))]
    if not values:
        return None
    low, high = min(values), max(values)
    margin = 0.02 * (high - low) or 0.05 * abs(high) or 1.0
    return Band(low - margin, high + margin)


def _column_of(columns: Sequence[ChartColumn], index: int) -> int | None:
    for number in range(len(columns) - 1, -1, -1):  # from the newest: the last run of an iteration counts
        if columns[number].first_index <= index <= columns[number].last_index:
            return number
    return None


def newest(losses: Losses, width: int) -> Line:
    """The newest training and validation loss, for the frame of a chart `width` cells wide."""
    bad = f"{losses.not_finite:,} × nan or inf" if losses.not_finite else ""
    if bad and losses.train is None:
        at = "" if losses.not_finite_since is None else f" since {losses.not_finite_since:,}"
        return ((bad + at, "bad"),)
    parts: list[tuple[str, str]] = []
    if losses.train is not None:
        parts += [("train " if width >= 36 else "", "label"), (words.loss(losses.train), "loss")]
    if losses.validation is not None:
        parts.append((f"  ○ val {words.loss(losses.validation)}", "validation"))
    if losses.validation_at is not None and width >= 46:
        parts.append((f" at {losses.validation_at:,}", "label"))
    if bad and width >= 70:
        parts.append((f"  {bad}", "bad"))
    return tuple(parts)
