"""Which panel stands where. The panels say how much room they need; here it is only divided."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .. import words
from .drawing.lines import block
from .panels.batch import BatchPanel
from .panels.evidence import EvidenceLines, EvidencePanel
from .panels.gpu import GpuPanel
from .panels.heads import HeadsPanel
from .panels.iterations import IterationsPanel
from .panels.panel import AsLine, Size
from .panels.verdict import VerdictPanel
from .tiling import FirstShown, Rect, Row, Stack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..analysis.findings import Findings
    from .drawing.lines import Block, Line
    from .scene import Scene
    from .tiling import Group, Placed

PANELS = Stack(
    HeadsPanel(),
    Stack(
        Row(
            Stack(
                IterationsPanel(),
                EvidencePanel(),
            ),
            Stack(BatchPanel(), GpuPanel()),
        ),
        VerdictPanel(),
    ),
)
"""All panels: the lanes at the left, batch and GPU at the right, the verdict below."""

LINES = Stack(
    HeadsPanel(),
    Stack(
        IterationsPanel(),
        FirstShown(EvidenceLines(), Stack(AsLine(BatchPanel()), AsLine(GpuPanel()), AsLine(VerdictPanel()))),
    ),
)
"""The chart, and one line for each of the rest."""

CHART = Stack(HeadsPanel(), Stack(IterationsPanel(), EvidenceLines()))


class Layout(NamedTuple):
    """Panels, and the size of the screen from which on there is room for them."""

    smallest: Size
    panels: Group


LAYOUTS = (Layout(Size(100, 28), PANELS), Layout(Size(40, 17), LINES), Layout(Size(40, 11), CHART))
"""The first that fits is taken. The line of keys at the bottom is not counted."""


def draw_screen(scene: Scene, size: tuple[int, int]) -> Block:
    """The watch screen, in exactly `size` (columns, rows): all but the line of keys at the bottom."""
    placed = place_panels(scene, size)
    if not placed:
        return _too_small(scene.found, size)
    drawn = [(rect, panel.draw(scene, rect.size)) for panel, rect in placed]
    return [_row(y, drawn) for y in range(size[1])]


def place_panels(scene: Scene, size: tuple[int, int]) -> list[Placed]:
    """The panels of a screen of `size`, each with its rectangle; none where no layout fits."""
    whole = Size(*size)
    for smallest, panels in LAYOUTS:
        if whole.columns >= smallest.columns and whole.rows >= smallest.rows:
            return list(panels.place(scene, Rect(0, 0, whole)))
    return []


def position_at(scene: Scene, size: tuple[int, int], x: int) -> int | None:
    """The position of the iteration in column `x` of the timing chart; of several iterations the first mark."""
    for panel, rect in place_panels(scene, size):
        if isinstance(panel, IterationsPanel):
            return panel.position_at(scene, rect.size, x - rect.x)
    return None


def _row(y: int, drawn: Sequence[tuple[Rect, Block]]) -> Line:
    """Row `y` of the screen: from left to right the lines of the panels that reach across it."""
    here = [(rect.x, block[y - rect.y]) for rect, block in drawn if rect.y <= y < rect.y + rect.size.rows]
    return tuple(span for _, line in sorted(here) for span in line)


def _too_small(found: Findings, size: tuple[int, int]) -> Block:
    width, height = size
    needed = LAYOUTS[-1].smallest
    lines: list[Line] = [
        ((f"needs {needed.columns}×{needed.rows + 1}, has {width}×{height + 1}", "warn"),),
        ((f"iter {words.count(found.progress.iteration)}  {words.duration(found.level.clean_s)}", ""),),
        ((f"ETA {words.rounded_duration(found.eta.remaining_s)}", ""),),
    ]
    return block(lines, width, height)
