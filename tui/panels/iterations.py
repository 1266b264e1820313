"""The panel of the iterations: lanes over one axis, from their times at the top to the machine at the bottom."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..drawing.lines import block, box, fit
from ..drawing.lines import width as cells_of
from ..drawing.sharing import Need, share_out
from ..lanes.axis import Axis
from ..lanes.causes import CausesLane
from ..lanes.losses import LossesLane
from ..lanes.scalars import chosen_lanes
from ..lanes.times import TimesLane
from .evidence import evidence, keys_of, title
from .panel import Panel, Size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..drawing.lines import Block, Line, Span
    from ..lanes.lane import Lane
    from ..scene import Scene

LANES: Sequence[Lane] = (TimesLane(), CausesLane(), LossesLane())
"""From the top to the bottom; below them the lanes that the reader chose."""

_ROOM_FOR_HEADINGS = 18
"""Rows of the panel from which on each lane has a line above it with its name."""

_FRAME, _AXIS = 2, 1  # rows


_LEAST_CHART = 3
"""Rows that the first lane keeps while evidence is open."""

_LEAST_EVIDENCE = 3
"""Rows in which it says what it is about: the iteration, its cause with seconds and strength, and why."""

_MOST_LOG_LINES = 4
"""Of the evidence, while lanes stand above it: `l` opens the log itself."""


class _Placed(NamedTuple):
    lane: Lane
    rows: int


class _Divided(NamedTuple):
    """The rows of the panel: its lanes, and the evidence in place of the lower ones, its heading included."""

    lanes: Sequence[_Placed]
    evidence: int


class IterationsPanel(Panel):
    """Everything that happened, over the same iterations."""

    name = "iterations"
    smallest = Size(40, 6)
    worth = 10

    def __init__(self, *, holds_evidence: bool = True) -> None:
        self._holds_evidence = holds_evidence

    def draw(self, scene: Scene, size: Size) -> Block:
        """The lanes for which there is room, in one frame, and the numbers of the iterations below them."""
        if not scene.has_iterations:
            return _nothing_yet(scene, size)
        divided = self._divided(scene, size)
        named = any(isinstance(p.lane, CausesLane) for p in divided.lanes)
        inner = size.columns - 2
        axis = Axis.of(scene, inner, names_causes=named, headed=_has_headings(size))
        lines: Block = []
        for number, (lane, rows) in enumerate(divided.lanes):
            if number == 0:
                lines.append(_edge("╭", lane.heading(scene, axis), "╮", inner))
            elif _has_headings(size):
                lines.append(_edge("├", lane.heading(scene, axis), "┤", inner))
            lines += [_framed(row) for row in lane.draw(scene, axis, rows)]
        lines.append(_framed(axis.iterations()))
        return [*lines, *_evidence(scene, size, divided.evidence), _edge("╰", (), "╯", inner)]

    def position_at(self, scene: Scene, size: Size, x: int) -> int | None:
        """The position that stands in cell `x` of a panel of `size`; of several iterations the first mark."""
        axis = Axis.of(scene, size.columns - 2)
        cell = x - 1 - axis.margins.left
        here = [c for i, c in enumerate(axis.columns) if axis.grid.cell(i) <= cell < axis.grid.cell(i + 1) + 1]
        if not here or cell < 0:
            return None
        mark = scene.next_mark(here[0].first - 1, 1)
        return mark if mark is not None and mark <= here[-1].last else here[0].first

    def _divided(self, scene: Scene, size: Size) -> _Divided:
        """The chart has as many rows with the evidence as without, as far as there are other lanes to give way."""
        all_shown = lanes_of(scene)
        shown = [lane for lane in all_shown if lane.name == scene.view.enlarged] or all_shown
        space = size.rows - _FRAME - _AXIS
        lanes = _share(scene, shown, space, size)
        if not self._holds_evidence or scene.opened is None or not lanes:
            return _Divided(lanes, 0)
        heading = 1 if _has_headings(size) else 0
        lines = evidence(scene.opened, size.columns - 2, space)
        log_lines = max(0, len(scene.opened.log_lines or ()) - _MOST_LOG_LINES)
        below = space - lanes[0].rows
        most = min(space - _LEAST_CHART, max(below, _LEAST_EVIDENCE + heading))
        taken = max(0, min(len(lines) - log_lines + heading, most))
        chart = min(lanes[0].rows, space - taken)
        lower = [
            _Placed(lane, min(rows, lane.wanted(scene, space)))
            for lane, rows in _share(scene, shown[1:], space - taken - chart, size, above=heading)
        ]
        chart = space - taken - sum(p.rows + heading for p in lower)
        return _Divided([_Placed(lanes[0].lane, chart), *lower], taken)


def lanes_of(scene: Scene) -> list[Lane]:
    """Those that have something to show."""
    return [*(lane for lane in LANES if lane.is_shown(scene)), *chosen_lanes(scene)]


def _share(scene: Scene, shown: Sequence[Lane], space: int, size: Size, above: int = 0) -> list[_Placed]:
    """Each lane with its rows, `above` the first of them a heading, if it needs one; none where none fits."""
    heading = 1 if _has_headings(size) else 0
    whole = size.rows - _FRAME - _AXIS
    headings = [above, *[heading] * (len(shown) - 1)] if shown else []
    if not shown or all(lane.smallest + more > space for lane, more in zip(shown, headings, strict=True)):
        return []
    needs = [
        Need(min(lane.smallest, wanted) + more, _unless_all(wanted, whole, more), lane.worth)
        for lane, more, wanted in zip(shown, headings, (lane.wanted(scene, whole) for lane in shown), strict=True)
    ]
    given = share_out(space, needs)
    return [_Placed(lane, rows - more) for lane, more, rows in zip(shown, headings, given, strict=True) if rows]


def _nothing_yet(scene: Scene, size: Size) -> Block:
    """An empty axis would look like a run without times."""
    inner, rows = size.columns - 2, size.rows - 2
    said = "no iteration was seen" if scene.found.ended else "iterations will stand here"
    if scene.cannot_be_read:
        said = "nothing can be read"
    said = said[: inner - 2]
    above = max(0, (rows - 1) // 2)
    lines: Block = [*[()] * above, ((" " * ((inner - len(said)) // 2), ""), (said, "dim"))]
    return box(((TimesLane.name, "title"),), lines, *size)


def _evidence(scene: Scene, size: Size, rows: int) -> Block:
    """What stands in place of the lower lanes while the cursor is on an iteration."""
    if not rows or scene.opened is None:
        return []
    inner = size.columns - 2
    head: Block = []
    if _has_headings(size):
        head = [_edge("├", ((title(scene.opened), "title"),), "┤", inner, keys_of(scene, scene.opened))]
    lines = evidence(scene.opened, inner, rows - len(head))
    return [*head, *(_framed(line) for line in block(lines, inner, rows - len(head)))]


def _unless_all(wanted: int, space: int, more: int) -> int | None:
    return None if wanted >= space else wanted + more


def _has_headings(size: Size) -> bool:
    return size.rows >= _ROOM_FOR_HEADINGS


def _framed(row: Line) -> Line:
    return (("│", "border"), *row, ("│", "border"))


def _edge(left: str, heading: Line, right: str, inner: int, at_the_end: Span | None = None) -> Line:
    """A line of the frame, with a heading in it, and where there is room something at its end."""
    if not heading:
        return ((left + "─" * inner + right, "border"),)
    head: Line = ((" ", ""), *heading, (" ", ""))
    tail: Line = () if at_the_end is None else ((" ", ""), at_the_end, (" ─", "border"))
    if cells_of(head) + cells_of(tail) > inner - 1:
        tail = ()
    head = fit(head, inner - 1) if cells_of(head) > inner - 1 else head
    dashes = "─" * (inner - 1 - cells_of(head) - cells_of(tail))
    return ((left + "─", "border"), *head, (dashes, "border"), *tail, (right, "border"))
