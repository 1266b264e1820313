"""What is known of the iteration under the cursor: its causes, what log and machine say, a change of level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ...events import LETTERS
from ...reports.evidence import alongside, change_of_level, gpu_phases, has_evidence, strength_of
from ..drawing.lines import block, box, wrap
from .panel import Panel, Size, lower_size

if TYPE_CHECKING:
    from ...analysis.findings import Cause, Shift, Spike
    from ..drawing.lines import Block, Line
    from ..scene import Opened, Scene


class EvidencePanel(Panel):
    """Why the iteration under the cursor took its time; it stands in place of the panels under the chart."""

    name = "evidence"
    smallest = Size(40, 8)
    worth = 9

    def is_shown(self, scene: Scene) -> bool:
        """While the cursor is on an iteration."""
        return scene.opened is not None

    def wanted(self, scene: Scene, space: Size) -> Size:  # noqa: ARG002 - a panel's signature
        """That of the panels in whose place it stands."""
        return lower_size(space)

    def draw(self, scene: Scene, size: Size) -> Block:
        """The evidence in a frame that says which keys go on."""
        if (opened := scene.opened) is None:
            return block([], *size)
        log_key = "" if opened.log_lines is None else "l its lines  "
        lines = evidence(opened, size.columns - 2, size.rows - 2)
        hint: Line = ((f"n / next  {log_key}esc close", "dim"),)
        return box(((title(opened), "title"),), lines, *size, right=hint)


class EvidenceLines(EvidencePanel):
    """The same without a frame, where there is little room."""

    smallest = Size(40, 1)

    def wanted(self, scene: Scene, space: Size) -> Size:
        """Its lines, as far as they leave the chart its last rows; those of the log leave it some more."""
        rows = 0 if scene.opened is None else len(evidence(scene.opened, space.columns, space.rows - 8))
        return Size(space.columns, min(rows, space.rows - 5))

    def draw(self, scene: Scene, size: Size) -> Block:
        """As many of its lines as fit."""
        lines = [] if scene.opened is None else evidence(scene.opened, size.columns, size.rows)
        return block(lines, *size)


def title(opened: Opened) -> str:
    """`why iteration 1,000 was slow`"""
    index = f"{opened.spike.index:,}"
    if opened.shift is not None:
        return f"the level moved at iteration {index}"
    return f"why iteration {index} was slow" if opened.spike.causes else f"iteration {index}"


def evidence(opened: Opened, width: int, rows: int) -> Block:
    """The seconds of an iteration by cause, how strongly each is known and why, then what log and machine say.

    The lines of the log have what room is left of `rows`: `l` shows them all.
    """
    spike = opened.spike
    lines: Block = [_moved(opened.shift)] if opened.shift is not None else []
    lines.append(
        (
            (_which(spike), "value"),
            (f" took {words.duration(spike.duration_s)}", "value"),
            (f", {words.duration(spike.clean_s)} of it training" if spike.causes else "", "label"),
        )
    )
    for place, cause in enumerate(spike.causes, 1):
        lines.append(_cause(cause))
        again = any(cause.evidence == following.evidence for following in spike.causes[place : place + 1])
        if has_evidence(cause) and not again:
            lines += [((" " * 5, ""), *line) for line in wrap(cause.evidence, width - 6, "dim")]
    meanwhile = [gpu_phases(spike.gpu_phases)] if spike.gpu_phases else []
    meanwhile += [alongside(spike.alongside)] if spike.alongside else []
    machine = [((" ", ""), *line) for part in meanwhile for line in wrap(part, width - 2, "label")]
    room = max(0, rows - len(lines) - len(machine))
    log_lines = [((f" {number:>7,}  ", "axis"), (text, "")) for number, text in opened.log_lines or ()]
    return [*lines, *log_lines[max(0, len(log_lines) - room) :], *machine]


def _which(spike: Spike) -> str:
    n = spike.averaged_over
    return (
        f" iteration {spike.index:,}" if n == 1 else f" the {words.plural(n, 'iteration')} up to {spike.index:,}"
    )


def _moved(shift: Shift) -> Line:
    since = f", {words.plural(shift.held, 'iteration')} seen since"
    return (
        (f" {change_of_level(shift)}", "accent"),
        (f"  {words.duration(shift.before_s)} became {words.duration(shift.after_s)}", "value"),
        (since, "label"),
    )


def _cause(cause: Cause) -> Line:
    return (
        (f" {LETTERS.get(cause.kind, ' '):>2} ", cause.kind),
        (f"{cause.kind:<14}", cause.kind),
        (f" {'+' + words.duration(cause.seconds):>9}  ", "value"),
        (strength_of(cause), "label"),
    )
