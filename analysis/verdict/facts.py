"""What a verdict rests on: the findings, asked in the words of its rules, each fact with its sentence."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...events import DATA, GAP, ONCE, PAUSE, REPEATED, RESTART, TRAINING, UNEXPLAINED, ClockKind
from ..audit.gpu_peak import on_cpu
from ..audit.work import ONE_GPU
from ..findings import LedgerRow, Load
from ..timing.alike import STRAYS
from . import stop_costs

if TYPE_CHECKING:
    from ...events import RunInfo
    from ..findings import Findings

SLOW_ROWS = 0.2
"""Of the newest rows with those told of one by one: where more of them are slow, the others alone are alike."""

FLAT_JITTER = 0.03
"""Iteration times within this spread are flat: neither warm-up nor bursts of waiting look like that."""

FLAT_P95 = 1.15
"""... and only where hardly one in twenty takes so many times the usual one."""

REACHABLE_MFU = 0.60
"""What tuned code reaches on large matrices; llm.c's own CUDA gets 0.49 from an H100 on GPT-2 XL."""

BUSY_POWER = 0.80
"""A GPU that waits a fifth of its time falls below this share of its power limit."""

IDLE_POWER = 0.50


class Facts:
    """The findings of a run, and what they say. Unknown is `None`, never a guess."""

    def __init__(self, findings: Findings, info: RunInfo) -> None:
        self.findings = findings
        self.info = info
        self.audit = findings.audit
        self.load = findings.load or Load(span_s=0.0)
        self.clean_s = findings.level.clean_s

    @cached_property
    def ledger(self) -> tuple[LedgerRow, ...]:
        """The ledger's rows, without what was waited for first batches: it is over, and no iteration's to come."""
        first = self.findings.first_waits
        rows = self.findings.ledger
        return rows if first is None else tuple(_without(row, first) if row.cause == DATA else row for row in rows)

    def share(self, *causes: str) -> float:
        """The share of all wall time that `causes` took."""
        return sum(row.share for row in self.ledger if row.cause in causes)

    @cached_property
    def lost(self) -> list[LedgerRow]:
        """The ledger's rows but training, the largest first: of what nobody can explain, too.

        Of several trainings each has a pace of its own (four models in one log): what is slow for one is no
        stop of another.
        """
        none = {TRAINING, UNEXPLAINED} if self.several else {TRAINING}
        none |= {PAUSE, RESTART, REPEATED} if self.findings.row_to_row else set()
        none |= set() if self.findings.shows_gaps else {GAP}
        rows = [row for row in self.ledger if row.cause not in none and row.share > 0]
        return sorted(rows, key=lambda row: -row.share)

    @property
    def lost_or_unexplained(self) -> list[LedgerRow]:
        """The same with what nobody can explain, of several trainings, too: where the time went."""
        unexplained = [row for row in self.ledger if row.cause == UNEXPLAINED and row.share > 0]
        return sorted(dict.fromkeys((*self.lost, *unexplained)), key=lambda row: -row.share)

    def at_most(self, cause: str) -> bool:
        """Is what `cause` took a bound?"""
        return any(row.at_most for row in self.ledger if row.cause == cause)

    def at_least(self, cause: str) -> bool:
        """May there be more of `cause` than what is known took?"""
        return any(row.at_least for row in self.ledger if row.cause == cause)

    def is_rough(self, cause: str) -> bool:
        """Is what `cause` took no more than a rough estimate?"""
        return any(row.rough for row in self.ledger if row.cause == cause)

    def count(self, cause: str) -> int:
        """How often `cause` was seen."""
        return sum(row.count for row in self.ledger if row.cause == cause)

    @property
    def several(self) -> bool:
        """Are there several trainings in this source? Level, losses and what comes next are of the newest."""
        return self.findings.progress.trainings > 1

    @property
    def over(self) -> bool:
        """Is nothing more to come of this source? Then nobody waits for it or watches it."""
        return self.findings.ending is not None

    @property
    def hooked(self) -> bool:
        """Does the trainer itself report? Then nobody is told to record it with hooks."""
        return self.info.clock == ClockKind.HOOK

    @property
    def on_cpu(self) -> bool:
        """Does it train on the CPU?"""
        return on_cpu(self.findings.config)

    @property
    def one_gpu(self) -> bool:
        """Is one GPU merely assumed? Then what each GPU achieves is not known."""
        return ONE_GPU in self.audit.estimated

    @cached_property
    def limit(self) -> float | None:
        """The most that the run as it goes now could gain: to the floor, without a stop. `None`: not known.

        From today's level and the share of the stops, not from the wall time so far: a level that was slower once
        is no longer to be won, nor is the time of a warm-up or of a restart.
        """
        if self.audit.times_floor is None:
            return None
        first = self.findings.first_waits
        once = self.share(*ONCE) + (first.share if first else 0.0)
        return self.audit.times_floor / (self.share(TRAINING) or 1.0) * (1 - once)

    @property
    def whatever_is_left(self) -> tuple[float, float] | None:
        """The range of a gain that only physics bounds; `None` where not even that is known."""
        return (1.0, self.limit) if self.limit else None

    def gain(self, factor: float) -> float:
        """A promised speed-up, never more than physics leaves."""
        return max(1.0, factor if self.limit is None else min(factor, self.limit))

    @cached_property
    def data_wait(self) -> float | None:
        """The share of the time that the loop waits for data: as it measured itself, or by the ledger's stalls.

        Of several trainings the ledger's are those of all, and what is measured of the newest.
        """
        measured = self.findings.throughput.data_wait_share
        stalls = self.share(DATA) if measured is None or not self.several else 0.0
        return max(measured, stalls) if measured is not None else stalls or None

    @property
    def waited_each_s(self) -> float | None:
        """What each iteration waited for data, by the ledger, where it tells that of most; else `None`."""
        rows = [row for row in self.findings.ledger if row.cause == DATA]
        count = sum(row.count for row in rows)
        return (
            sum(row.seconds for row in rows) / count
            if 2 * count > self.findings.progress.iterations_seen
            else None
        )

    @cached_property
    def data_demand(self) -> float | None:
        """The share of an iteration that its data takes even from a cold disk: an upper bound."""
        worst_s = self.audit.cold_disk_high_s
        return worst_s / self.clean_s if worst_s is not None and self.clean_s else None

    @cached_property
    def flat(self) -> bool | None:
        """Are the normal iterations all alike? Of a script that nobody described only "most are" can be known."""
        level = self.findings.level
        if level.between is not None or level.creeps:
            return False
        if level.jitter is None or level.clean_s is None:
            return None
        alike = self.mostly_flat and (level.strays or 0.0) <= STRAYS and not self.findings.undescribed
        if level.went_away or level.p95_without > SLOW_ROWS * (level.iterations + level.p95_without):
            return False
        return alike and (level.p95_s or level.clean_s) <= FLAT_P95 * level.clean_s

    @property
    def mostly_flat(self) -> bool:
        """Are most of them alike, however far the others are?"""
        level = self.findings.level
        one = level.between is None and not level.creeps
        return one and level.jitter is not None and level.jitter <= FLAT_JITTER

    @cached_property
    def busy(self) -> bool | None:
        """Does the GPU work without pause, by its power or its tensor cores? `None` without samples."""
        if self.load.power_share is not None:
            return self.load.power_share >= BUSY_POWER
        return None if self.load.tensor_activity is None else self.load.tensor_activity >= 0.45

    @cached_property
    def idle(self) -> bool:
        """Does the GPU visibly wait? Only samples can say so."""
        power, used = self.load.power_share, self.load.utilization
        return power < IDLE_POWER if power is not None else used is not None and used < IDLE_POWER

    @cached_property
    def stop_costs(self) -> list[tuple[str, float, int | None]]:
        """What each kind of stop takes of the wall time as the run goes on, its interval, costliest first."""
        return stop_costs.costs(self.findings)

    @cached_property
    def stop_share(self) -> float | None:
        """The share of the wall time that goes to evaluations and checkpoints; `None` before two were seen."""
        return sum(share for _, share, _ in self.stop_costs) if self.stop_costs else None

    @property
    def costliest(self) -> tuple[str, float, int | None]:
        """The kind of stop that costs most, its share and its interval."""
        return self.stop_costs[0]


def _without(row: LedgerRow, part: LedgerRow) -> LedgerRow:
    seconds, share = max(0.0, row.seconds - part.seconds), max(0.0, row.share - part.share)
    count = max(0, row.count - part.count)
    return LedgerRow(row.cause, seconds, share, count, row.estimated, at_most=row.at_most, at_least=row.at_least)
