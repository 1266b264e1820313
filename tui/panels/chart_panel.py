"""The panel of the timing chart; of a source without times, of its losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ..drawing.lines import box
from ..drawing.scale import TWO_BAND
from .chart import GUTTER, Grid, timing_chart, wanted_columns
from .loss import framed_losses
from .panel import Panel, Size

if TYPE_CHECKING:
    from ...analysis.findings import Level
    from ..drawing.lines import Block, Line
    from ..scene import Scene
    from ..view import View

_ROOM_FOR_DETAILS = 60


class ChartPanel(Panel):
    """The hero: every iteration's time."""

    name = "iteration time"
    smallest = Size(40, 5)
    worth = 10

    def draw(self, scene: Scene, size: Size) -> Block:
        """The chart, the cursor on it, and the level in the frame."""
        cells, view, level = size.columns - 2, scene.view, scene.found.level
        columns = scene.columns(wanted_columns(cells))
        if columns and all(c.high_s is None for c in columns):
            title: Line = (("loss", "title"), (" · no iteration times in this source", "dim"))
            return framed_losses(scene, size, title)
        cursor = None
        if view.cursor is not None:
            cursor = next((i for i, c in enumerate(columns) if c.first <= view.cursor <= c.last), None)
        lines = timing_chart(
            columns, level.clean_s, cells, size.rows - 2, scale=view.scale, cursor=cursor, shifts=level.shifts
        )
        title = _title(self.name, view, size.columns)
        return box(title, lines, *size, right=_level(level, size.columns))

    def position_at(self, scene: Scene, size: Size, x: int) -> int | None:
        """The position that stands in cell `x` of a panel of `size`; of several iterations the first mark."""
        cells = size.columns - 2
        columns = scene.columns(wanted_columns(cells))
        grid = Grid.of(len(columns), cells)
        cell = x - 1 - GUTTER
        here = [c for i, c in enumerate(columns) if grid.cell(i) <= cell < grid.cell(i + 1) + 1]
        if not here or x <= GUTTER:
            return None
        mark = scene.next_mark(here[0].first - 1, 1)
        return mark if mark is not None and mark <= here[-1].last else here[0].first


def _title(name: str, view: View, width: int) -> Line:
    title: Line = ((name, "title"),)
    if view.scale != TWO_BAND:
        title = (*title, (f" · {view.scale}", "dim"))
    if view.span is not None and width >= _ROOM_FOR_DETAILS:
        title = (*title, (f" · {words.plural(view.span, 'iteration')}", "dim"))
    return title


def _level(level: Level, width: int) -> Line:
    spans: list[tuple[str, str]] = [
        ("~" if level.is_alone else "", "label"),
        (words.duration(level.clean_s), "value"),
    ]
    if level.p95_s is not None and width >= _ROOM_FOR_DETAILS:
        spans += [(" · p95 ", "label"), (words.duration(level.p95_s), "")]
    if level.jitter is not None and width >= _ROOM_FOR_DETAILS:
        spans += [(" · jitter ", "label"), (words.percent(level.jitter, 1), "")]
    return tuple(spans)
