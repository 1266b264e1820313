"""Work done again: a process that resumes below what the one before it had reached repeats those iterations."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..record.processes import LEAST_JUMP

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..record.columns import Columns
    from ..timing.slow import Slow


EARLY = 0.001
"""So little of what had been reached is never saved to go on from. Episodes begin where their first one ends."""


AHEAD = 2.0
"""Times what the log has ever reached: whoever begins so far ahead goes on from another run's file: no restart."""


class Repeated(NamedTuple):
    """Iterations that had been done before, and their clean seconds."""

    iterations: int = 0
    clean_s: float = 0.0


class Repeats:
    """Remembers, process by process, which iterations an earlier one had done already.

    A process that begins at the first index seen, or one later (some count from 0, others from 1), or hardly
    later, and does not say that it resumes, is another training in the same file (a fold, a model of a grid,
    a second run): nothing of the earlier one was lost to it. So is one that says it does not resume.
    """

    def __init__(self, columns: Columns) -> None:
        self.trainings: list[int] = []  # the first position of each that began from its beginning
        self.jumps: set[int] = set()  # where no process is known to begin, but the index jumps far ahead
        self._columns = columns
        self._stretches: list[tuple[int, int]] = []  # (first position, highest index that had been reached)
        self._resumed: set[int] = set()  # where a line says that a process goes on from a file
        self._first: int  # index, of the run that goes on
        self._first_of_row: int  # ... of the iterations that its first row is the mean of
        self._reached: int

    def begin(self, index: int, averaged_over: int = 1, *, resumed: bool | None, jumped: bool = False) -> bool:
        """A process begins with iteration `index`, at the position that comes next. Is it another training?

        `averaged_over`: of so many iterations it is the mean. A row of 11 of 11 and one of 8 of 8 begin alike.
        `jumped`: nothing tells of another process, but rows are missing before it.
        """
        position, of_row = len(self._columns), index - max(0, averaged_over - 1)
        if jumped:
            self.jumps.add(position)
            resumed = True
        ahead = position > 0 and not jumped and self._is_ahead(of_row)
        another = ahead or not position or resumed is False or (self._is_beginning(index, of_row) and not resumed)
        if another:
            if not ahead:  # who goes on from the same file once more does begin no other
                self._first, self._first_of_row = index, of_row
            self._reached = -1
            self.trainings.append(position)
        else:
            self._reached = max(self._reached, self._columns.index[position - 1])
        if resumed and not jumped:
            self._resumed.add(position)
        self._stretches.append((position, self._reached))
        return another

    def cut_off(self, launched: Collection[int]) -> list[int]:
        """Where the rows of a training begin in its midst: its first iterations are in no source.

        So are pasted ends of logs. More came before the rows than they hold, and no line says that a process was
        `launched` there or went on from a file: what passed before them was training, as far as anybody knows.
        """
        index, found = self._columns.index, []
        for start, end in pairwise([*self.trainings, len(self._columns)]):
            if start in launched or start in self._resumed or start >= end:  # who has just begun has no row
                continue
            missed = index[start] - max(1, self._columns.averaged_at(start))
            if missed >= LEAST_JUMP and missed > self._columns.passed(start, end - 1):
                found.append(start)
        return found

    def _is_beginning(self, index: int, of_row: int) -> bool:
        reached = max(self._reached, self._columns.index[-1])
        least = max(1, EARLY * (reached - self._first))
        return index <= self._first + least or of_row <= self._first_of_row + least

    def _is_ahead(self, of_row: int) -> bool:
        reached = max(self._reached, self._columns.index[-1])
        return of_row - reached >= LEAST_JUMP and of_row >= AHEAD * reached

    def repeated_between(self, slow: Slow, first: int, last: int) -> Repeated:
        """What was done again at positions `first`..`last`, inclusive; those never printed count as the others."""
        columns = self._columns
        iterations, clean_s = 0, 0.0
        for (start, reached), (end, _) in pairwise([*self._stretches, (len(columns), 0)]):
            stop = bisect_right(columns.index, reached, start, end)
            low, high = max(first, start), min(last + 1, stop)
            if low >= high:
                continue
            seen = columns.passed(low, high - 1)
            unseen = columns.index[high - 1] - columns.index[low] - columns.passed(low + 1, high - 1)
            passed = seen + max(0, unseen)
            iterations += passed
            clean_s += self._clean_s(slow, low, high) * passed / max(1, seen)
        return Repeated(iterations, clean_s)

    def _clean_s(self, slow: Slow, low: int, high: int) -> float:
        """Seconds at positions `low` to `high` (exclusive), without what slow ones took beyond the level."""
        places = range(bisect_left(slow.position, low), bisect_left(slow.position, high))
        over = self._columns.averaged_at
        excess_s = sum(over(slow.position[p]) * max(0.0, slow.duration_s[p] - slow.level_s[p]) for p in places)
        return max(0.0, self._columns.spent_s(low, high - 1) - excess_s)
