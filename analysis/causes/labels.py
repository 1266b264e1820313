"""The slow iterations and their causes: final after a while, open to new evidence until then."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from copy import copy
from types import MappingProxyType
from typing import TYPE_CHECKING

from ...events import TRAINING, UNEXPLAINED, WARMUP
from ..timing.warmup import SLOW
from .cadences import Cadences
from .cases import Cases
from .causes import explain
from .final_labels import FinalLabels
from .tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..timing.timing import Timing
    from .cases import Record
    from .causes import Explanation
    from .periods import Period

NOTHING: Mapping[str, int] = MappingProxyType({})

LAG = 64
"""Iterations after which a label is final: a change of level needs 32 to be distinguished from slow iterations."""

_SHORT = 256
"""Slow iterations of a run that is explained anew as a whole when its newest ones show a cadence."""

_LONGEST_LAG = 16 * LAG  # where the samples of its last second do not come


AGAIN, LIKE = 2, 1.3
"""What comes again so often, each time within this factor as long, is one thing, and no warm-up the first time."""

MOST = 256
"""Rows without a cause that are looked at: what did not come again among them never does."""


class _Returning:
    """Finds rows of a beginning that took long for the same unknown cause as several rows behind it.

    Only where most of what is as long, and has no cause, is alike; and comes more often than such beginnings.
    """

    def __init__(self, record: Record, found: set[int]) -> None:
        self._record, self._found = record, found
        self._beginnings: dict[int, float] = {}  # seconds by position
        self._unexplained: list[float] = []  # seconds of what came later
        self._newest = -1  # the position that was looked at last

    def add(self, position: int, explained: Explanation) -> bool:
        """One more that is explained. Did it turn out that a beginning was none?"""
        if position <= self._newest:
            return False
        self._newest = position
        seconds = {kind: sum(c.seconds for c in explained.inside if c.kind == kind) for kind in _UNKNOWN}
        if seconds[WARMUP] > 0:
            self._beginnings.pop(position - 1, None)  # it goes on from row to row
        if not self._stands_out(position) or len(self._unexplained) + len(self._beginnings) >= MOST:
            return False
        if seconds[WARMUP] > 0:
            self._beginnings[position] = seconds[WARMUP]
        if seconds[UNEXPLAINED] > 0:
            self._unexplained.append(seconds[UNEXPLAINED])
        come_again = {at for at, took_s in self._beginnings.items() if self._comes_again(took_s)}
        changed = come_again != self._found
        self._found.clear()
        self._found |= come_again
        return changed

    def _stands_out(self, position: int) -> bool:
        """Did it take longer than the row before? Else that one's beginning goes on in it."""
        rows = self._record.columns.duration_s
        return position == 0 or not rows[position] <= SLOW * rows[position - 1]

    def _comes_again(self, took_s: float) -> bool:
        as_long = [s for s in self._unexplained if s >= took_s / LIKE]
        alike = sum(s <= took_s * LIKE for s in as_long)
        begun = sum(took_s / LIKE <= s <= took_s * LIKE for s in self._beginnings.values())
        return alike >= max(AGAIN, begun + 1) and 2 * alike >= len(as_long)


_UNKNOWN = (WARMUP, UNEXPLAINED)


