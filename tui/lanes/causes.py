"""A lane for each cause: marks where it happened; how often, how long, and its share of the wall time.

The lanes are the ledger: their shares add up to all of the time that is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ...events import CAUSES, TRAINING, UNEXPLAINED
from ...reports.rows.ledger import ROW_TO_ROW, held_stops, kinds_of, name_of, share, stops_beside
from .lane import Lane

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.chart import ChartColumn
    from ...analysis.findings import LedgerRow
    from ..drawing.lines import Block, Line
    from ..scene import Scene
    from .axis import Axis

_OTHERS = "others"
_TIMES = 14  # characters: how often and how long


class CausesLane(Lane):
    """One row a cause, training first, then the largest."""

    name = "where the time went"
    smallest = 2
    worth = 8

    def is_shown(self, scene: Scene) -> bool:
        """Where there is any time to divide."""
        return any(row.seconds > 0 for row in scene.ledger)

    def wanted(self, scene: Scene, rows: int) -> int:
        """A row for each cause, in at most half of what there is."""
        return min(max(1, len(scene.causes)), max(self.smallest, rows // 2))

    def heading(self, scene: Scene, axis: Axis) -> Line:  # noqa: ARG002 - a lane's signature
        """Its name, and of what it is the time where that is not the whole run."""
        part = scene.view.span is not None
        title = "where the time of these iterations went" if part else self.name
        kept, beside = held_stops(scene.found), stops_beside(scene.found)
        stops = " and ".join(f"{kind}s" for kind in kept or beside)
        held = f" · {'training holds' if kept else 'without'} the {stops}" if stops else ""
        return ((title, "title"), *(((held, "dim"),) if held else ()))

    def draw(self, scene: Scene, axis: Axis, rows: int) -> Block:
        """As many causes as there are rows; the smallest share one row where there are too many."""
        own = rows if len(scene.causes) <= rows else rows - 1
        shown, others = scene.causes[:own], scene.causes[own:]
        lines = [_lane(row, axis, kinds_of(row.cause, scene.ledger), _name_of(row, scene)) for row in shown]
        if others:
            lines.append(_together(others, axis, scene.ledger))
        return [*lines, *[axis.row((), ())] * (rows - len(lines))]


def _name_of(row: LedgerRow, scene: Scene) -> str:
    """As short as a margin is."""
    kind, named = CAUSES.get(row.cause), name_of(row.cause, scene.found)
    if named == row.cause or (row.cause == TRAINING and held_stops(scene.found)):
        return (kind.short or kind.name) if kind else row.cause
    return named.partition(" trainings")[0]


def _lane(row: LedgerRow, axis: Axis, kinds: frozenset[str], name: str) -> Line:
    kind = CAUSES.get(row.cause)
    letter = kind.letter if kind else ""
    plot = _line(axis) if row.cause == TRAINING else _marks(axis, row.cause, kinds)
    shown = share(row)
    if not axis.margins.right:
        return axis.row(((f"{letter:>2}", row.cause), (f"{shown:>7}", "value")), plot)
    left = ((f"{letter:>2} ", row.cause), (name, "label" if row.cause == TRAINING else ""))
    times = ((f"{_times(row, name):>{_TIMES}}", "label"),) if axis.margins.has_figures else ()
    return axis.row(left, plot, (*times, (f"{shown:>8}", "value")))


def _together(others: Sequence[LedgerRow], axis: Axis, ledger: Sequence[LedgerRow]) -> Line:
    kinds = frozenset(kind for row in others for kind in kinds_of(row.cause, ledger))
    shown, plot = words.percent(sum(row.share for row in others), 1), _marks(axis, "label", kinds)
    if not axis.margins.right:
        return axis.row(((" +", "label"), (f"{shown:>7}", "value")), plot)
    how_many = ((f"{words.plural(len(others), 'cause'):>{_TIMES}}", "dim"),) if axis.margins.has_figures else ()
    return axis.row(((f"   {_OTHERS}", "label"),), plot, (*how_many, (f"{shown:>8}", "value")))


def _times(row: LedgerRow, name: str) -> str:
    """How often and how long each time; of unlike times the longest."""
    if not row.seconds or row.rough:  # it was here before, or nobody knows
        return ""
    if name == ROW_TO_ROW:
        return words.short_duration(row.seconds)
    if row.span_s is not None:
        longest = f"max {words.short_duration(row.span_s[1])}"
        counted = f"{words.short_count(row.count)}, {longest}"
        return counted if len(counted) <= _TIMES else longest
    each = words.short_duration(row.seconds / row.count) if row.count else words.short_duration(row.seconds)
    return f"{words.short_count(row.count)} × {each}" if row.count else each


def _line(axis: Axis) -> Line:
    """Training goes on wherever there are iterations."""
    used = axis.grid.cell(len(axis.columns) - 1) + max(1, axis.grid.dots // 2) if axis.columns else 0
    return (("━" * min(axis.grid.cells, used), TRAINING),)


def _marks(axis: Axis, style: str, kinds: frozenset[str]) -> Line:
    """A mark in each cell in which it happened, fuller where it did more than once; hollow without a cause."""
    one = "▯" if style == UNEXPLAINED else "▮"
    cells = [0] * axis.grid.cells
    for number, column in enumerate(axis.columns):
        cell = axis.grid.cell(number)
        if column.counts and cell < len(cells):
            cells[cell] += _count(column, kinds)
    return (("".join(" " if not n else one if n == 1 else "█" for n in cells), style),)


def _count(column: ChartColumn, kinds: frozenset[str]) -> int:
    return sum(column.counts.get(kind, 0) for kind in kinds)
