"""Which panel stands where. The panels say how much room they need; here it is only divided."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .. import words
from .drawing.lines import block
from .panels.batch import BatchPanel
from .panels.evidence import EvidencePanel
from .panels.gpu import GpuPanel
from .panels.heads import HeadsPanel
from .panels.iterations import IterationsPanel, lanes_of
from .panels.kept import Kept
from .panels.panel import AsLine, Boxed, NotKnown, Size
from .panels.slow import SlowPanel
from .panels.tiling import Placed, Rect, Row, Stack
from .panels.verdict import VerdictPanel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..analysis.findings import Findings
    from .drawing.lines import Block, Line
    from .panels.tiling import Group
    from .scene import Scene

SIDE = 33
"""Columns of the panels beside the chart: the lanes have the rest."""

WHY = 68
"""Columns at the side of a large screen: two panels beside each other, the lines of a log below them."""

HEADS, BATCH, GPU, SLOW, VERDICT = HeadsPanel(), BatchPanel(), GpuPanel(), SlowPanel(), VerdictPanel()
NOT_KNOWN = NotKnown(BATCH, GPU)
LANES, EVIDENCE = IterationsPanel(), EvidencePanel()

ENLARGEABLE = (BATCH, GPU, SLOW, EVIDENCE)
"""The panels that can have the screen to themselves; the lanes can one by one."""

LARGE = Stack(
    HEADS,
    Stack(
        Row(
            IterationsPanel(holds_evidence=False),
            Stack(
                Row(Boxed(BATCH, WHY // 2), Boxed(GPU, WHY // 2)),
                Boxed(SLOW, WHY),
                Boxed(EVIDENCE, WHY),
            ),
        ),
        NOT_KNOWN,
        VERDICT,
    ),
)
"""All panels: evidence and the list of slow iterations stay open at the right."""

PANELS = Stack(
    HEADS, Stack(Row(LANES, Stack(Boxed(BATCH, SIDE), Boxed(GPU, SIDE), Boxed(SLOW, SIDE))), NOT_KNOWN, VERDICT)
)
"""The lanes at the left, batch and GPU at the right, the verdict below."""

LINES = Stack(HEADS, Stack(LANES, AsLine(BATCH), AsLine(GPU), NOT_KNOWN, VERDICT))
"""The lanes, and one line for batch and GPU each."""

CHART = Stack(HEADS, Stack(LANES))


class Layout(NamedTuple):
    """Panels, and the size of the screen from which on there is room for them."""

    smallest: Size
    panels: Group


LAYOUTS = (
    Layout(Size(180, 40), LARGE),
    Layout(Size(112, 20), PANELS),
    Layout(Size(40, 17), LINES),
    Layout(Size(40, 11), CHART),
)
"""The first that fits is taken. The line of keys at the bottom is not counted."""


def draw_screen(scene: Scene, size: tuple[int, int], kept: Kept | None = None) -> Block:
    """The watch screen, in exactly `size` (columns, rows): all but the line of keys at the bottom.

    `kept` is what the same screen drew before: as far as it still holds, it is not drawn again.
    """
    kept = kept or Kept()
    scene.standing_rows = kept.standing_rows
    if not kept.holds(scene, size):
        kept.placed = place_panels(scene, size)
    if not kept.placed:
        return _too_small(scene.found, size)
    drawn = [(rect, kept.draw(panel, scene, rect.size)) for panel, rect in kept.placed]
    return [_row(y, drawn) for y in range(size[1])]


def place_panels(scene: Scene, size: tuple[int, int]) -> list[Placed]:
    """The panels of a screen of `size`, each with its rectangle; none where no layout fits."""
    whole = Size(*size)
    least = LAYOUTS[-1].smallest
    fits = whole.columns >= least.columns and whole.rows >= least.rows
    if scene.view.enlarged and fits and scene.view.enlarged in enlargeable(scene):
        alone = next((panel for panel in ENLARGEABLE if panel.name == scene.view.enlarged), LANES)
        head = HEADS.smallest.rows
        below = Rect(0, head, Size(whole.columns, whole.rows - head))
        return [Placed(HEADS, Rect(0, 0, Size(whole.columns, head))), Placed(alone, below)]
    for smallest, panels in LAYOUTS:
        if whole.columns >= smallest.columns and whole.rows >= smallest.rows:
            return list(panels.place(scene, Rect(0, 0, whole)))
    return []


def enlargeable(scene: Scene) -> list[str]:
    """The names of the lanes and panels that can have the screen to themselves, in the order of the keys."""
    panels = (panel.name for panel in ENLARGEABLE if panel.is_shown(scene) and panel.is_worth_enlarging(scene))
    return [*(lane.name for lane in lanes_of(scene)), *panels]


def shows_newest(size: tuple[int, int]) -> bool:
    """Whether a screen of `size` has room for the newest slow iteration while the cursor is on none."""
    return size[0] >= LAYOUTS[0].smallest.columns and size[1] >= LAYOUTS[0].smallest.rows


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
