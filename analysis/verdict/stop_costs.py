"""What evaluations and checkpoints cost a run as it goes on: each kind, as a share of all wall time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import DATA, PAUSE, STOPS, STRAGGLER, TRAINING
from ..outlook.schedule import SEEN
from ..wall.hidden_stops import causes_of

if TYPE_CHECKING:
    from ..findings import Findings, LedgerRow, Schedule


LEAST = 2
"""Of a kind whose time is known: what one alone took may be its own, as the first evaluation of a short run."""


MANY = 20
"""Of so many in a run that is over it makes no difference whether half of them is a whole number."""

MOSTLY = 0.75
"""Of the times that an interval says: what came less often has none."""


def costs(findings: Findings) -> list[tuple[str, float, int | None]]:
    """Kind, share of the time to come, interval: costliest first. By the schedule, once it and its cost are known.

    Without a schedule, or where no one time is usual, it is what the ledger says. So it is before the first stop
    at a new level: what one costs there is not known. Of what is a bound nothing is said: as much is not to be
    saved.
    """
    found: list[tuple[str, float, int | None]]
    bounds = {row.cause for row in findings.ledger if row.at_most or row.rough}
    if findings.undescribed:  # and what shows in no time at all
        bounds |= STOPS - {row.cause for row in findings.ledger}
    bounds |= causes_of(findings.progress.hidden_stops)
    bounds |= {s.kind for s in findings.eta.schedules if s.uneven}  # half as often saves no half of it
    clean_s = findings.level.clean_s
    each_s = {
        s.kind: (s.each_s / s.interval, s.interval)
        for s in findings.eta.schedules
        if s.each_s is not None and s.interval and _sure(s) and s.kind not in bounds
    }
    planned = {s.kind for s in findings.eta.schedules}
    without = [row for row in findings.ledger if row.cause in STOPS - planned - bounds and row.count >= LEAST]
    if clean_s and each_s and findings.level.between is None and not without:
        whole_s = _else_s(findings, clean_s) + sum(cost_s for cost_s, _ in each_s.values())
        found = [(kind, cost_s / whole_s, interval) for kind, (cost_s, interval) in each_s.items()]
    else:
        known = (row for row in findings.ledger if row.cause in STOPS and row.cause not in bounds)
        rows = [row for row in known if row.count >= LEAST]
        paused = sum(row.share for row in findings.ledger if row.cause == PAUSE)
        intervals = {kind: interval for kind, (_, interval) in each_s.items()}
        found = [(row.cause, row.share / max(1 - paused, row.share), intervals.get(row.cause)) for row in rows]
    return sorted((c for c in found if c[1] > 0), key=lambda c: -c[1])


def saved_by_half(findings: Findings, kind: str, share: float) -> float | None:
    """What half as many of `kind`, which take `share` of the time to come, would save; `None`: nobody knows.

    It is a part of the share that is shown beside it, where one is; of a share that is mostly one stall it is not
    known. What came when a score got better, or seldom as often as the most usual distance says, has no interval
    that anybody has set. What came besides, as a check before the training or a test behind it, no other interval
    saves. Of a run that is over whole ones count. Those that come at once at each place are one stop.
    """
    schedule = next((s for s in findings.eta.schedules if s.kind == kind and s.interval), None)
    rows = [row for row in findings.ledger if row.cause == kind]
    count = sum(row.count for row in rows)
    if any(row.one_outweighs for row in rows):
        return None
    if schedule is not None and (schedule.share < 1 or not _as_often(schedule, findings, count)):
        return None
    shown = sum(row.share for row in rows)
    besides = _besides(schedule, findings, count)
    if 0 < besides < count and len(rows) == 1:
        shown *= _regular_s(rows[0], besides) / rows[0].seconds
        count -= besides
    count = round(count / _at_once(schedule))
    if shown and findings.progress.fraction == 1 and 0 < count < MANY:
        return shown * (count - count // 2) / count
    paused = sum(row.share for row in findings.ledger if row.cause == PAUSE)
    return (shown / max(1 - paused, shown) if shown else share) / 2


def _besides(schedule: Schedule | None, findings: Findings, count: int) -> int:
    """How many came more than the interval says: before the first iteration, at the end, or both."""
    newest = findings.progress.newest_seen
    if schedule is None or not schedule.interval or not newest or findings.progress.trainings > 1:
        return 0
    return max(0, count - newest // schedule.interval * _at_once(schedule))


def _at_once(schedule: Schedule | None) -> int:
    return 1 if schedule is None else schedule.at_once


FAR = 2.0
"""Times as long as the others, or they as long as it: a test of all, or a check of a few batches."""


def _regular_s(row: LedgerRow, besides: int) -> float:
    """What those at the interval took; the longest or the shortest, if far from the others, is one `besides`."""
    for odd_s in row.span_s[::-1] if row.span_s is not None else ():
        others_s = (row.seconds - odd_s) / (row.count - 1)
        if not others_s / FAR <= odd_s <= FAR * others_s:
            return others_s * (row.count - besides)
    return row.seconds / row.count * (row.count - besides)


def _as_often(schedule: Schedule, findings: Findings, count: int) -> bool:
    """Did it come most of the times that its interval says, where that was only seen?"""
    if not schedule.origin.startswith(SEEN) or not schedule.interval or findings.progress.trainings > 1:
        return True
    expected = findings.progress.newest_seen // schedule.interval
    return max(count, schedule.seen) / schedule.at_once >= MOSTLY * expected - 1


def _sure(schedule: Schedule) -> bool:
    """Does its cost tell of those to come? Not one of an earlier level, nor one seen once and in no settings."""
    once = schedule.seen < LEAST and schedule.origin.startswith(SEEN)
    return not (schedule.earlier or once)


def _else_s(findings: Findings, clean_s: float) -> float:
    """Wall time of an iteration that is no stop: gaps, waits and the warm-up have their part in it.

    What passed between two trainings is no training's.

    At a level that has moved it is that of now: so much more than the clean iterations as in the whole run. A late
    rank, and a wait for data in nearly every iteration, are part of the clean time.
    """
    rows = {row.cause: row for row in findings.ledger if row.cause not in STOPS and row.cause != PAUSE}
    iterations = rows[TRAINING].count if TRAINING in rows else 0
    whole_s = sum(row.seconds for row in rows.values())
    if iterations and not findings.level.shifts and findings.progress.trainings <= 1:
        return whole_s / iterations
    inside_s = sum(
        row.seconds
        for row in rows.values()
        if row.cause in (TRAINING, STRAGGLER) or (row.cause == DATA and row.count > iterations / 2)
    )
    return clean_s * whole_s / inside_s if inside_s > 0 else clean_s
