"""The timing chart: columns of iterations in, lines out.

Spikes are 30 to 75 times the baseline, so a linear axis hides the baseline. Two bands: most rows show the range
around the normal iteration, where 1 % of jitter is visible; a few rows above a break show the spikes, each
with the letter of its cause and, where there is room, its seconds. Every column shows its minimum and maximum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ... import words
from ...events import EVALUATION_AND_CHECKPOINT, LETTERS
from ...reports.evidence import change_of_level
from ..drawing.braille import Dots
from ..drawing.scale import (
    LOG,
    TWO_BAND,
    Band,
    band_around,
    nice,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.chart import ChartColumn
    from ...analysis.findings import Shift
    from ..drawing.lines import Block, Line

GUTTER = 9
"""Cells at the left for the values of the axis."""


class Grid(msgspec.Struct, frozen=True):
    """Where columns stand: `cells` wide, each column `dots` dot columns wide (two make a cell)."""

    cells: int
    dots: int

    @classmethod
    def of(cls, columns: int, width: int) -> Grid:
        """The grid of a chart `width` cells wide, its gutter included. Few columns are drawn wider."""
        cells = max(1, width - GUTTER)
        return cls(cells, max(1, 2 * (cells // columns)) if 0 < columns <= cells else 1)

    def cell(self, column: int) -> int:
        """The cell in which a column begins."""
        return column * self.dots // 2


def wanted_columns(width: int) -> int:
    """How many columns a chart `width` cells wide can show."""
    return 2 * max(1, width - GUTTER)


def timing_chart(
    columns: Sequence[ChartColumn],
    clean_s: float | None,
    width: int,
    rows: int,
    *,
    scale: str = TWO_BAND,
    cursor: int | None = None,
    shifts: Sequence[Shift] = (),
) -> Block:
    """`rows` lines of `width` cells, the last one the axis of iterations. `cursor` is a column's number."""
    grid = Grid.of(len(columns), width)
    axis = _iterations(columns, grid, cursor)
    plot_rows = rows - 1
    band = band_around(columns, clean_s) if scale == TWO_BAND else whole(columns, log=scale == LOG)
    if band is None or plot_rows < 1:
        blank: Line = ((" " * width, ""),)
        return [blank] * max(0, plot_rows) + [axis]
    most = max((c.high_s for c in columns if c.high_s is not None), default=band.high)
    upper = max(2, plot_rows * 2 // 5) if scale == TWO_BAND and most > band.high and plot_rows >= 4 else 0
    lower = plot_rows - upper - (1 if upper else 0)
    lines: Block = []
    if upper:
        spikes = Band(band.high, most)
        dots = _spikes(columns, spikes, grid, upper)
        lines += _with_values(dots.lines(), spikes, upper, top_row=1)
        lines.append(((" " * (GUTTER - 1) + "╌" * (grid.cells + 1), "axis"),))
    dots = _normal(columns, band, grid, lower, letters=not upper)
    for shift in shifts:
        _moved(dots, columns, grid, shift)
    return [*lines, *_with_values(dots.lines(), band, lower), axis]


def _spikes(columns: Sequence[ChartColumn], band: Band, grid: Grid, rows: int) -> Dots:
    """Bars from the break upwards, the slowest drawn last; letters above them, seconds where there is room."""
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
        _label(dots, columns[i], grid.cell(i), max(0, tops[i]))
    return dots


def _label(dots: Dots, column: ChartColumn, cell: int, row: int) -> None:
    letters = letters_of(column)
    style = style_of(column)
    if len(letters) > 1 and not dots.free(row, cell + 1, len(letters) - 1):
        letters = letters[:1]
    if not dots.free(row, cell, len(letters)):
        return
    dots.put(row, cell, letters, style)
    seconds = words.duration(column.high_s)
    after = cell + len(letters) + 1
    if dots.free(row, after - 1, len(seconds) + 2):
        dots.put(row, after, seconds, "dim")


def letters_of(column: ChartColumn) -> str:
    """What stands above the column's spike: `EC`, `W`; nothing where no cause is known of."""
    kinds = column.causes
    if EVALUATION_AND_CHECKPOINT in kinds:
        return LETTERS[EVALUATION_AND_CHECKPOINT]
    return "".join(dict.fromkeys(LETTERS.get(kind, "") for kind in kinds))[:2]


def style_of(column: ChartColumn) -> str:
    """The style of a column's spike: that of its first cause."""
    return column.causes[0] if column.causes else "chart"


def _normal(columns: Sequence[ChartColumn], band: Band, grid: Grid, rows: int, *, letters: bool) -> Dots:
    """Each column from its minimum to its maximum; a column of slow iterations alone is filled in their colour."""
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
    if letters:
        for i, column in enumerate(columns):
            if column.causes and column.high_s is not None:
                row = rows - 2 - round(band.share(column.high_s) * top) // 4
                _label(dots, column, grid.cell(i), max(0, row))
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


def _with_values(lines: Block, band: Band, rows: int, top_row: int = 0) -> Block:
    """The gutter: the values at the top, in the middle and at the bottom of a band."""
    marks = {top_row: 1.0, rows - 1: 0.0} if top_row == 0 else {top_row: 1.0}
    if rows >= (5 if top_row == 0 else 7):
        marks[(rows - 1) // 2] = 1 - ((rows - 1) // 2) / (rows - 1)
    step = (band.high - band.low) / max(1, 2 * rows)
    made: Block = []
    for row, line in enumerate(lines):
        share = marks.get(row)
        value = "" if share is None else words.axis_duration(band.value(share), step)
        made.append(((f"{value:>{GUTTER - 2}} ", "axis"), ("┊", "axis"), *line))
    return made


def _iterations(columns: Sequence[ChartColumn], grid: Grid, cursor: int | None) -> Line:
    """The numbers of iterations under the chart, at round numbers, each beginning at its column."""
    cells = [" "] * grid.cells
    at = -1 if cursor is None else grid.cell(cursor)
    for index, column in _ticks(columns, grid) if columns else ():
        label, cell = f"{index:,}", grid.cell(column)
        taken = [*cells[max(0, cell - 1) : cell + len(label)], " " if not cell <= at < cell + len(label) else "▲"]
        if cell + len(label) <= grid.cells and set(taken) == {" "}:
            cells[cell : cell + len(label)] = label
    gutter = (" " * GUTTER, "")
    if not 0 <= at < grid.cells:
        return gutter, ("".join(cells), "axis")
    return gutter, ("".join(cells[:at]), "axis"), ("▲", "cursor"), ("".join(cells[at + 1 :]), "axis")


def _ticks(columns: Sequence[ChartColumn], grid: Grid) -> list[tuple[int, int]]:
    """(iteration, column) of the round numbers, 14 cells apart or more; a resumed run has its own."""
    used = grid.cell(len(columns) - 1) + 1
    passed = max(1, columns[-1].last_index - columns[0].first_index)
    step = int(max(1, nice(passed * 14 / max(14, used))))
    ticks: list[tuple[int, int]] = []
    passed_index = columns[0].first_index - 1
    for number, column in enumerate(columns):
        if column.last_index <= passed_index:  # a resumed run stepped back
            passed_index = column.first_index - 1
        index = -(-(passed_index + 1) // step) * step
        if index <= column.last_index:
            ticks.append((index, number))
        passed_index = column.last_index
    return ticks
