"""What was slow: the iterations, and the gaps before some."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from math import nan

from .clock import LEAST_S

FEW = 2
"""Rows that lines without a stamp may part from the one that a gap belongs to."""


class Slow:
    """The slow or labelled iterations, and the gaps before some: parallel arrays, by position.

    `itself` holds the positions of those that were slow in their own time: an evaluation before one is none of it.
    """

    def __init__(self) -> None:
        self.position = array("q")
        self.duration_s = array("d")
        self.level_s = array("d")
        self.gap_s = array("d")
        self.itself = array("q")
        self.among: set[int] = set()
        """Those with a gap among more than `FEW` rows that no clock tells apart: it may lie before any of them."""

        self.changes = 0
        """What was taken out of `itself`, or put between: who remembers a part of it has to look again."""

    def copy(self) -> Slow:
        """Another one of the same records."""
        other = Slow()
        for name in ("position", "duration_s", "level_s", "gap_s", "itself"):
            setattr(other, name, getattr(self, name)[:])
        other.changes, other.among = self.changes, {*self.among}
        return other

    def __len__(self) -> int:
        return len(self.position)

    def add(
        self,
        position: int,
        duration_s: float,
        level_s: float,
        gap_s: float = 0.0,
        *,
        itself: bool = False,
        rows: int = 1,
    ) -> None:
        """Record one; a gap joins the record of its iteration. `rows`: since the clock was read before that."""
        if gap_s > 0 and rows > FEW:
            self.among.add(position)
        if self.position and self.position[-1] >= position:
            place = bisect_left(self.position, position)
            if self.position[place] == position:
                self.gap_s[place] += gap_s
                return
        else:
            place = len(self.position)
        self.note(position, itself=itself)
        self.position.insert(place, position)
        self.duration_s.insert(place, duration_s if duration_s == duration_s else 0.0)
        self.level_s.insert(place, level_s)
        self.gap_s.insert(place, gap_s)

    def note(self, position: int, *, itself: bool) -> None:
        """Whether the iteration at `position` was slow in its own time."""
        place = bisect_left(self.itself, position)
        if itself == (place < len(self.itself) and self.itself[place] == position):
            return
        self.changes += not itself or place < len(self.itself)
        if itself:
            self.itself.insert(place, position)
        else:
            self.itself.pop(place)

    def judge(self, position: int, duration_s: float, level_s: float) -> None:
        """The iteration at `position` was slow by itself beside this level: another one was not its own."""
        self.add(position, duration_s, level_s, itself=True)
        self.level_s[bisect_left(self.position, position)] = level_s
        self.note(position, itself=True)

    def shorten_gap(self, position: int, by_s: float, level_s: float, *, told: bool) -> None:
        """A part of the gap before `position` was iterations whose lines came with the same time stamp.

        What is left of it may be nothing: then the record goes, if no line `told` of a stop there.
        """
        self.add(position, nan, level_s, -by_s)
        place = bisect_left(self.position, position)
        if self.gap_s[place] < LEAST_S:
            self.gap_s[place] = 0.0
            if not told and not self.duration_s[place] > 1.5 * level_s:
                self.drop(place)

    def drop(self, place: int) -> None:
        """Forget the record at `place`."""
        self.note(self.position[place], itself=False)
        self.among.discard(self.position[place])
        for column in (self.position, self.duration_s, self.level_s, self.gap_s):
            column.pop(place)
