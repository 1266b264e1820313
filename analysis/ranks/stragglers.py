"""Ranks of one run side by side: one that comes late to the collective makes all others wait.

The iteration's time does not show who it was: all ranks take the same (median 64 ms on each of four where one
was 50 ms late). What each does without waiting for the others does: all phases of an iteration but the gradient
sync. Where that is not measured apart, the wait for data and the forward pass are what lies before it.

Of ranks that are alike one is the last of every iteration, by chance. So nobody is named, and nothing is lost as
usual, unless it is the same rank again and again.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from math import sqrt
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from ...events import DATA
from ..findings import Imbalance, Straggler
from ..medians import median_of_known
from ..record.columns import BLOCK
from . import turns
from .leads import Local, lead_of, phase_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ...events import Iteration, Phases
    from ..record.columns import Columns
    from ..timing.slow import Slow
    from ..timing.timing import Timing
    from .leads import Lead

KEPT = 256
"""Iterations of which each rank's time is kept: labels are final after 64."""

MOST_RANKS = 1_024
"""Ranks whose local times are kept of each of these: 150 MB."""

LATE = 1.1
"""In a slow iteration a straggler took more than this many times what the others took."""

ONCE_S = 0.1
"""... and made them wait for so long, or was late `AGAIN`: less happens to any process on a busy host."""

AGAIN = 6
"""Times that it was late by a third of it or more, lately, and four times as often as the others together: with
four, one of a hundred runs of ranks that are alike had a straggler."""

LEAST = 0.05
"""One that is late as usual makes them wait for this share of an iteration."""

FEWEST = 16
"""Iterations that are compared at least."""

OFTEN = 0.5
"""... and is the last in this share of the iterations, twice as often as any other,"""

BY_CHANCE = 4.5
"""... and more often than ranks that are alike: by so many deviations of that count, once in 300,000 windows."""


class Late(NamedTuple):
    """Iterations in which a rank was late, and its cost; `own_data_s` of it are the shown one's waits for data."""

    iterations: int = 0
    seconds: float = 0.0
    own_data_s: float = 0.0

    def plus(self, other: Late, sign: int = 1) -> Late:
        """Both together; with `sign` -1, this without the other."""
        return Late(*(mine + sign * its for mine, its in zip(self, other, strict=True)))  # type: ignore[arg-type]