class Labels:
    """Explains what `timing` found slow. A *place* counts those, from 0."""

    def __init__(self, timing: Timing, record: Record) -> None:
        self.timing = timing
        self.record = record
        self._cases = Cases(timing, record)
        self._cadences = Cadences(timing, record, self._cases)
        self._returning = _Returning(record, self._cases.returned)
        self._final = FinalLabels()
        self._is_refreshed = False
        self.counted = Tally()
        """Each label as it was when it became final: these sums only grow, whatever is found out later."""
        self._counted_to = -1  # the position of the newest of them

    def early(self, timing: Timing) -> Labels:
        """A throw-away by `timing`, which has gone on from this one's: nothing becomes final in it."""
        young = copy(self)
        young.timing = timing
        young._cases = self._cases.of(timing)
        young._cadences = self._cadences.of(timing, young._cases)
        young._is_refreshed = False
        return young

    def settle(self) -> None:
        """Make final what is old enough; what a span turned out to have lasted changes what was said of it."""
        if self.record.spans.corrected:
            self.record.spans.corrected = False
            self._final.clear()
        self._cadences.forget_open()
        self._is_refreshed = False
        self._cases.remember_samples(len(self._final))
        while self._may_settle():
            place = len(self._final)
            self._cases.remember(place)
            explanation = self.explain(place)
            self._count(place, explanation)
            self._final.add(explanation)
            returns = self._returning.add(self.timing.slow.position[place], explanation)
            if self._cadences.add_final(place) or returns:
                self._final.clear()

    def up_to_date(self) -> Labels:
        """The same, by the newest that is known of its spans."""
        if self.record.spans.corrected:
            self.settle()
        return self

    def count_open(self) -> None:
        """Count what is not final yet, as it is now: its process is over, and what follows is of another."""
        self._cadences.forget_open()  # whether somebody looked meanwhile makes no difference
        self._is_refreshed = False
        for place in range(len(self._final), len(self.timing.slow)):
            self._count(place, self.explain(place))

    def _count(self, place: int, explanation: Explanation) -> None:
        position = self.timing.slow.position[place]
        if position > self._counted_to:
            self._counted_to = position
            self.counted.add(explanation)

    def _may_settle(self) -> bool:
        place, positions = len(self._final), self.timing.slow.position
        if place >= len(positions) or positions[place] >= self.timing.done - LAG:
            return False
        return positions[place] < self.timing.done - _LONGEST_LAG or not self._cases.lacks_samples(place)

    @property
    def periods(self) -> tuple[Period, ...]:
        """The cadences in what nothing else explains."""
        return self._cadences.shown

    def evaluation_s(self, both: str) -> float | None:
        """What evaluations take that nothing else shares the time with; `None` before enough are final."""
        return self._final.tally.evaluation_s(both)

    def each_evaluation_s(self, both: str) -> float | None:
        """What a single one takes: nothing is known where they are unlike."""
        return self._final.tally.each_evaluation_s(both)

    def explain(self, place: int) -> Explanation:
        """The causes at `place`: a final label's are those that its sums have, not weighed once more."""
        kept = self._final.explanation(place) if self.periods == self._cadences.found else None
        return kept or explain(self._cases.case(place, self.periods, is_final=place < len(self._final)))

    def refresh_periods(self) -> None:
        """Let the newest, open ones count for cadences, too: a run may end before they are final."""
        if not self._is_refreshed:
            self._is_refreshed = True
            self._cadences.refresh(len(self._final))

    def tally_of_run(self) -> Tally:
        """All causes, the open ones included. Cadences that only these show hold for a short run as a whole."""
        self.refresh_periods()
        anew = self._cadences.shown != self._cadences.found and len(self.timing.slow) <= _SHORT
        tally = Tally() if anew else self._final.tally.copy()
        for place in range(0 if anew else len(self._final), len(self.timing.slow)):
            tally.add(self.explain(place))
        return tally

    def tally_between(self, first: int, last: int) -> Tally:
        """The causes of positions `first`..`last`, inclusive."""
        positions = self.timing.slow.position
        low, high = bisect_left(positions, first), bisect_right(positions, last)
        tally, known = self._final.whole_blocks(low, high)
        for place in (*range(low, known.start), *range(known.stop, high)):
            tally.add(self.explain(place))
        return tally

    def along(self, edges: Sequence[int]) -> Iterator[tuple[tuple[str, ...], Mapping[str, int]]]:
        """From each of these places to the next: the main causes, that of the slowest first, and counts of all."""
        for low, high, found, counts in self._final.along(edges):
            yield ((), NOTHING) if low == high else self._with_open(low, high, found, counts)

    def _with_open(
        self, low: int, high: int, found: list[str], counts: dict[str, int]
    ) -> tuple[tuple[str, ...], Mapping[str, int]]:
        """What is final of the places `low` to before `high`, and what is not yet."""
        final = min(high, len(self._final))
        for place in range(max(low, final), high):
            explanation = self.explain(place)
            if explanation.main_cause not in found:
                found.append(explanation.main_cause)
            for kind in explanation.kinds:
                counts[kind] = counts.get(kind, 0) + 1
        if len(found) > 1:
            durations = self.timing.slow.duration_s[low:high]
            first = self._main_cause(low + durations.index(max(durations)))
            found.sort(key=lambda cause: cause != first)
        return tuple(cause for cause in found if cause != TRAINING), counts

    def _main_cause(self, place: int) -> str:
        final = place < len(self._final)
        return self._final.main_cause(place) if final else self.explain(place).main_cause
