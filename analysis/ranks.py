"""Ranks of one run side by side: one that comes late to the collective makes all others wait.

The iteration's time does not show who it was: all ranks take the same (median 64 ms on each of four where one
was 50 ms late). The local time before the collective does: the wait for data and the forward pass.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from .findings import Straggler

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..events import Iteration
    from .columns import Columns
    from .timing import Slow

KEPT = 256
"""Iterations of which each rank's time is kept: labels are final after 64."""

LATE = 1.1
"""A straggler takes this many times what the others take."""

LEAST = 0.05
"""... and makes them wait for this share of an iteration, in one that is not slow for its time."""


class Lead(NamedTuple):
    """The slowest rank of one iteration, and the median of the others."""

    rank: int
    local_s: float
    others_s: float

    @property
    def seconds(self) -> float:
        """How long the others waited for it."""
        return self.local_s - self.others_s


class Late(NamedTuple):
    """Iterations in which a rank was late as usual, so that none was slow, and the seconds it cost."""

    iterations: int = 0
    seconds: float = 0.0


class Ranks:
    """The newest iterations of every rank, and by position how late the last one was (0: nobody)."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._recent: dict[int, dict[int, float]] = {}  # seconds by rank, by iteration
        self._start = 0
        self._late_s = array("f")  # by position; empty until two ranks tell of one iteration

    def add(self, events: Sequence[Iteration], start: int) -> None:
        """Take in iterations of any rank; those of the shown one are in the columns, from `start` on."""
        if start != self._start:
            self._start = start
            self._recent.clear()
        touched: dict[int, dict[int, float]] = {}
        for event in events:
            local_s = _local_s(event)
            if event.rank is not None and local_s is not None and event.averaged_over == 1:
                ranks = self._recent.setdefault(event.index, {})
                ranks[event.rank] = local_s
                touched[event.index] = ranks
        for index, ranks in touched.items():
            if len(ranks) > 1:
                self._note(index, ranks)
        while len(self._recent) > KEPT:
            del self._recent[next(iter(self._recent))]

    def at(self, position: int) -> Lead | None:
        """Who was late at `position`, as long as it is kept: beyond what is usual there."""
        if position < self._start:
            return None
        lead = _lead(self._recent.get(self._columns.index[position], {}))
        if lead is None:
            return None
        before = self._late_s[max(self._start, position - 64) : position]
        return lead._replace(others_s=lead.others_s + (median(before) if before else 0.0))

    def between(self, slow: Slow, first: int, last: int) -> Late:
        """What being late as usual cost at positions `first`..`last`, inclusive: slow ones have their causes."""
        late = [s for s in self._late_s[first : last + 1] if s]
        if not late:
            return Late()
        places = range(bisect_left(slow.position, first), bisect_left(slow.position, last + 1))
        inside = [slow.position[p] for p in places if slow.position[p] < len(self._late_s)]
        explained = [s for p in inside if (s := self._late_s[p])]
        return Late(len(late) - len(explained), max(0.0, sum(late) - sum(explained)))

    def straggler(self) -> Straggler | None:
        """The rank that is late in most of the newest iterations; `None` if it is no single one."""
        several = [ranks for ranks in self._recent.values() if len(ranks) > 1]
        leads = [lead for ranks in several if (lead := _lead(ranks)) is not None]
        if not leads:
            return None
        rank, count = Counter(lead.rank for lead in leads).most_common(1)[0]
        mine = [lead for lead in leads if lead.rank == rank]
        return Straggler(
            rank=rank,
            share=count / len(several),
            local_s=median(lead.local_s for lead in mine),
            others_s=median(lead.others_s for lead in mine),
        )

    def _note(self, index: int, ranks: dict[int, float]) -> None:
        position = bisect_left(self._columns.index, index, self._start)
        if position == len(self._columns) or self._columns.index[position] != index:
            return
        self._late_s.extend([0.0] * (len(self._columns) - len(self._late_s)))
        lead, duration_s = _lead(ranks), self._columns.duration_s[position]
        late = lead is not None and LEAST * duration_s <= lead.seconds < duration_s
        self._late_s[position] = lead.seconds if late and lead is not None else 0.0


def _local_s(event: Iteration) -> float | None:
    """Seconds before the collective, as far as they are told."""
    forward_s = (event.phases or {}).get("forward")
    known = [s for s in (event.data_wait_s, forward_s) if s is not None]
    return sum(known) if known else None


def _lead(ranks: dict[int, float]) -> Lead | None:
    if len(ranks) < 2:
        return None
    rank = max(ranks, key=lambda r: ranks[r])
    others_s = median(s for r, s in ranks.items() if r != rank)
    return Lead(rank, ranks[rank], others_s) if ranks[rank] >= LATE * others_s else None
