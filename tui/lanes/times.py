"""The timing chart: columns of iterations in, lines out.

Spikes are 30 to 75 times the baseline, so a linear axis hides the baseline. Two bands: most rows show the clean
iterations, where 1 % of jitter is visible; a few rows above a break show the spikes, with their seconds where
there is room. The lanes below say why; where there is none, a spike has the letter of its cause.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ...events import EVALUATION_AND_CHECKPOINT, LETTERS
from ...reports.evidence import change_of_level, no_time_is_sure
from ...reports.scale import (
    LOG,
    TWO_BAND,
    Band,
    band_around,
    round_values,
    whole,
)
from ...reports.sentences import USUAL, level_figures
from ..drawing.braille import Dots
from ..drawing.lines import wrap
from .lane import Lane

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...analysis.chart import ChartColumn
    from ...analysis.findings import Findings, Shift
    from ..drawing.lines import Block, Line
    from ..scene import Scene
    from .axis import Axis, Grid

_RIGHT = 12
"""Cells of the figures' names at the right."""

_REASON = 4
"""Rows in which it says why no time is sure, in 80 columns."""


class TimesLane(Lane):
    """The hero: every iteration's time; empty where the source has neither times nor losses."""

    name = "iteration time"
    smallest = 3
    worth = 10

    def is_shown(self, scene: Scene) -> bool:
        """Unless there are losses and no times: then they are what there is."""
        return scene.has_times or not scene.has_losses

    def wanted(self, scene: Scene, rows: int) -> int:
        """All rows; where no time is sure, those that say why: the losses have the others."""
        return min(rows, _REASON) if scene.found.contradicted and scene.has_losses else rows

    def heading(self, scene: Scene, axis: Axis) -> Line:
        """Its name, of what its values are the means, the scale where it is not the usual one, how many are seen.

        Without figures beside the chart also the usual time.
        """
        if scene.found.contradicted:
            return ((self.name, "title"), (" · not known", "dim"))
        heading: Line = ((self.name, "title"), *_means(scene, short=not axis.margins.has_figures))
        if scene.view.scale != TWO_BAND:
            heading = (*heading, (f" · {scene.view.scale}", "dim"))
        if scene.view.span is not None:
            noun = "iteration" if scene.averaged_over[0] == 1 else "value"
            heading = (*heading, (f" · {words.plural(scene.view.span, noun)}", "dim"))
        if not axis.margins.has_figures and (figures := level_figures(scene.found)):
            times = [value for name, value in figures if name in USUAL]
            heading = (*heading, (f" · {' to '.join(times)}", "value"))
        return heading

    def draw(self, scene: Scene, axis: Axis, rows: int) -> Block:
        """The chart, and its level beside it; where the times cannot be true, in its place why."""
        if scene.found.contradicted:
            said = [*wrap(no_time_is_sure(scene.found), axis.grid.cells, "dim"), *[()] * rows]
            return [axis.row((), line) for line in said[:rows]]
        level = scene.found.level
        right = level_lines(scene.found) if axis.margins.has_figures else []
        return timing_chart(axis, level.clean_s, rows, scale=scene.view.scale, shifts=level.shifts, right=right)


def _means(scene: Scene, *, short: bool) -> Line:
    """The values of a source that prints means say so: a stop in one takes so many times as long as it looks."""
    number, is_exact = scene.averaged_over
    if number == 1 or not scene.has_times:
        return ()
    about = "" if is_exact else "about "
    said = (
        f"means of {about}{number:,}" if short else f"each the mean of {about}{words.plural(number, 'iteration')}"
    )
    return ((f" · {said}", "dim"),)


