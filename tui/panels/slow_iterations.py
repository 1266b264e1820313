"""The newest slow iterations, one a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ...events import LETTERS
from ..drawing.lines import box
from .panel import Panel, Size, lower_size

if TYPE_CHECKING:
    from ...analysis.findings import Findings
    from ..drawing.lines import Block
    from ..scene import Scene


class SlowIterationsPanel(Panel):
    """Number, cause and seconds of each."""

    name = "slow iterations"
    smallest = Size(39, 8)
    worth = 3

    def wanted(self, scene: Scene, space: Size) -> Size:  # noqa: ARG002 - a panel's signature
        """A third of the height."""
        return lower_size(space)

    def draw(self, scene: Scene, size: Size) -> Block:
        """As many as there are rows, the newest first."""
        return box(((self.name, "title"),), spikes(scene.found, size.rows - 2), *size)


def spikes(found: Findings, rows: int) -> Block:
    """The newest slow iterations, one a line."""
    lines: Block = []
    for spike in list(found.spikes)[-rows:][::-1]:
        kinds = [c.kind for c in spike.causes]
        letters = "".join(LETTERS.get(k, "") for k in kinds[:2])
        style = kinds[0] if kinds else ""
        lines.append(
            (
                (f" {spike.index:>9,} ", "label"),
                (f"{letters:<2} ", style),
                (f"{words.duration(spike.duration_s):>9} ", "value"),
                (", ".join(kinds), style),
            )
        )
    return lines or [((" none so far", "dim"),)]
