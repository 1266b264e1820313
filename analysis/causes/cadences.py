"""The cadences of a run: what returns in the slow iterations that nothing else explains."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from copy import copy
from typing import TYPE_CHECKING

from ...events import UNEXPLAINED
from .causes import within
from .periods import NEWEST, Period, SeenIterations, find

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..timing.timing import Timing
    from .cases import Cases, Record
    from .periods import Slow

_FIRST_SEARCH = 3  # unexplained iterations: a cadence has three members at least
_MOST_OPEN = 64  # open labels that may count for a cadence
_PARTS = (2, 3)  # of a cadence's interval, at which lines may tell of something else
_LEAST_HIDDEN, _SHARE_HIDDEN, _MOST_HIDDEN = (
    2,
    0.8,
    512,
)  # such iterations; how many must be slow
_ALIKE = 2.5  # what is left of one is at least this part of what the member before it cost


class Cadences:
    """Searches anew as more labels become final, the more rarely the more there are."""

    def __init__(self, timing: Timing, record: Record, cases: Cases) -> None:
        self._timing = timing
        self._record = record
        self._cases = cases
        self.found: tuple[Period, ...] = ()
        """By the final labels."""
        self.shown: tuple[Period, ...] = ()
        """By the open ones, too: a run may end before they are final."""
        self._unexplained: list[Slow] = []  # the newest final ones, of one process
        self._process = self._found_in = 0
        self._examined = 0  # places
        self._until_search = _FIRST_SEARCH

    def of(self, timing: Timing, cases: Cases) -> Cadences:
        """The same of another `timing`, which has gone on from this one's."""
        other = copy(self)
        other._timing, other._cases = timing, cases
        return other

    def forget_open(self) -> None:
        """More has come: what was open may be another now."""
        self.shown = self.found

    def add_final(self, place: int) -> bool:
        """The label at `place` has become final. Did the cadences change? Then all labels begin anew."""
        if place < self._examined:
            return False
        self._examined = place + 1
        slow = self._cases.unexplained(place)
        if slow is None:
            return False
        position = self._timing.slow.position[place]
        process = self._process_of(position)
        if process != self._process:
            self._unexplained.clear()
            self._process = process
        self._unexplained = [*self._unexplained, slow][-NEWEST:]
        self._until_search -= 1
        if self._until_search > 0:
            return False
        self._until_search = max(1, self._examined // 16)
        found = self._known(self._find(self._unexplained, position))
        if found == self.found:
            return False
        self.found = self.shown = found
        self._found_in = self._process
        return True

    def refresh(self, first: int) -> None:
        """Let the open labels, from place `first` on, count for cadences, too."""
        self.shown = self.found
        places = range(first, len(self._timing.slow))
        if not places or len(places) > _MOST_OPEN or self._process_of(self._timing.done) != self._process:
            return
        opened = [slow for place in places if (slow := self._cases.unexplained(place)) is not None]
        if opened:
            newest = self._timing.slow.position[-1]
            self.shown = self._known(self._find([*self._unexplained, *opened], newest))

    def _known(self, found: tuple[Period, ...]) -> tuple[Period, ...]:
        """What was `found` now; what was before stays where its members are not all in what is searched."""
        still = self._found_in != self._process or len(self._unexplained) >= NEWEST
        return found or (self.found if still else ())

    def _process_of(self, position: int) -> int:
        return bisect_right(self._record.starts, position) - 1

    def _find(self, slow: Sequence[Slow], last: int) -> tuple[Period, ...]:
        start = self._record.starts[self._process_of(last)]
        seen = SeenIterations(self._record.columns.index, start, last + 1)
        return tuple(self._with_hidden(period, slow, seen) for period in find(slow, seen))

    def _with_hidden(self, period: Period, slow: Sequence[Slow], seen: SeenIterations) -> Period:
        """The whole of a cadence, where lines tell of an evaluation at each second or third of it.

        There it is what the told time leaves of the row: if nothing is left, it does not return there.
        """
        members = [one for one in slow if period.has(one[0])]
        if period.width > 1 or not members:
            return period
        indices = [index for index, _ in members]
        for parts in _PARTS:
            part = period.interval // parts
            if period.interval % parts or part < 2 * seen.step:
                continue
            places = range(members[0][0], members[-1][0] + 1, part)
            hidden = [index for index in places if not period.has(index) and seen.any(index, 1)][-_MOST_HIDDEN:]
            before = [members[bisect_left(indices, index) - 1][1] for index in hidden]
            left = [self._left_s(seen.place(index)) for index in hidden]
            slow_ones = sum(one_s >= member_s / _ALIKE for one_s, member_s in zip(left, before, strict=True))
            if len(hidden) >= _LEAST_HIDDEN and slow_ones >= _SHARE_HIDDEN * len(hidden):
                return Period(part, period.offset % part)
        return period

    def _left_s(self, position: int) -> float:
        """What nothing explains of the row at `position`, where lines tell of another part of it."""
        slow = self._timing.slow.position
        place = bisect_left(slow, position)
        if place >= len(slow) or slow[place] != position or self._cases.unexplained(place) is not None:
            return 0.0
        case = self._cases.case(place, (), is_final=False)
        return sum(cause.seconds for cause in within(case) if cause.kind == UNEXPLAINED)