def level_lines(found: Findings) -> list[Line]:
    """The usual time, how much it wavers, in a line each."""
    styles = ("value", "", "")
    return [
        ((f"  {name:<{_RIGHT - 2}}", "label"), (f"{value:>10}", style))
        for (name, value), style in zip(level_figures(found), styles, strict=False)
    ]


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
    most = max((c.slowest_s for c in columns if c.slowest_s is not None), default=band.high)
    if scale == TWO_BAND:
        band = band.reaching(most)
    upper = max(2, rows * 2 // 5) if scale == TWO_BAND and most > band.high and rows >= 4 else 0
    lower = rows - upper - (1 if upper else 0)
    parts: list[tuple[Line, Line]] = []
    if upper:
        spikes = Band(band.high, most)
        dots = _spikes(axis, spikes, upper)
        parts += zip(_spike_values(axis, spikes, upper), dots.lines(), strict=True)
        parts.append((((" " * (axis.margins.left - 2) + "╌", "axis"),), (("╌" * grid.cells, "axis"),)))
    dots = _normal(axis, band, lower, alone=not upper)
    for shift in shifts:
        _moved(dots, columns, grid, shift)
    parts += zip(_values(axis, band, lower), dots.lines(), strict=True)
    return [axis.row(left, plot, line) for (left, plot), line in zip(parts, beside, strict=False)]


def _spikes(axis: Axis, band: Band, rows: int) -> Dots:
    """Bars from the break upwards, the slowest drawn last; their seconds above them where there is room."""
    columns, grid = axis.columns, axis.grid
    dots = Dots(grid.cells, rows)
    high = _slowest_in_cells(axis, band.low)
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
    _label(dots, axis, {i: max(0, tops[i]) for i in sorted(high, key=high.__getitem__, reverse=True)})
    return dots


def _slowest_in_cells(axis: Axis, least_s: float) -> dict[int, float]:
    """Of the columns that share a cell the one with the slowest iteration, and its time: those above `least_s`."""
    tallest: dict[int, tuple[float, int]] = {}
    for number, column in enumerate(axis.columns):
        slowest_s, cell = column.slowest_s, axis.grid.cell(number)
        if slowest_s is not None and slowest_s > max(least_s, tallest.get(cell, (0.0, 0))[0]):
            tallest[cell] = slowest_s, number
    return {number: slowest_s for slowest_s, number in tallest.values()}


def _label(dots: Dots, axis: Axis, rows: Mapping[int, int]) -> None:
    """The seconds of spikes where there is room, those of the first first; `rows`: where, by column.

    Where no lane below names the causes, their letters come first, at any price.
    """
    cells = {i: axis.grid.cell(i) for i in rows}
    if not axis.names_causes:
        cells = {i: _letter(dots, axis.columns[i], cell, rows[i]) for i, cell in cells.items()}
    for i, row in rows.items():
        seconds = words.duration(axis.columns[i].slowest_s)
        # It begins above its spike or ends there; after a letter it has one place.
        places = (cells[i], cells[i] - len(seconds) + 1) if axis.names_causes else (cells[i],)
        place = next((p for p in places if dots.apart(row, p, len(seconds))), None)
        if place is not None:
            dots.put(row, place, seconds, "dim")


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


def _normal(axis: Axis, band: Band, rows: int, *, alone: bool) -> Dots:
    """The clean iterations of each column from low to high; a column of slow ones alone is a bar of its cause.

    `alone`: there are no rows for spikes above. They stand behind the clean iterations, up to the slowest.
    """
    columns, grid = axis.columns, axis.grid
    dots = Dots(grid.cells, rows)
    top = 4 * rows - 1
    before: int | None = None
    for i, column in enumerate(columns):
        if column.slowest_s is None:
            before = None
            continue
        slowest = round(band.share(column.slowest_s) * top)
        if column.low_s is None or column.high_s is None or column.median_s is None:
            _fill(dots, grid, i, (0, slowest), style_of(column))
            before = None
            continue
        low, middle, high = (round(band.share(v) * top) for v in (column.low_s, column.median_s, column.high_s))
        if alone and column.spikes:
            _fill(dots, grid, i, (high, slowest), style_of(column))
        if before is not None and column.first == column.last:
            low, high = _joined(before, low, high)
        before = middle
        dots.column(i * grid.dots, low, high, "chart")
        for x in range(i * grid.dots + 1, (i + 1) * grid.dots):
            dots.column(x, middle, middle, "chart")
    if alone:
        slow = [(c.slowest_s, i) for i, c in enumerate(columns) if c.causes and c.slowest_s and _says(axis, c)]
        rows_of = {i: rows - 2 - round(band.share(s) * top) // 4 for s, i in sorted(slow, reverse=True)}
        _label(dots, axis, {i: max(0, row) for i, row in rows_of.items()})
    return dots


def _says(axis: Axis, column: ChartColumn) -> bool:
    """Is an iteration in it slow itself? What stood before one is in its lane, or has its letter."""
    return not axis.names_causes or column.high_s is None or column.slowest_s != column.high_s


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
    """A bar, one cell wide at most, however wide its column."""
    first = column * grid.dots
    for x in range(first, first + min(2, grid.dots)):
        dots.column(x, *reach, style)


def _values(axis: Axis, band: Band, rows: int) -> list[Line]:
    """Left of the axis: round values, each in its row."""
    step_s, ticks = band.ticks(rows)
    known = {
        row: words.axis_duration(value, step_s or value, value if band.log else band.high) for row, value in ticks
    }
    return [axis.value(known.get(row, "")) for row in range(rows)]


def _spike_values(axis: Axis, band: Band, rows: int) -> list[Line]:
    """The same beside the bars, which leave the top row to what stands above them."""
    bars = max(1, rows - 1)
    step_s, values = round_values(band.low, band.high, max(1, bars // 2))
    known = {
        rows - 1 - min(bars - 1, int(band.share(value) * bars)): words.axis_duration(value, step_s, band.high)
        for value in values
    }
    return [axis.value(known.get(row, "")) for row in range(rows)]
