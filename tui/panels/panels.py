"""What stands beside the chart: where the time went, the batch, the verdict, the slow iterations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analysis import words
from ...events import LETTERS, TRAINING
from ...reports.batch_rows import Tone, batch_rows, mfu_of_gpu
from ...reports.ledger_rows import ledger_rows
from ...reports.lines import gap
from ..drawing.lines import shed, wrap

if TYPE_CHECKING:
    from ...analysis.findings import Findings
    from ..drawing.lines import Block, Line


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


_STYLES = {Tone.VALUE: "value", Tone.PLAIN: "", Tone.REMARK: "dim", Tone.WARNING: "warn"}


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
        parts.append((2, ((f" · {a.times_floor:.2f} × floor", "label"),)))
    if (a.logged_mfu or 0) > 1:
        parts.append((1, ((f" · log: {words.percent(a.logged_mfu, 0)}", "warn"),)))
    return shed(parts, width)


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
