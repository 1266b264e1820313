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

from ..findings import Straggler
from ..record.columns import BLOCK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...events import Iteration, Phases
    from ..record.columns import Columns
    from ..timing.timing import Slow, Timing

KEPT = 256
"""Iterations of which each rank's time is kept: labels are final after 64."""

MOST_RANKS = 1_024
"""Ranks whose local times are kept of each of these: 40 MB."""

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
    """Iterations in which a rank was late, and the seconds it cost."""

    iterations: int = 0
    seconds: float = 0.0

    def plus(self, other: Late, sign: int = 1) -> Late:
        """Both together; with `sign` -1, this without the other."""
        return Late(self.iterations + sign * other.iterations, self.seconds + sign * other.seconds)


class Local(NamedTuple):
    """What one rank did before the collective of one iteration, as far as it is known."""

    wait_s: float | None = None
    forward_s: float | None = None


class Ranks:
    """The newest iterations of every rank, and by position how late the last one was (0: nobody)."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._recent: dict[int, dict[int, Local]] = {}  # by rank, by iteration
        self.left_out = False  # a rank, as there are more than the most
        self._leads: dict[int, Lead | None] = {}  # of those that two ranks report
        self._start = 0
        self._late_s = array("f")  # by position; empty until two ranks report one iteration
        self._usual = [Late()]  # as usual, up to each multiple of BLOCK that is old enough not to change

    def add(self, events: Sequence[Iteration], start: int) -> None:
        """Take in iterations of any rank; those of the shown one are in the columns, from `start` on."""
        if start != self._start:
            self._start = start
            self._recent.clear()
            self._leads.clear()
        touched: dict[int, None] = {}
        for event in events:
            local = Local(event.data_wait_s, (event.phases or {}).get("forward"))
            if event.rank is not None and local != Local() and event.averaged_over == 1:
                ranks = self._recent.setdefault(event.index, {})
                if len(ranks) < MOST_RANKS or event.rank in ranks:
                    ranks[event.rank] = local
                    touched[event.index] = None
                else:
                    self.left_out = True
        for index in touched:
            self._note(index)
        while len(self._recent) > KEPT:
            oldest = next(iter(self._recent))
            del self._recent[oldest]
            self._leads.pop(oldest, None)

    def add_phases(self, event: Phases) -> None:
        """GPU seconds of an iteration that was reported before: they come when the GPU has passed it."""
        ranks, forward_s = self._recent.get(event.iteration), event.phases.get("forward")
        if ranks is not None and event.rank is not None and event.rank in ranks and forward_s is not None:
            ranks[event.rank] = ranks[event.rank]._replace(forward_s=forward_s)
            self._note(event.iteration)

    def settle(self, timing: Timing) -> None:
        """Add up what is older than anything that still changes, for `late_between`."""
        while (end := len(self._usual) * BLOCK) <= min(timing.done - KEPT, len(self._late_s)):
            self._usual.append(self._usual[-1].plus(self._sum(timing.slow, end - BLOCK, end)))

    def late_rank_at(self, position: int) -> Lead | None:
        """Who was late at `position`, as long as it is kept: beyond what is usual there."""
        if position < self._start:
            return None
        lead = self._leads.get(self._columns.index[position])
        if lead is None:
            return None
        before = self._late_s[max(self._start, position - 64) : position]
        return lead._replace(others_s=lead.others_s + (median(before) if before else 0.0))

    def late_between(self, slow: Slow, first: int, last: int) -> Late:
        """What being late as usual cost at positions `first`..`last`, inclusive: slow ones have their causes."""
        low, high = -(-first // BLOCK), min((last + 1) // BLOCK, len(self._usual) - 1)
        if high <= low:
            found = self._sum(slow, first, last + 1)
        else:
            edges = self._sum(slow, first, low * BLOCK).plus(self._sum(slow, high * BLOCK, last + 1))
            found = edges.plus(self._usual[high]).plus(self._usual[low], -1)
        return found._replace(seconds=max(0.0, found.seconds))

    def straggler(self) -> Straggler | None:
        """The rank that is late in most of the newest iterations; `None` if it is no single one."""
        leads = [lead for lead in self._leads.values() if lead is not None]
        if not leads:
            return None
        rank, count = Counter(lead.rank for lead in leads).most_common(1)[0]
        mine = [lead for lead in leads if lead.rank == rank]
        return Straggler(
            rank=rank,
            share=count / len(self._leads),
            local_s=median(lead.local_s for lead in mine),
            others_s=median(lead.others_s for lead in mine),
        )

    def _sum(self, slow: Slow, start: int, stop: int) -> Late:
        """How late anybody was at positions `start` to before `stop`, without those that were slow."""
        late = [s for s in self._late_s[start:stop] if s]
        if not late:
            return Late()
        places = range(bisect_left(slow.position, start), bisect_left(slow.position, stop))
        inside = [slow.position[p] for p in places if slow.position[p] < len(self._late_s)]
        explained = [s for p in inside if (s := self._late_s[p])]
        return Late(len(late) - len(explained), sum(late) - sum(explained))

    def _note(self, index: int) -> None:
        ranks = self._recent[index]
        if len(ranks) < 2:
            return
        lead = self._leads[index] = _lead(ranks)
        position = bisect_left(self._columns.index, index, self._start)
        if position == len(self._columns) or self._columns.index[position] != index:
            return
        self._late_s.extend([0.0] * (len(self._columns) - len(self._late_s)))
        del self._usual[position // BLOCK + 1 :]  # a rank whose times come this late counts all the same
        duration_s = self._columns.duration_s[position]
        late = lead is not None and LEAST * duration_s <= lead.seconds < duration_s
        self._late_s[position] = lead.seconds if late and lead is not None else 0.0


def _lead(ranks: dict[int, Local]) -> Lead | None:
    """The rank that came late: by what all of them report, or else by their waits for data alone."""
    forward = all(local.forward_s is not None for local in ranks.values())
    own_s = (
        {r: (wait_s or 0.0) + (forward_s or 0.0) for r, (wait_s, forward_s) in ranks.items()}
        if forward
        else {r: wait_s for r, (wait_s, _) in ranks.items() if wait_s is not None}
    )
    if len(own_s) < 2:
        return None
    rank = max(own_s, key=lambda r: own_s[r])
    others_s = median(s for r, s in own_s.items() if r != rank)
    return Lead(rank, own_s[rank], others_s) if own_s[rank] >= LATE * others_s else None
