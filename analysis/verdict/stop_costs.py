"""What evaluations and checkpoints cost a run as it goes on: each kind, as a share of the wall time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import STOPS

if TYPE_CHECKING:
    from ..findings import Findings


def costs(findings: Findings) -> list[tuple[str, float, int | None]]:
    """Kind, share of the time to come, interval: costliest first. By the schedule, once it and its cost are known.

    Without a schedule it is what the ledger says, from two of a kind on: the first evaluation of a short run
    distorts it. So it is before the first stop at a new level: what one costs there is not known.
    """
    found: list[tuple[str, float, int | None]]
    clean_s = findings.level.clean_s
    each_s = {
        s.kind: (s.each_s / s.interval, s.interval)
        for s in findings.eta.schedules
        if s.each_s is not None and s.interval and not s.earlier
    }
    if clean_s and each_s:
        whole_s = clean_s + sum(cost_s for cost_s, _ in each_s.values())
        found = [(kind, cost_s / whole_s, interval) for kind, (cost_s, interval) in each_s.items()]
    else:
        rows = [row for row in findings.ledger if row.cause in STOPS and row.count >= 2]
        found = [(row.cause, row.share, None) for row in rows]
    return sorted((c for c in found if c[1] > 0), key=lambda c: -c[1])
