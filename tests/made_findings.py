"""Findings made by hand, for the rules of the verdict."""

from __future__ import annotations

import msgspec

from itermon import events
from itermon.analysis.ending import in_order
from itermon.analysis.findings import Audit, Ending, Findings, LedgerRow, Level, Load, Progress
from itermon.analysis.verdict.facts import Facts
from itermon.events import RunInfo


def found(**parts: object) -> Findings:
    """A run of 100 flat iterations of 1 s on a known GPU at 2 × its floor, and whatever `parts` say otherwise."""
    audit = Audit(
        achieved_flops=495e12,
        gpu="H200",
        precision="bf16",
        peak_flops=989.4e12,
        mfu=0.5,
        mfu_wall=0.48,
        floor_s=0.5,
        times_floor=2.0,
    )
    usual = {
        "level": Level(clean_s=1.0, jitter=0.004, iterations=100),
        "progress": Progress(iteration=99, first_iteration=0, iterations_seen=100),
        "audit": audit,
    }
    if ended := parts.get("ended"):
        said = [m for m in parts.get("messages", ()) if m.level == "error"]  # type: ignore[attr-defined]
        usual["ending"] = Ending(str(ended), in_order(said))
    return Findings(**{**usual, **parts})  # type: ignore[arg-type]


def facts(info: RunInfo | None = None, **parts: object) -> Facts:
    """The facts of a run that was `found`."""
    return Facts(found(**parts), info or RunInfo())


def audited(**changes: object) -> Audit:
    """The audit of such a run, changed."""
    return msgspec.structs.replace(found().audit, **changes)


def load(**values: object) -> Load:
    """What GPUs and host did in the last minutes."""
    return Load(span_s=300.0, **values)  # type: ignore[arg-type]


def lost(cause: str, share: float, count: int) -> tuple[LedgerRow, ...]:
    """A ledger of 100 s, of which `cause` took `share`."""
    return (
        LedgerRow(events.TRAINING, 100 * (1 - share), 1 - share),
        LedgerRow(cause, 100 * share, share, count),
    )


SLOW = audited(mfu=0.2, mfu_wall=0.19, times_floor=5.0)
"""Far from the floor: five times."""
