"""The batch: tokens an iteration and a second, and how fast that is for this GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ...reports.lines import gap
from ...reports.rows.batch import Tone, batch_rows, mfu_of_gpu
from ..drawing.lines import box, shed, wrap
from .panel import Panel, Size

if TYPE_CHECKING:
    from ...analysis.findings import Findings
    from ..drawing.lines import Block, Line
    from ..scene import Scene

_STYLES = {Tone.VALUE: "value", Tone.PLAIN: "", Tone.REMARK: "dim", Tone.WARNING: "warn"}


_READABLE = 70
"""Cells: across more than these the eye does not find the value that belongs to a name."""


class BatchPanel(Panel):
    """Every row of it; as a line what matters most."""

    name = "batch"
    smallest = Size(28, 3)
    shows_view = False
    worth = 7

    def knows(self, scene: Scene) -> bool:
        """Whether any number is known that needs the batch: a micro-step alone is the iteration's time."""
        t, a = scene.found.throughput, scene.found.audit
        return any(value is not None for value in (t.tokens_per_iteration, t.tokens_per_s_clean, a.mfu))

    def wanted(self, scene: Scene, space: Size) -> Size:
        """Its rows."""
        return Size(space.columns, len(batch(scene.found, space.columns - 2)) + 2)

    def draw(self, scene: Scene, size: Size) -> Block:
        """As many of its rows as fit; enlarged, names and values still stand side by side."""
        return box(((self.name, "title"),), batch(scene.found, min(_READABLE, size.columns - 2)), *size)

    def line(self, scene: Scene, columns: int) -> Line:
        """Tokens, MFU, and where there is room the rest."""
        if self.knows(scene):
            return batch_line(scene.found, columns)
        why = scene.found.unknown.get("throughput.tokens_per_iteration", "")
        reason = why if why and len(why) + 10 <= columns else "no tokens in this source"
        return ((" batch ", "label"), (f"– {reason}", "dim"))


def batch(found: Findings, width: int) -> Block:
    """Tokens an iteration and a second, and how fast that is for this GPU."""
    lines: Block = []
    for name, value, tone in batch_rows(found):
        style = _STYLES[tone]
        if name:
            lines.append(((f" {name}", "label"), (gap(name, value, width), ""), (value, style)))
        else:
            lines += [((" ", ""), *line) for line in wrap(value, width - 2, style)]
    return lines


def batch_line(found: Findings, width: int) -> Line:
    """The batch panel in one line: what has no room is in the panel, a key away, and in the report."""
    t, a = found.throughput, found.audit
    first = 1 if t.tokens_per_s_clean is not None else 0
    parts: list[tuple[int, Line]] = [
        (first, ((" · ", "dim"), (words.count(t.tokens_per_iteration), "value"), (" tokens/iter", "label")))
    ]
    if t.tokens_per_s_clean is not None:
        parts.append((0, ((" · ", "dim"), (words.si(t.tokens_per_s_clean), "value"), (" tokens/s", "label"))))
    if t.micro_step_s is not None:
        parts.append((5, ((" · micro-step ", "label"), (words.duration(t.micro_step_s), "value"))))
    share, _, of = mfu_of_gpu(a).partition(" of ")
    parts.append((0, ((" · MFU ", "label"), (share, "value"))))
    if of:
        parts.append((3, ((f" of {of}", "value"),)))
    if a.times_floor is not None:
        parts.append((4, ((f" · floor {words.duration(a.floor_s)}", "label"),)))
    if (a.logged_mfu or 0) > 1:
        parts.append((2, ((f" · log: {words.percent(a.logged_mfu, 0)}", "warn"),)))
    return ((" ", ""), *shed(parts, width + 2)[1:])
