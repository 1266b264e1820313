"""What stands beside the chart: where the time went, the batch, the verdict, the slow iterations."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ...analysis import words
from ...analysis.audit.audit import on_cpu
from ...analysis.kinds import LETTERS, TRAINING
from ..drawing.lines import bar, shed, wrap

if TYPE_CHECKING:
    from ...analysis.findings import Audit, Findings
    from ..drawing.lines import Block, Line


def ledger(found: Findings, width: int, rows: int) -> Block:
    """Where the time went: a bar, a share and the seconds of every cause, the largest first."""
    if not found.ledger:
        return [((" no wall time yet", "dim"),)]
    shown = sorted((r for r in found.ledger if r.seconds > 0), key=lambda r: -r.seconds)
    name_cells = min(max((len(r.cause) for r in shown), default=8), 23)
    wide = width >= name_cells + 36
    bar_cells = max(0, width - name_cells - 12 - (12 if wide else 0))
    lines: Block = []
    for row in shown[:rows]:
        mark = "~" if row.estimated else " "
        cells: list[tuple[str, str]] = [(f" {row.cause:<{name_cells}} ", "label" if row.cause == TRAINING else "")]
        cells.extend(bar(row.share, bar_cells, row.cause, track=False))
        cells.append((f"{mark}{words.percent(row.share, 1):>7} ", "value"))
        if wide:
            cells.append((f"{words.rounded_duration(row.seconds):>11}", "label"))
        lines.append(tuple(cells))
    return lines


def pairs(rows: list[tuple[str, str, str]], width: int) -> Block:
    """Label left, value right: one a line."""
    lines: Block = []
    for label, value, style in rows:
        gap = max(1, width - 2 - len(label) - len(value))
        lines.append(((f" {label}", "label"), (" " * gap, ""), (value, style)))
    return lines


REASONS = {"throughput.tokens_per_iteration": "tokens/iter", "audit.mfu": "MFU"}
"""What of the batch is told why it is not known, by its path in the findings."""


def batch(found: Findings, width: int) -> Block:
    """Tokens an iteration and a second, and how fast that is for this GPU."""
    t, a = found.throughput, found.audit
    lines: Block = []
    if factors := _factors(found):
        lines.append(((f" {factors}", ""),))
    rows = [
        ("tokens/iter", words.count(t.tokens_per_iteration), "value"),
        ("micro-step", words.duration(t.micro_step_s), "value"),
        ("tokens/s, clean", words.si(t.tokens_per_s_clean), "value"),
        ("tokens/s, wall", words.si(t.tokens_per_s_wall), "value"),
        ("MFU", _mfu(a), "value"),
    ]
    lines += pairs(rows, width)
    if a.note:
        lines += [
            ((" " + part, "warn" if (a.logged_mfu or 0) > 1 else "dim"),) for part in _plain(a.note, width - 2)
        ]
    if a.floor_s is not None and a.times_floor is not None:
        lines += pairs([("floor", f"{words.duration(a.floor_s)} · {a.times_floor:.2f} × floor", "")], width)
    for path, name in REASONS.items():
        if reason := found.unknown.get(path):
            lines += [((" " + part, "dim"),) for part in _plain(f"{name}: {reason}", width - 2)]
    return lines


def _factors(found: Findings) -> str:
    """`16 × 1,024 × 64 × 1 GPU` where that makes the tokens of an iteration; else a micro-step alone.

    It does not where a factor is unknown, nor where GPUs share a batch (tensor or pipeline parallel).
    """
    t = found.throughput
    if not (t.micro_batch_size and t.block_size):
        return ""
    sequences = f"{t.micro_batch_size:,} × {t.block_size:,}"
    factors = [f for f in (t.gradient_accumulation, t.world_size) if f is not None]
    if t.micro_batch_size * t.block_size * prod(factors) != t.tokens_per_iteration:
        return f"{sequences} a micro-step"
    ranks = " GPU" if t.world_size is not None and not on_cpu(found.config) else ""
    return " × ".join([sequences, *(f"{f:,}" for f in factors)]) + ranks


def _plain(sentence: str, width: int) -> list[str]:
    return [line[0][0] for line in wrap(sentence, width)]


def _mfu(audit: Audit) -> str:
    if audit.mfu is None:
        return words.DASH
    of = " ".join(part for part in (_short(audit.gpu), audit.precision) if part)
    return f"{words.percent(audit.mfu, 1)} of {of}" if of else words.percent(audit.mfu, 1)


def _short(gpu: str | None) -> str:
    return (gpu or "").removeprefix("NVIDIA ").removeprefix("GeForce ").split("-")[0]


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
    parts.append((0, ((" · MFU ", "label"), (_mfu(a), "value"))))
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
