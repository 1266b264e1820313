"""What is known of the iteration under the cursor: its causes, what log and machine say, a change of level."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...analysis import words
from ...events import LETTERS
from ...reports.evidence import alongside, change_of_level, gpu_phases, has_evidence, strength_of
from ..drawing.lines import wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.findings import Cause, Shift, Spike
    from ..drawing.lines import Block, Line


class Opened(NamedTuple):
    """The iteration under the cursor, the change of level there, and what the log says: its lines by number."""

    spike: Spike
    shift: Shift | None = None
    told: Sequence[tuple[int, str]] | None = None  # without a log


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
    told = [((f" {number:>7,}  ", "axis"), (text, "")) for number, text in opened.told or ()]
    return [*lines, *told[len(told) - room if room < len(told) else 0 :], *machine]


def _which(spike: Spike) -> str:
    n = spike.averaged_over
    return f" iteration {spike.index:,}" if n == 1 else f" the {n:,} iterations up to {spike.index:,}"


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
