"""The panel of the iterations: lanes over one axis, from their times at the top to the machine at the bottom."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..drawing.lines import fit
from ..drawing.lines import width as cells_of
from ..drawing.sharing import Need, share_out
from ..lanes.axis import Axis
from ..lanes.causes import CausesLane
from ..lanes.losses import LossesLane
from ..lanes.times import TimesLane
from .panel import Panel, Size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..drawing.lines import Block, Line
    from ..lanes.lane import Lane
    from ..scene import Scene

LANES: Sequence[Lane] = (TimesLane(), CausesLane(), LossesLane())
"""From the top to the bottom."""

_ROOM_FOR_HEADINGS = 16
"""Rows of the panel from which on each lane has a line above it with its name."""

_FRAME, _AXIS = 2, 1  # rows


class _Placed(NamedTuple):
    lane: Lane
    rows: int


class IterationsPanel(Panel):
    """Everything that happened, over the same iterations."""

    name = "iterations"
    smallest = Size(40, 6)
    worth = 10

    def draw(self, scene: Scene, size: Size) -> Block:
        """The lanes for which there is room, in one frame, and the numbers of the iterations below them."""
        placed = _place(scene, size)
        named = any(isinstance(p.lane, CausesLane) for p in placed)
        axis = Axis.of(scene, size.columns - 2, names_causes=named)
        inner = size.columns - 2
        lines: Block = []
        for number, (lane, rows) in enumerate(placed):
            if number == 0:
                lines.append(_edge("╭", lane.heading(scene, axis), "╮", inner))
            elif _has_headings(size):
                lines.append(_edge("├", lane.heading(scene, axis), "┤", inner))
            lines += [(("│", "border"), *row, ("│", "border")) for row in lane.draw(scene, axis, rows)]
        lines.append((("│", "border"), *axis.iterations(), ("│", "border")))
        return [*lines, _edge("╰", (), "╯", inner)]

    def position_at(self, scene: Scene, size: Size, x: int) -> int | None:
        """The position that stands in cell `x` of a panel of `size`; of several iterations the first mark."""
        axis = Axis.of(scene, size.columns - 2)
        cell = x - 1 - axis.margins.left
        here = [c for i, c in enumerate(axis.columns) if axis.grid.cell(i) <= cell < axis.grid.cell(i + 1) + 1]
        if not here or cell < 0:
            return None
        mark = scene.next_mark(here[0].first - 1, 1)
        return mark if mark is not None and mark <= here[-1].last else here[0].first


def _place(scene: Scene, size: Size) -> list[_Placed]:
    """Each lane that is shown, with its rows."""
    shown = [lane for lane in LANES if lane.is_shown(scene)]
    heading = 1 if _has_headings(size) else 0
    space = size.rows - _FRAME - _AXIS
    above = [0, *[heading] * (len(shown) - 1)]
    needs = [
        Need(lane.smallest + more, _unless_all(lane.wanted(scene, space), space, more), lane.worth)
        for lane, more in zip(shown, above, strict=True)
    ]
    given = share_out(space, needs)
    return [_Placed(lane, rows - more) for lane, more, rows in zip(shown, above, given, strict=True) if rows]


def _unless_all(wanted: int, space: int, more: int) -> int | None:
    return None if wanted >= space else wanted + more


def _has_headings(size: Size) -> bool:
    return size.rows >= _ROOM_FOR_HEADINGS


def _edge(left: str, heading: Line, right: str, inner: int) -> Line:
    """A line of the frame, with a heading in it."""
    if not heading:
        return ((left + "─" * inner + right, "border"),)
    head = ((" ", ""), *heading, (" ", ""))
    head = fit(head, inner - 1) if cells_of(head) > inner - 1 else head
    dashes = "─" * (inner - 1 - cells_of(head))
    return ((left, "border"), ("─", "border"), *head, (dashes + right, "border"))
