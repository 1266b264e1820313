"""The timing chart: columns of iterations in, lines out.

Spikes are 30 to 75 times the baseline, so a linear axis hides the baseline. Two bands: most rows show the range
around the normal iteration, where 1 % of jitter is visible; a few rows above a break show the spikes, with their
seconds where there is room. The lanes below say why; where there is none, a spike has the letter of its cause.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ...events import EVALUATION_AND_CHECKPOINT, LETTERS
from ...reports.evidence import change_of_level
from ..drawing.braille import Dots
from ..drawing.scale import (
    LOG,
    TWO_BAND,
    Band,
    band_around,
    whole,
)
from .lane import Lane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.chart import ChartColumn
    from ...analysis.findings import Level, Shift
    from ..drawing.lines import Block, Line
    from ..scene import Scene
    from .axis import Axis, Grid

_RIGHT = 12
"""Cells of the figures' names at the right."""


class TimesLane(Lane):
    """The hero: every iteration's time. Of a source without times it says so."""

    name = "iteration time"
    smallest = 3
    worth = 10

    def is_shown(self, scene: Scene) -> bool:
        """Unless there are iterations, and none of them has a time: then the losses are what there is."""
        return scene.has_times or not scene.has_iterations

    def heading(self, scene: Scene, axis: Axis) -> Line:
        """Its name, the scale where it is not the usual one, how many iterations are seen, the usual time."""
        heading: Line = ((self.name, "title"),)
        if scene.view.scale != TWO_BAND:
            heading = (*heading, (f" · {scene.view.scale}", "dim"))
        if scene.view.span is not None:
            heading = (*heading, (f" · {words.plural(scene.view.span, 'iteration')}", "dim"))
        level = scene.found.level
        if not axis.margins.has_figures and level.clean_s is not None:
            heading = (*heading, (f" · {'~' if level.is_alone else ''}{words.duration(level.clean_s)}", "value"))
        return heading

    def draw(self, scene: Scene, axis: Axis, rows: int) -> Block:
        """The chart, and its level beside it."""
        level = scene.found.level
        right = level_lines(level) if axis.margins.has_figures else []
        return timing_chart(axis, level.clean_s, rows, scale=scene.view.scale, shifts=level.shifts, right=right)


def level_lines(level: Level) -> list[Line]:
    """The usual time, how much it wavers, in a line each; `~` marks what has one witness."""
    if level.clean_s is None:
        return []
    mark = "~" if level.is_alone else ""
    rows = [("usual", mark + words.duration(level.clean_s), "value")]
    if level.p95_s is not None:
        rows.append(("95 % below", words.duration(level.p95_s), ""))
    if level.jitter is not None:
        rows.append(("jitter", words.percent(level.jitter, 1), ""))
    return [((f"  {name:<{_RIGHT - 2}}", "label"), (f"{value:>10}", style)) for name, value, style in rows]


