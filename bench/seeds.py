"""What people claimed of their slow iterations, beside what itermon computes from the same runs.

    python bench/seeds.py

Three runs, explained in five documents: GPT-2 XL on an H200 at 21 s an iteration (A, documents 0 to 2), two models
on a 12 GB card (B, document 3), 170 ms iterations with spikes (C, document 4). The events of the runs are those of
the tests; nothing in the column "computed" is written here.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from seed_runs import run_a, run_b, run_c, watched

from itermon.analysis.audit import peaks
from itermon.analysis.audit.data_reads import COLD_DISK_IOPS
from itermon.analysis.whatif.compare import compare
from itermon.analysis.whatif.plan import plan
from itermon.analysis.whatif.scenario import Change
from itermon.words import duration, si, times

if TYPE_CHECKING:
    from collections.abc import Callable

TOLERANCE = 0.05
"""A round number is right if it is within this of the computed one."""

CLEAN_S = 21.0
SLOW_S = 84.0

A = watched(run_a(normal_s=CLEAN_S)).findings()
COMPARED = compare(watched(run_b("before")), watched(run_b("after")))
BEFORE, AFTER = (watched(run_b(which)).findings() for which in ("before", "after"))
C = watched(run_c()).findings(spikes=None)
C_STOP = next(s for s in C.eta.schedules if s.mean_s is not None)
QUARTER = plan(A, Change(gradient_accumulation=16, tokens=10e9)).planned
NOW = plan(A, Change()).now


def known(value: float | None) -> float:
    """A number that must be there."""
    if value is None:
        raise SystemExit("a number of the acceptance table is unknown")
    return value


class Claim(NamedTuple):
    """What a document says of a quantity, as bounds, and the bounds of what it can be."""

    document: int
    quantity: str
    claimed: tuple[float, float]
    computed: tuple[float, float]
    write: Callable[[float], str]


def number(value: float) -> str:
    """`1,048,576`, `38.7`"""
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"


def exactly(value: float | None) -> tuple[float, float]:
    """Bounds of a number that is known."""
    return known(value), known(value)


def at_most(value: float) -> tuple[float, float]:
    """Bounds of what can only be limited."""
    return 0.0, value


FLOOR_S = known(A.audit.floor_s)
A100_S = known(A.audit.flops_per_iteration) / peaks.A100_PEAK_FLOPS
READS = known(A.audit.data_reads_per_iteration)
NEVER_FASTER = (FLOOR_S, CLEAN_S)

CLAIMS = (
    Claim(0, "A: tokens an iteration", (1_048_576,) * 2, exactly(A.throughput.tokens_per_iteration), number),
    Claim(0, "A: a micro-step", (0.32, 0.33), exactly(A.throughput.micro_step_s), duration),
    Claim(0, "A: tokens/s", (49_900,) * 2, exactly(A.throughput.tokens_per_s_clean), number),
    Claim(
        0,
        "A: peak behind the log's MFU",
        (312e12,) * 2,
        exactly(A.audit.logged_peak_flops),
        lambda x: si(x, "FLOP/s"),
    ),
    Claim(0, "A: an A100 takes for it", (60.0, 120.0), (A100_S, A100_S / known(A.audit.mfu)), duration),
    Claim(
        0,
        "A: accumulation 16: an iteration",
        (5.0, 5.0),
        exactly(QUARTER.iteration_s.best if QUARTER else None),
        duration,
    ),
    Claim(
        0,
        "A: ... its iterations for 10 billion tokens",
        (40_000,) * 2,
        exactly(QUARTER.iterations if QUARTER else None),
        number,
    ),
    Claim(1, "A: an iteration should take", (0.5, 1.5), NEVER_FASTER, duration),
    Claim(1, "A: a bottleneck beyond", (3.0, 5.0), NEVER_FASTER, duration),
    Claim(1, "A: data an iteration", (4e6, 4e6), exactly(A.audit.data_bytes_per_iteration), lambda x: si(x, "B")),
    Claim(1, "A: random reads an iteration", (1_048_576,) * 2, exactly(READS), number),
    Claim(1, "A: random reads a ms at 5,000 IOPS", (200.0, 200.0), exactly(COLD_DISK_IOPS / 1e3), number),
    Claim(
        1,
        "A: waits for a cold disk",
        (5.0, CLEAN_S),
        (known(A.audit.cold_disk_low_s), known(A.audit.cold_disk_high_s)),
        duration,
    ),
    Claim(1, "A: waits instead of computing", (20.0, 20.0), at_most(CLEAN_S - FLOOR_S), duration),
    Claim(
        1,
        "A: 10,000 iterations",
        (58 * 3600.0,) * 2,
        exactly(NOW.training_s.best if NOW and NOW.training_s else None),
        duration,
    ),
    Claim(1, "A: speed-up to be had", (20.0, 20.0), (1.0, known(A.audit.times_floor)), times),
    Claim(2, "A: an iteration, once compiled", (1.0, 2.0), NEVER_FASTER, duration),
    Claim(2, "A: an iteration, with a loader", (0.0, 1.0), NEVER_FASTER, duration),
    Claim(2, "A: a checkpoint", (18e9, 18e9), exactly(A.audit.checkpoint_bytes), lambda x: si(x, "B")),
    Claim(2, "A: saving it", (SLOW_S, SLOW_S), at_most(SLOW_S - CLEAN_S), duration),
    Claim(3, "B: parameters before", (33e6, 33e6), exactly(BEFORE.audit.parameters), lambda x: si(x, "")),
    Claim(3, "B: parameters after", (125e6, 125e6), exactly(AFTER.audit.parameters), lambda x: si(x, "")),
    Claim(3, "B: tokens/s before", (134_000,) * 2, exactly(BEFORE.throughput.tokens_per_s_clean), number),
    Claim(
        3,
        "B: tokens/s after over before",
        (1.0, 1.3),
        exactly(COMPARED.tokens_per_s.ratio if COMPARED.tokens_per_s else None),
        times,
    ),
    Claim(
        3,
        "B: optimizer steps after over before",
        (0.5, 0.5),
        exactly(COMPARED.tokens_per_iteration.ratio if COMPARED.tokens_per_iteration else None),
        times,
    ),
    Claim(3, "B: MFU after over before", (1.2, 1.2), exactly(COMPARED.mfu.ratio if COMPARED.mfu else None), times),
    Claim(
        3,
        "B: peak of the card (a 3060 or 4060)",
        (25.5e12, 30.2e12),
        (known(AFTER.audit.achieved_flops), 2.5e15),
        lambda x: si(x, "FLOP/s"),
    ),
    Claim(4, "C: a normal iteration", (0.160, 0.180), exactly(C.level.clean_s), duration),
    Claim(4, "C: evaluation returns after", (500, 500), exactly(C_STOP.interval), number),
    Claim(4, "C: or as often as the log prints, after", (100, 100), exactly(C_STOP.interval), number),
    Claim(
        4,
        "C: checkpoints in iteration 0",
        (1, 1),
        exactly(sum("checkpoint" in c.kind for s in C.spikes if s.index == 0 for c in s.causes)),
        number,
    ),
)


def verdict(claim: Claim) -> str:
    """Right, or by what factor it is wrong."""
    (low, high), (least, most) = claim.claimed, claim.computed
    if low <= most * (1 + TOLERANCE) and high >= least * (1 - TOLERANCE):
        return "right"
    if most == 0:
        return "there is none"
    return f"{times(least / high)} too low" if high < least else f"{times(low / most)} too high"


def between(bounds: tuple[float, float], write: Callable[[float], str]) -> str:
    """One number, or two with what lies between them."""
    low, high = (write(b) for b in bounds)
    return low if low == high else f"{low} to {high}"


def main() -> None:
    """Print the table."""
    print(f"{'':3}{'quantity':46}{'claimed':30}{'computed':30}")
    for claim in CLAIMS:
        claimed, computed = between(claim.claimed, claim.write), between(claim.computed, claim.write)
        print(f"{claim.document:<3}{claim.quantity:46}{claimed:30}{computed:30}{verdict(claim)}")
    right = sum(verdict(claim) == "right" for claim in CLAIMS)
    print(f"\n{right} of {len(CLAIMS)} claims are right. itermon's verdict on run A:")
    for line in (A.verdict.headline, *A.verdict.evidence, A.verdict.next_step):
        print(f"  {line}")


if __name__ == "__main__":
    main()
