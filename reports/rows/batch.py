"""The batch, row by row: tokens an iteration and a second, how fast that is for this GPU, what is not known."""

from __future__ import annotations

from enum import Enum
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from ... import words
from ...analysis.audit.gpu_peak import on_cpu

if TYPE_CHECKING:
    from ...analysis.findings import Audit, Findings

REASONS = {
    "throughput.tokens_per_iteration": "tokens/iter",
    "throughput.tokens_per_s_clean": "tokens/s, clean",
    "throughput.tokens_per_s_wall": "tokens/s, wall",
    "audit.mfu": "MFU",
}
"""What the batch gives the reason for where it is not known: its path in `Findings.unknown`, and its name here."""


class Tone(Enum):
    """How loud a row is."""

    VALUE = "value"
    PLAIN = "plain"
    REMARK = "remark"
    WARNING = "warning"


class BatchRow(NamedTuple):
    """A value with its name; without a name, a sentence that may take several lines."""

    name: str
    value: str
    tone: Tone = Tone.VALUE


def batch_rows(found: Findings) -> list[BatchRow]:
    """Every row, in the order of reading; a value that is not known is a dash."""
    t, a = found.throughput, found.audit
    rows = [BatchRow("", factors, Tone.PLAIN)] if (factors := factors_of_tokens(found)) else []
    rows += [
        BatchRow("tokens/iter", words.count(t.tokens_per_iteration)),
        BatchRow("micro-step", words.duration(t.micro_step_s)),
        BatchRow("tokens/s, clean", words.si(t.tokens_per_s_clean)),
        BatchRow("tokens/s, wall", words.si(t.tokens_per_s_wall)),
        BatchRow("MFU", mfu_of_gpu(a)),
    ]
    if a.note:
        rows.append(BatchRow("", a.note, Tone.WARNING if (a.logged_mfu or 0) > 1 else Tone.REMARK))
    if a.floor_s is not None and a.times_floor is not None:
        rows.append(BatchRow("floor", f"{words.duration(a.floor_s)} · {words.times(a.times_floor)}", Tone.PLAIN))
    for path, name in REASONS.items():
        if why := found.unknown.get(path):
            rows.append(BatchRow("", f"{name}: {why}", Tone.REMARK))
    return rows


def factors_of_tokens(found: Findings) -> str:
    """`16 × 1,024 × 64 × 1 GPU` where that makes the tokens of an iteration; else a micro-step alone, or `4 GPUs`.

    It does not where a factor is unknown, nor where GPUs share a batch (tensor or pipeline parallel).
    """
    t = found.throughput
    if not (t.micro_batch_size and t.block_size):
        several = t.world_size is not None and t.world_size > 1 and not on_cpu(found.config)
        return words.plural(t.world_size or 0, "GPU") if several else ""
    sequences = f"{t.micro_batch_size:,} × {t.block_size:,}"
    factors = [f for f in (t.gradient_accumulation, t.world_size) if f is not None]
    if t.micro_batch_size * t.block_size * prod(factors) != t.tokens_per_iteration:
        return f"{sequences} a micro-step"
    ranks = " GPU" if t.world_size is not None and not on_cpu(found.config) else ""
    return " × ".join([sequences, *(f"{f:,}" for f in factors)]) + ranks


def mfu_of_gpu(audit: Audit) -> str:
    """`51.7 % of H200 bf16`"""
    if audit.mfu is None:
        return words.DASH
    gpu = (audit.gpu or "").removeprefix("NVIDIA ").removeprefix("GeForce ").split("-")[0]
    of = " ".join(part for part in (gpu, audit.precision) if part)
    return f"{words.percent(audit.mfu, 1)} of {of}" if of else words.percent(audit.mfu, 1)