def timing_chart(
    axis: Axis,
    clean_s: float | None,
    rows: int,
    *,
    scale: str = TWO_BAND,
    shifts: Sequence[Shift] = (),
    right: Sequence[Line] = (),
) -> Block:
    """`rows` rows of the axis; `right` stands beside the first of them."""
    columns, grid = axis.columns, axis.grid
    band = band_around(columns, clean_s) if scale == TWO_BAND else whole(columns, log=scale == LOG)
    beside = [*right, *[()] * rows]
    if band is None:
        return [axis.row((), (), line) for line, _ in zip(beside, range(rows), strict=False)]
    most = max((c.high_s for c in columns if c.high_s is not None), default=band.high)
    upper = max(2, rows * 2 // 5) if scale == TWO_BAND and most > band.high and rows >= 4 else 0
    lower = rows - upper - (1 if upper else 0)
    parts: list[tuple[Line, Line]] = []
    if upper:
        spikes = Band(band.high, most)
        dots = _spikes(axis, spikes, upper)
        parts += zip(_values(axis, spikes, upper, top_row=1), dots.lines(), strict=True)
        parts.append((((" " * (axis.margins.left - 2) + "╌", "axis"),), (("╌" * grid.cells, "axis"),)))
    dots = _normal(axis, band, lower, labels=not upper)
    for shift in shifts:
        _moved(dots, columns, grid, shift)
    parts += zip(_values(axis, band, lower), dots.lines(), strict=True)
    return [axis.row(left, plot, line) for (left, plot), line in zip(parts, beside, strict=False)]


def _spikes(axis: Axis, band: Band, rows: int) -> Dots:
    """Bars from the break upwards, the slowest drawn last; their seconds above them where there is room."""
    columns, grid = axis.columns, axis.grid
    dots = Dots(grid.cells, rows)
    high = {i: c.high_s for i, c in enumerate(columns) if c.high_s is not None and c.high_s > band.low}
    bars = 8 * max(1, rows - 1)
    tops: dict[int, int] = {}
    for i in sorted(high, key=high.__getitem__):
        eighths = max(1, round(band.share(high[i]) * bars))
        style = style_of(columns[i])
        cell = grid.cell(i)
        full, part = divmod(eighths, 8)
        for row in range(full):
            dots.put(rows - 1 - row, cell, "█", style)
        if part:
            dots.put(rows - 1 - full, cell, "▁▂▃▄▅▆▇"[part - 1], style)
        tops[i] = rows - 1 - full - (1 if part else 0)
    for i in sorted(high, key=high.__getitem__, reverse=True):
        _label(dots, columns[i], grid.cell(i), max(0, tops[i]), letters=not axis.names_causes)
    return dots


def _label(dots: Dots, column: ChartColumn, cell: int, row: int, *, letters: bool) -> None:
    """The seconds of a spike where there is room; its letter at any price where no lane below names its cause."""
    if letters:
        cell = _letter(dots, column, cell, row)
    seconds = words.duration(column.high_s)
    if cell >= 0 and dots.free(row, cell - (1 if letters else 0), len(seconds) + 1):
        dots.put(row, cell, seconds, "dim")


def _letter(dots: Dots, column: ChartColumn, cell: int, row: int) -> int:
    """Write it; the cell from which on its seconds may stand, -1 where there was no room for the letter."""
    letters = letters_of(column)
    style = style_of(column)
    if len(letters) > 1 and not dots.free(row, cell + 1, len(letters) - 1):
        letters = letters[:1]
    if not dots.free(row, cell, len(letters)):
        return -1
    dots.put(row, cell, letters, style)
    return cell + len(letters) + 1


def letters_of(column: ChartColumn) -> str:
    """What stands above the column's spike: `EC`, `W`; nothing where no cause is known of."""
    kinds = column.causes
    if EVALUATION_AND_CHECKPOINT in kinds:
        return LETTERS[EVALUATION_AND_CHECKPOINT]
    return "".join(dict.fromkeys(LETTERS.get(kind, "") for kind in kinds))[:2]


def style_of(column: ChartColumn) -> str:
    """The style of a column's spike: that of its first cause."""
    return column.causes[0] if column.causes else "chart"


def _normal(axis: Axis, band: Band, rows: int, *, labels: bool) -> Dots:
    """Each column from its minimum to its maximum; a column of slow iterations alone is filled in their colour."""
    columns, grid = axis.columns, axis.grid
    dots = Dots(grid.cells, rows)
    top = 4 * rows - 1
    before: int | None = None
    for i, column in enumerate(columns):
        if column.low_s is None or column.high_s is None or column.median_s is None:
            before = None
            continue
        low, high = (round(band.share(v) * top) for v in (column.low_s, column.high_s))
        if column.spikes > column.last - column.first:
            _fill(dots, grid, i, (0, high), style_of(column))
            continue
        if column.spikes or column.high_s > band.high:
            high = round(band.share(min(band.high, column.median_s)) * top)
        if before is not None and column.first == column.last:
            low, high = _joined(before, low, high)
        before = round(band.share(column.median_s) * top)
        _fill(dots, grid, i, (low, max(low, high)), "chart")
    if labels:
        for i, column in enumerate(columns):
            if column.causes and column.high_s is not None:
                row = rows - 2 - round(band.share(column.high_s) * top) // 4
                _label(dots, column, grid.cell(i), max(0, row), letters=not axis.names_causes)
    return dots


def _moved(dots: Dots, columns: Sequence[ChartColumn], grid: Grid, shift: Shift) -> None:
    """An arrow where the level moved, and by how much where there is room; the arrow at any price."""
    column = next((i for i, c in enumerate(columns) if c.first <= shift.position <= c.last), None)
    if column is None:
        return
    cell, label = grid.cell(column), change_of_level(shift)
    for text in (label, label[0]):
        row = next((row for row in range(dots.rows) if dots.free(row, cell, len(text) + 1)), None)
        if row is not None:
            dots.put(row, cell, text, "accent")
            return
    dots.put(0, cell, label[0], "accent")


def _joined(before: int, low: int, high: int) -> tuple[int, int]:
    """Single iterations make a line: the dots between this one and the one before belong to it."""
    if before < low:
        return before + 1, high
    return low, max(high, before - 1)


def _fill(dots: Dots, grid: Grid, column: int, reach: tuple[int, int], style: str) -> None:
    first = column * grid.dots
    dots.column(first, *reach, style)
    for x in range(first + 1, first + grid.dots):
        if reach[0] == 0 and style != "chart":  # a bar is one cell wide, however wide its column
            dots.column(x, *reach, style) if x < first + 2 else None
        else:
            dots.column(x, reach[1], reach[1], style)


def _values(axis: Axis, band: Band, rows: int, top_row: int = 0) -> list[Line]:
    """Left of the axis: the values at the top, in the middle and at the bottom of a band."""
    marks = {top_row: 1.0, rows - 1: 0.0} if top_row == 0 else {top_row: 1.0}
    if rows >= (5 if top_row == 0 else 7):
        marks[(rows - 1) // 2] = 1 - ((rows - 1) // 2) / (rows - 1)
    step = (band.high - band.low) / max(1, 2 * rows)
    known = {row: words.axis_duration(band.value(share), step) for row, share in marks.items()}
    return [axis.value(known.get(row, "")) for row in range(rows)]