class Ranks:
    """The newest iterations of every rank, and by position who was the last one, and how late."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._recent: dict[int, dict[int, Local]] = {}  # by iteration, by rank
        self.left_out = False  # a rank, as there are more than the most
        self._leads: dict[int, Lead | None] = {}  # of those that two ranks report
        self._stale: dict[int, None] = {}  # iterations of which more has come since
        self._start = 0
        self._shown: int | None = None
        self._late_s = array("f")  # by position; empty until two ranks report one iteration
        self._last = array("i")  # by position, the last rank; -1: nobody knows
        self._heard = array("h")  # by position, the ranks that report it
        self._in_data = array("b")  # by position: it is the shown one, and waited for data
        self._usual = [Late()]  # as usual, up to each multiple of BLOCK that is old enough not to change

    def add(self, events: Sequence[Iteration], start: int) -> None:
        """Take in iterations of any rank; those of the shown one are in the columns, from `start` on."""
        if start != self._start:
            self._note_stale()
            self._start = start
            self._recent.clear()
            self._leads.clear()
        for event in events:
            local = Local(event.data_wait_s, event.phases)
            if event.rank is None or event.averaged_over != 1:
                continue
            self._shown = event.rank if self._shown is None else self._shown
            ranks = self._recent.setdefault(event.index, {})
            if event.rank not in ranks and len(ranks) >= MOST_RANKS:
                self.left_out = True
                continue
            ranks[event.rank] = local
            self._stale[event.index] = None
        while len(self._recent) > KEPT:
            oldest = next(iter(self._recent))
            if oldest in self._stale:
                self._note_stale()
            del self._recent[oldest]
            self._leads.pop(oldest, None)

    def add_phases(self, event: Phases) -> None:
        """Seconds by phase of an iteration that was reported before: they come when the GPU has passed it."""
        ranks = self._recent.get(event.iteration) if event.whole else None
        if ranks is not None and event.rank is not None and event.rank in ranks:
            local = ranks[event.rank]
            ranks[event.rank] = local._replace(phases={**(local.phases or {}), **event.phases})
            self._stale[event.iteration] = None

    def newest(self) -> dict[int, int]:
        """The newest iteration of each rank that is kept."""
        return {rank: index for index, ranks in self._recent.items() for rank in ranks}

    def settle(self, timing: Timing) -> None:
        """Add up what is older than anything that still changes, for `late_between`."""
        if not self._recent or (end := len(self._usual) * BLOCK) > timing.done - KEPT:
            return
        self._note_stale()
        while (end := len(self._usual) * BLOCK) <= min(timing.done - KEPT, len(self._late_s)):
            self._usual.append(self._usual[-1].plus(self._sum(timing.slow, end - BLOCK, end)))

    def late_rank_at(self, position: int) -> Lead | None:
        """Who was late at `position`, as long as it is kept: beyond what is usual there."""
        if position < self._start:
            return None
        self._note_stale()
        lead = self._leads.get(self._columns.index[position])
        if lead is None or lead.local_s <= LATE * lead.others_s:
            return None
        before = range(max(self._start, position - 64), min(position, len(self._last)))
        usual = self._named(before)
        like_it = [self._last[p] for p in before if 3 * self._late_s[p] >= lead.seconds]
        mine, others = like_it.count(lead.rank), len(like_it) - like_it.count(lead.rank)
        is_one_of_many = mine >= AGAIN and mine >= 4 * others
        if usual is None and not is_one_of_many and (others or lead.seconds < ONCE_S):
            return None
        usually_s = [self._late_s[p] for p in before if self._last[p] == usual]
        return lead._replace(others_s=lead.others_s + (median(usually_s) if usually_s else 0.0))

    def late_between(self, slow: Slow, first: int, last: int) -> Late:
        """What being late as usual cost at positions `first`..`last`, inclusive: slow ones have their causes."""
        self._note_stale()
        low, high = -(-first // BLOCK), min((last + 1) // BLOCK, len(self._usual) - 1)
        if high <= low:
            found = self._sum(slow, first, last + 1)
        else:
            edges = self._sum(slow, first, low * BLOCK).plus(self._sum(slow, high * BLOCK, last + 1))
            found = edges.plus(self._usual[high]).plus(self._usual[low], -1)
        return Late(found.iterations, max(0.0, found.seconds), max(0.0, found.own_data_s))

    def straggler(self) -> Straggler | None:
        """The rank that is late in most of the newest iterations; `None` if it is no single one."""
        self._note_stale()
        rank = self._named(self._newest())
        mine = [lead for lead in self._leads.values() if lead is not None and lead.rank == rank]
        if rank is None or not mine:
            return None
        return Straggler(
            rank=rank,
            share=len(mine) / len(self._leads),
            local_s=median(lead.local_s for lead in mine),
            others_s=median(lead.others_s for lead in mine),
            phase=phase_of(mine),
            since_iteration=self._since(lambda part: 2 * part.count(rank) >= len(part)),
            iterations=len(self._leads),
        )

    def imbalance(self) -> Imbalance | None:
        """Do the ranks wait for each other, though no single one is at fault?"""
        self._note_stale()
        newest = self._newest()
        known = [p for p in newest if self._last[p] >= 0]
        usual_s = median_of_known(d for p in known if (d := self._columns.duration_s[p]) == d)
        if len(known) < turns.FEWEST or not usual_s or self._named(newest) is not None:
            return None
        last = [self._last[p] for p in known]
        group = turns.group_of(last, min(self._heard[p] for p in known))
        share = median(self._late_s[p] for p in known) / usual_s
        if share < (LEAST if group else turns.MUCH):
            return None
        leads = [lead for lead in self._leads.values() if lead is not None]
        of = Counter(last)
        first, final = group or (0, MOST_RANKS)
        return Imbalance(
            share=share,
            local_s=median(lead.local_s for lead in leads),
            others_s=median(lead.others_s for lead in leads),
            group=group,
            phase=phase_of(leads),
            last_ranks=len(of),
            most_often=max(of.values()) / len(known),
            since_iteration=self._since(lambda part: 2 * sum(first <= r <= final for r in part) >= len(part)),
            iterations=len(known),
        )

    def _newest(self) -> range:
        return range(max(self._start, len(self._late_s) - KEPT), len(self._late_s))

    def _since(self, holds: Callable[[array[int]], bool]) -> int | None:
        """The first iteration of the newest blocks for whose last ranks `holds` is true, one after the other."""
        begin = len(self._last)
        for block in range((begin - 1) // BLOCK, max(-1, (begin - 1) // BLOCK - turns.FARTHEST), -1):
            start = max(block * BLOCK, self._start)
            if start >= begin or not holds(self._last[start:begin]):
                break
            begin = start
        return self._columns.index[begin] if begin < len(self._last) else None

    def _sum(self, slow: Slow, start: int, stop: int) -> Late:
        """How late each block's usual last rank was at positions `start` to before `stop`, slow ones apart."""
        stop = min(stop, len(self._late_s))
        iterations, seconds, own_data_s = 0, 0.0, 0.0
        for block in range(start // BLOCK, -(-stop // BLOCK)):
            end = min((block + 1) * BLOCK, len(self._late_s))
            rank = self._named(range(max(0, end - BLOCK), end))
            if rank is None:
                continue
            of_block = range(max(start, block * BLOCK), min(stop, end))
            apart = _slow_in(slow, of_block)
            late = [p for p in of_block if self._last[p] == rank and self._late_s[p] > 0 and p not in apart]
            iterations += len(late)
            seconds += sum(self._late_s[p] for p in late)
            own_data_s += sum(self._late_s[p] for p in late if self._in_data[p])
        return Late(iterations, seconds, own_data_s)

    def _named(self, positions: Iterable[int]) -> int | None:
        """The rank that is the last at most of `positions`, by more than chance makes of ranks that are alike."""
        known = [p for p in positions if p < len(self._last) and self._last[p] >= 0]
        if len(known) < FEWEST:
            return None
        (rank, count), *others = Counter(self._last[p] for p in known).most_common(2)
        if count < OFTEN * len(known) or any(2 * next_one > count for _, next_one in others):
            return None
        chance = len(known) / min(self._heard[p] for p in known)
        if count < chance + BY_CHANCE * sqrt(chance * (1 - chance / len(known))):
            return None
        late_s = median(self._late_s[p] for p in known if self._last[p] == rank) * count / len(known)
        usual_s = median_of_known(d for p in known if (d := self._columns.duration_s[p]) == d)
        return rank if usual_s and late_s >= LEAST * usual_s else None

    def _note_stale(self) -> None:
        stale, self._stale = self._stale, {}
        for index in stale:
            if len(self._recent.get(index, ())) > 1:
                self._note(index)

    def _note(self, index: int) -> None:
        lead = self._leads[index] = lead_of(self._recent[index])
        position = bisect_left(self._columns.index, index, self._start)
        if position == len(self._columns) or self._columns.index[position] != index:
            return
        more = len(self._columns) - len(self._late_s)
        self._late_s.extend([0.0] * more)
        self._last.extend([-1] * more)
        self._heard.extend([0] * more)
        self._in_data.extend([0] * more)
        del self._usual[position // BLOCK + 1 :]  # a rank whose times come this late counts all the same
        if lead is None:
            return
        # More than the iteration's own time, it was no wait inside it.
        self._late_s[position] = lead.seconds if lead.seconds < self._columns.duration_s[position] else 0.0
        self._last[position] = lead.rank
        self._heard[position] = len(self._recent[index])
        self._in_data[position] = lead.phase == DATA and lead.rank == self._shown


def _slow_in(slow: Slow, positions: range) -> set[int]:
    places = range(bisect_left(slow.position, positions.start), bisect_left(slow.position, positions.stop))
    return {slow.position[place] for place in places}
