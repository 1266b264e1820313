"""What an evaluation took, by the times or rates that the lines in its middle show, pass by pass through a set.

`Valid | 10/50 | 2.5 it/s` may show the batches since the line before, or the mean of all since the pass began. Of a
script that nobody described its own lines tell which: a mean of all changes ever less, and no batches between two
of them can have taken less than nothing. Where they do not tell, and it matters, nobody knows what the pass took.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..parsing.values import Fields

SAME = 0.03
"""Two readings of a pass that differ by no more are one: rates have three digits."""

TELL = 8
"""So many lines of a pass tell whether what they show changes ever less."""

CALMER = 0.5
"""Times what it changed in the first half of them it changes in the second: of a mean of all it is a third or less."""

MOST = 256
"""Lines of a pass that are looked at."""

BELOW = 0.02
"""Of a sum: it may seem to shrink by so much, for its mean was rounded."""


class Passes:
    """The passes of one evaluation after the other."""

    def __init__(self) -> None:
        self._since_row = self._so_far = 0  # passes whose lines show that they can be nothing else
        self.begin()

    def begin(self) -> None:
        """An evaluation begins."""
        self._whole_s: float | None = 0.0  # in whole passes
        self.is_printed = False  # is that what the log says of the whole of it?
        self._shown: list[tuple[float, float]] = []  # batches of the pass at hand, and the time of one
        self._length: float | None = None
        self._own_s, self._is_doubtful = 0.0, False

    def learn(self, other: Passes) -> None:
        """Take over what another reader found out of more lines."""
        self._since_row = max(self._since_row, other._since_row)
        self._so_far = max(self._so_far, other._so_far)

    def add(self, fields: Fields) -> None:
        """Its batches' times, where each line has one; those between two lines took as long as the later one. Or all of it.

        They `may_be_so_far` where nobody described what the line shows.
        """
        if "spent_s" in fields:
            self._whole_s, self.is_printed = fields["spent_s"], True
            return
        n, each_s = fields.get("iteration"), fields.get("duration_s")
        if each_s is None or n is None:
            self._whole_s = None
            return
        if self._shown and n <= self._shown[-1][0]:  # once more, through other data
            self._over()
        before = self._shown[-1][0] if self._shown else 0.0
        self._own_s += (n - before) * each_s
        self._length, self._is_doubtful = fields.get("length"), bool(fields.get("may_be_so_far"))
        self._shown = [*self._shown[-MOST:], (n, each_s)]

    def seconds(self) -> float | None:
        """All that is told of the evaluation, which is over; `None` or 0: not known."""
        self._over()
        return self._whole_s

    def _over(self) -> None:
        """Batches of the pass at hand whose lines were left out took as long as the others."""
        shown, own_s = self._shown, self._own_s
        self._shown, self._own_s = [], 0.0
        if not shown or not shown[-1][0]:
            return
        n, newest_s = shown[-1]
        all_of_it = max(n, self._length or n)
        spent_s: float | None = own_s * all_of_it / n
        if self._is_doubtful:
            self._look_at(shown)
            spent_s = self._one_of(own_s * all_of_it / n, newest_s * all_of_it)
        if self._whole_s is not None:
            self._whole_s = None if spent_s is None else self._whole_s + spent_s

    def _one_of(self, own_s: float, so_far_s: float) -> float | None:
        """What the pass took, if its lines show times of their own, or those of all batches so far."""
        if abs(own_s - so_far_s) <= SAME * max(own_s, so_far_s) or self._since_row:
            return own_s
        return so_far_s if self._so_far else None

    def _look_at(self, shown: list[tuple[float, float]]) -> None:
        """What do the lines of a pass show?"""
        sums_s = [n * each_s for n, each_s in shown]
        if any(later < (1 - BELOW) * before for before, later in pairwise(sums_s)):
            self._since_row += 1
        elif len(shown) >= TELL:
            changes = [abs(later - before) for (_, before), (_, later) in pairwise(shown)]
            half = len(changes) // 2
            self._so_far += 0 < sum(changes[-half:]) <= CALMER * sum(changes[:half])
