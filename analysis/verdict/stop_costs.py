"""What evaluations and checkpoints cost a run as it goes on: each kind, as a share of the wall time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import STOPS
from ...words import duration, percent, plural

if TYPE_CHECKING:
    from ..findings import Findings, Schedule


def costs(findings: Findings) -> list[tuple[str, float, int | None]]:
    """Kind, share of the wall time, interval: costliest first. By the schedule, once it and its cost are known.

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


def described(findings: Findings) -> str:
    """`evaluation: 5.82 s every 500 iterations, 6.4 % as the run goes on; ...`

    By the schedule it is another number than the ledger's, which tells of the time that was.
    """
    schedules = {s.kind: s for s in findings.eta.schedules}
    return "; ".join(
        f"{kind}: {_each(schedules[kind], every)}, {percent(share)} as the run goes on"
        if every
        else f"{kind}: {percent(share)} of the wall time so far"
        for kind, share, every in costs(findings)
    )


def _each(schedule: Schedule, every: int) -> str:
    """`5.82 s every 500 iterations`, and how often it came at all where it often did not."""
    often = "" if schedule.share == 1 else f" ({percent(schedule.share)} of the times)"
    return f"{duration(schedule.mean_s or 0.0)} every {plural(every, 'iteration')}{often}"
