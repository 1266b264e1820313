"""What is known of the iteration under the cursor: its causes, what log and machine say, a change of level."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ...events import CAUSES, LETTERS
from ...reports.evidence import alongside, change_of_level, gpu_phases, has_evidence, lost, place, strength_of
from ...reports.scalar_words import amount, called
from ..drawing.lines import block, box, fit, shed, wrap
from ..drawing.lines import width as cells_of
from .panel import Panel, Size

if TYPE_CHECKING:
    from ...analysis.findings import Cause, Shift, Spike
    from ..drawing.lines import Block, Line, Span
    from ..scene import Opened, Scene


class EvidencePanel(Panel):
    """Why the iteration under the cursor took its time, or the newest slow one: it stays open on a large screen.

    On a smaller one the panel of the iterations has it in place of its lower lanes, by the functions below.
    """

    name = "evidence"
    smallest = Size(40, 6)
    worth = 7

    def is_shown(self, scene: Scene) -> bool:
        """While there is an iteration to look at."""
        return scene.looked_at is not None

    def wanted(self, scene: Scene, space: Size) -> Size:
        """Its lines, those of the log among them."""
        lines = evidence(scene.looked_at, space.columns - 2, space.rows) if scene.looked_at else []
        return Size(space.columns, min(space.rows, max(8, len(lines) + 2)))

    def draw(self, scene: Scene, size: Size) -> Block:
        """The evidence in a frame that says which keys go on."""
        if (opened := scene.looked_at) is None:
            return block([], *size)
        lines = evidence(opened, size.columns - 2, size.rows - 2)
        newest = () if scene.opened else (("newest: ", "label"),)
        return box((*newest, (title(opened), "title")), lines, *size, right=(keys_of(scene, opened),))


def keys_of(scene: Scene, opened: Opened) -> Span:
    """Which keys go on from here."""
    log_key = "" if opened.log_lines is None else "l its lines  "
    return (f"n / next  {log_key}esc close" if scene.opened else "/ the one before", "dim")


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
    took = ((_which(spike), "value"), (f" took {words.duration(spike.took_s)}", "value"))
    training = f", {words.duration(spike.clean_s)} of it training" if spike.causes else ""
    lines.append(shed([(0, took), (1, ((training, "label"),))], width))
    for number, cause in enumerate(spike.causes, 1):
        lines.append(_cause(cause, width))
        again = any(cause.evidence == following.evidence for following in spike.causes[number : number + 1])
        if has_evidence(cause) and not again:
            lines += [((" " * 5, ""), *line) for line in wrap(cause.evidence, width - 6, "dim")]
    meanwhile = [place(spike)] if spike.place else []
    meanwhile += [gpu_phases(spike.gpu_phases)] if spike.gpu_phases else []
    meanwhile += [alongside(spike.alongside)] if spike.alongside else []
    machine = [((" ", ""), *line) for part in meanwhile for line in wrap(part, width - 2, "label")]
    if opened.scalars:
        said = " · ".join(f"{called(name)} {amount(name, value)}" for name, value in opened.scalars.items())
        machine.append(fit(((f" {said}", "label"),), width))  # one line: `m` has them all
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


def _cause(cause: Cause, width: int) -> Line:
    """Letter, name, seconds, how strongly it is known: the name is the first to be shortened, then left out."""
    kind = CAUSES.get(cause.kind)
    long, short = cause.kind, kind.short or kind.name if kind else cause.kind
    letter: Line = ((f" {LETTERS.get(cause.kind, ' '):>2} ", cause.kind),)
    cost: Line = ((f" {lost(cause):>9}  ", "value"), (strength_of(cause), "label"))
    for name in (f"{long:<14}", f"{short:<10}"):
        line = (*letter, (name, cause.kind), *cost)
        if cells_of(line) <= width:
            return line
    return (*letter, *cost)
