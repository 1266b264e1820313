"""Where the time went: a bar, a share and the seconds of every cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import TRAINING
from ...reports.ledger_rows import ledger_rows
from ..drawing.lines import box
from .panel import Panel, Size, lower_size

if TYPE_CHECKING:
    from ...analysis.findings import Findings
    from ..drawing.lines import Block
    from ..scene import Scene


class LedgerPanel(Panel):
    """The wall time by cause."""

    name = "where the time went"
    smallest = Size(32, 8)
    worth = 5

    def wanted(self, scene: Scene, space: Size) -> Size:  # noqa: ARG002 - a panel's signature
        """A third of the height, and not more rows than there are causes to see."""
        return lower_size(space)

    def draw(self, scene: Scene, size: Size) -> Block:
        """A row a cause, the largest first."""
        return box(((self.name, "title"),), ledger(scene.found, size.columns - 2, size.rows - 2), *size)


def ledger(found: Findings, width: int, rows: int) -> Block:
    """Where the time went: a bar, a share and the seconds of every cause, the largest first."""
    if not found.ledger:
        return [((" no wall time yet", "dim"),)]
    return [
        (
            (row.name, "label" if row.cause == TRAINING else ""),
            (row.bar, row.cause),
            (row.share, "value"),
            (row.time, "label"),
        )
        for row in ledger_rows(found, width)[:rows]
    ]
