"""The verdict: what it is, the evidence, what to do next, and what cannot be known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..drawing.lines import box, wrap
from .panel import Panel, Size

if TYPE_CHECKING:
    from ...analysis.findings import Findings
    from ..drawing.lines import Block, Line
    from ..scene import Scene


class VerdictPanel(Panel):
    """The verdict in full; as a line its headline."""

    name = "verdict"
    smallest = Size(40, 5)
    worth = 8

    def wanted(self, scene: Scene, space: Size) -> Size:  # noqa: ARG002 - a panel's signature
        """Three lines of text, four on a high screen."""
        return Size(space.columns, min(6, max(5, space.rows // 5)))

    def draw(self, scene: Scene, size: Size) -> Block:
        """As much of it as fits, the headline always."""
        return box(((self.name, "title"),), verdict(scene.found, size.columns - 2, size.rows - 2), *size)

    def line(self, scene: Scene, columns: int) -> Line:  # noqa: ARG002 - a panel's signature
        """The headline."""
        return ((" " + (scene.found.verdict.headline or "no verdict yet"), verdict_style(scene.found)),)


def verdict(found: Findings, width: int, rows: int) -> Block:
    """What it is, the evidence, the next step, and what cannot be known; the headline always."""
    v = found.verdict
    lines: Block = wrap(v.headline or "too little known for a verdict yet", width - 2, verdict_style(found))
    lines += [line for e in v.evidence for line in wrap(e, width - 2, "")]
    if v.next_step:
        next_lines = wrap(f"Next: {v.next_step}", width - 2, "accent")
        keep = max(1, rows - len(next_lines))  # what to do outweighs the last of the evidence
        lines = lines[:keep] + next_lines
    if v.unknowable:
        lines += wrap("Not known: " + "; ".join(v.unknowable), width - 2, "dim")
    return [((" ", ""), *line) for line in lines[:rows]]


def verdict_style(found: Findings) -> str:
    """Green, red, or neither."""
    return {True: "good", False: "warn", None: "value"}[found.verdict.healthy]
