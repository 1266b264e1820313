"""Lines that come once before each beginning of the counter, and nowhere else: what a process says when it begins.

Agent starts run 41a8                   Agent starts run 7c0b
Model is on cuda:0                      Model is on cuda:0
Parameters: 1200                        Parameters: 1800
0/200 ... 200/200                       0/200 ... 200/200
They need not be the first lines of the log: whoever starts the processes may have said something before.
"""

from __future__ import annotations

from collections import Counter

from ..opening_lines import COUNTED, said_of, tail_of
from ..parsing import phases

LEAST_LINES = 3
"""Different ones: a heading and a setting may stand before each epoch, too."""

_FEWEST, _MOST_HELD = 2, 200


class StartingLines:
    """Is told of lines that are no rows, and of rows."""

    def __init__(self) -> None:
        self._since = Counter[str]()  # the newest row
        self._each: set[str] | None = None  # so far once before each beginning; `None`: there has been no row
        self._tails: set[str] = set()  # by which nearly all other lines are known to be none
        self._first: int | None = None  # the number that the counter begins with
        self._begun = 0
        self.in_the_midst = False
        """Does the counter begin lower than at first? The log's first lines may be of the midst of a training then."""

    @property
    def times(self) -> int | None:
        """How often the counter has begun, where such lines confirm it; `None`: they do not."""
        lines = len((self._each or set()) - self._since.keys())
        return self._begun if lines >= LEAST_LINES and self._begun >= _FEWEST else None

    def hear(self, text: str) -> bool:
        """The next line that is no row. Is it one of those?"""
        if self._each is not None and tail_of(text) not in self._tails:
            return False
        said = said_of(text)
        if said is None or COUNTED.search(said) or phases.of_line(text[:_MOST_HELD]) is not None:
            return False  # an epoch may say it
        if (self._each is None and len(self._since) < _MOST_HELD) or said in (self._each or ()):
            self._since[said] += 1
            if self._each is None:
                self._tails.add(tail_of(text))
            return True
        return False

    def row(self, index: int | None, *, anew: bool) -> None:
        """The next row: does the counter begin with it, from the number that it began with at first?"""
        if self._each is None:
            self._each = {said for said, times in self._since.items() if times == 1}
            self._first, self._begun = index, 1
        elif anew:
            once = {said for said, times in self._since.items() if times == 1}
            self._each = self._each & once if index == self._first else set()
            lower = index is not None and self._first is not None and index < self._first
            self.in_the_midst = self.in_the_midst or lower
            self._begun += 1
        elif self._since:
            self._each -= self._since.keys()
        self._since.clear()
