"""The one axis that all lanes share: which cell is which iteration, and what stands left and right of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ...reports.scale import nice
from ..drawing.lines import fit, text
from ..drawing.lines import width as cells_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.chart import ChartColumn
    from ..drawing.lines import Line
    from ..scene import Scene

_FIGURES = 72
"""From so many cells on there is room for the names of lanes and their figures."""

_NAMES = 48
"""From so many cells on for their names and their shares of the time, below that for letters and shares."""

_MOST_COLUMNS = 1_000
"""Of a chart: a wider screen draws each of them wider."""


class Margins(NamedTuple):
    """Cells at the left for names and values, the line of the axis among them, and at the right for figures."""

    left: int
    right: int

    @classmethod
    def of(cls, width: int) -> Margins:
        """Those of lanes `width` cells wide."""
        if width >= _NAMES:
            return cls(14, 24 if width >= _FIGURES else 10)
        return cls(11, 0)

    @property
    def has_figures(self) -> bool:
        """Whether figures with their names have room at the right."""
        return self.right >= 24


class Grid(msgspec.Struct, frozen=True):
    """Where columns stand: `cells` wide, each column `dots` dot columns wide (two make a cell)."""

    cells: int
    dots: int

    @classmethod
    def of(cls, columns: int, cells: int) -> Grid:
        """The grid of `columns` in `cells`. Few columns are drawn wider."""
        return cls(cells, max(1, 2 * (cells // columns)) if 0 < columns <= cells else 1)

    def cell(self, column: int) -> int:
        """The cell in which a column begins."""
        return column * self.dots // 2


class Axis(NamedTuple):
    """The columns that are drawn, where they stand, and the cell of the cursor among them.

    `names_causes`: lanes below say where each cause was, so that the chart needs no letters.
    `headed`: each lane has its name in a line above it.
    """

    columns: Sequence[ChartColumn]
    grid: Grid
    margins: Margins
    cursor: int | None = None
    names_causes: bool = False
    headed: bool = True

    @classmethod
    def of(cls, scene: Scene, width: int, *, names_causes: bool = False, headed: bool = True) -> Axis:
        """The axis of lanes `width` cells wide."""
        margins = Margins.of(width)
        cells = max(1, width - sum(margins))
        columns = scene.columns(min(_MOST_COLUMNS, 2 * cells))
        grid = Grid.of(len(columns), cells)
        at = scene.view.cursor
        here = (i for i, c in enumerate(columns) if at is not None and c.first <= at <= c.last)
        number = next(here, None)
        return cls(columns, grid, margins, None if number is None else grid.cell(number), names_causes, headed)

    def row(self, left: Line, plot: Line, right: Line = ()) -> Line:
        """One row: what stands left of the axis, on it, and right of it."""
        plot = fit(plot, self.grid.cells)
        if self.cursor is not None:
            plot = _with_cursor(plot, self.cursor)
        gap = " " * (self.margins.right - cells_of(right) - 1)
        beside = fit(((gap, ""), *right), self.margins.right)
        return (*fit(left, self.margins.left - 1), ("┊", "axis"), *plot, *beside)

    def value(self, value: str) -> Line:
        """A value of the vertical axis: it ends beside the axis."""
        return ((f"{value:>{self.margins.left - 2}} ", "axis"),)

    def iterations(self) -> Line:
        """The numbers of iterations, at round numbers, each beginning at its column."""
        cells, at = [" "] * self.grid.cells, self.cursor
        for index, column in _ticks(self.columns, self.grid) if self.columns else ():
            label, cell = f"{index:,}", self.grid.cell(column)
            covered = at is not None and cell <= at < cell + len(label)
            taken = {*cells[max(0, cell - 1) : cell + len(label) + 1]}
            if cell + len(label) <= self.grid.cells and taken == {" "} and not covered:
                cells[cell : cell + len(label)] = label
        left, right = (" " * self.margins.left, ""), (" " * self.margins.right, "")
        if at is None or at >= self.grid.cells:
            return left, ("".join(cells), "axis"), right
        return left, ("".join(cells[:at]), "axis"), ("▲", "cursor"), ("".join(cells[at + 1 :]), "axis"), right


def _with_cursor(plot: Line, cell: int) -> Line:
    """The plot with a line through the cursor's cell; what stands in that cell is kept, in the line's colour."""
    drawn = text(plot)
    glyph = drawn[cell]
    return (*_part(plot, 0, cell), ("│" if glyph in " ⠀" else glyph, "value"), *_part(plot, cell + 1, len(drawn)))


def _part(plot: Line, first: int, stop: int) -> Line:
    """Cells `first` to before `stop` of a line all of whose characters take one cell."""
    spans, at = [], 0
    for part, style in plot:
        kept = part[max(0, first - at) : max(0, stop - at)]
        if kept:
            spans.append((kept, style))
        at += len(part)
    return tuple(spans)


def _ticks(columns: Sequence[ChartColumn], grid: Grid) -> list[tuple[int, int]]:
    """(iteration, column) of the round numbers, 14 cells apart or more; a resumed run has its own.

    Of a few iterations none may be round, or one alone: then the first has its number too, round or not.
    """
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
    return ticks if len(ticks) > 1 else [*ticks, (columns[0].first_index, 0)]
