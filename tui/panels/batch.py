"""The batch: tokens an iteration and a second, and how fast that is for this GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ...reports.batch_rows import Tone, batch_rows, mfu_of_gpu
from ...reports.lines import gap
from ..drawing.lines import box, shed, wrap
from .panel import Panel, Size, side_columns

if TYPE_CHECKING:
    from ...analysis.findings import Findings
    from ..drawing.lines import Block, Line
    from ..scene import Scene

_STYLES = {Tone.VALUE: "value", Tone.PLAIN: "", Tone.REMARK: "dim", Tone.WARNING: "warn"}


class BatchPanel(Panel):
    """Every row of it; as a line what matters most."""

    name = "batch"
    smallest = Size(36, 3)
    worth = 7

    def wanted(self, scene: Scene, space: Size) -> Size:
        """Its rows, at the side of the chart."""
        columns = side_columns(space)
        return Size(columns, len(batch(scene.found, columns - 2)) + 2)

    def draw(self, scene: Scene, size: Size) -> Block:
        """As many of its rows as fit."""
        return box(((self.name, "title"),), batch(scene.found, size.columns - 2), *size)

    def line(self, scene: Scene, columns: int) -> Line:
        """Tokens, MFU, and where there is room the rest."""
        return batch_line(scene.found, columns)


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
    """The batch panel in one line: what has no room is in the report."""
    t, a = found.throughput, found.audit
    parts: list[tuple[int, Line]] = [
        (0, ((" ", ""), (words.count(t.tokens_per_iteration), "value"), (" tokens/iter", "label")))
    ]
    if t.tokens_per_s_clean is not None:
        parts.append((0, ((" · ", "dim"), (words.si(t.tokens_per_s_clean), "value"), (" tokens/s", "label"))))
    if t.micro_step_s is not None:
        parts.append((3, ((" · micro-step ", "label"), (words.duration(t.micro_step_s), "value"))))
    parts.append((0, ((" · MFU ", "label"), (mfu_of_gpu(a), "value"))))
    if a.times_floor is not None:
        parts.append((2, ((f" · {words.times(a.times_floor)} floor", "label"),)))
    if (a.logged_mfu or 0) > 1:
        parts.append((1, ((f" · log: {words.percent(a.logged_mfu, 0)}", "warn"),)))
    return shed(parts, width)
