"""Whose row is it? A fold's, by its tag, or that of another training, which begins with it.

Folds are what one process trains one after another, each with its tag in its rows: `[Fold 1 Ep 003] loss=0.5`, `[fold 0], Step 100`.

Another fold is another training, whatever its counter says, and no restart. Where rows of several stand in turns, no tag is believed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..generic.counted_lines import Count

_PART = lazy_pattern(
    r"(?i)(?<![a-z])fold[ _:#=-]{0,3}(\d{1,3})(?![\d.])(?=.{0,60}?(?<![a-z])(?:ep|epoch|step|iter\w*|batch)s?(?![a-z]))"
)
_FRONT = 120
_SAID, _LONG_OVER = 2, 2


class Parts:
    """Whose row is it?"""

    def __init__(self) -> None:
        self._newest: int | None = None
        self._over: set[int] = set()
        self._rows = 0  # of the newest, one after another
        self._in_turns = False

    def learn(self, other: Parts) -> None:
        """Take over what another reader found out of more lines."""
        self._in_turns = self._in_turns or other._in_turns

    def begins(self, text: str) -> bool:
        """Is `text`, which is like a row, of another fold than the row before it?"""
        if "old" not in text and "OLD" not in text:
            return False
        found = _PART.search(text[:_FRONT])
        if found is None:
            return False
        before, self._newest = self._newest, int(found[1])
        if before in (None, self._newest):
            self._rows += 1
            return False
        self._in_turns = self._in_turns or (self._rows < 2 and self._newest in self._over)
        self._over, self._rows = self._over | {before or 0}, 1
        return not self._in_turns


class Firsts:
    """Does another training begin with a first row? What is late by a row or two is of the training at hand."""

    def __init__(self) -> None:
        self._of: float | None = None  # how many there are to be, by the newest rows
        self._rows = 0  # that said so, side by side
        self._twice = False  # one of the first place came, long after it

    def begins(self, count: Count, last: int | None) -> bool:
        """A first row of a run of another length; or its place is told of twice, long after it was over."""
        other = count.of is not None and self._of not in (None, count.of) and self._rows >= _SAID
        self._rows = 1 if count.of != self._of else self._rows + 1
        self._of = count.of
        first = last is not None and count.of is not None and count.n <= 1 and (count.n < last or count.n == 0)
        long_over = first and last is not None and last - count.n > _LONG_OVER
        twice, self._twice = self._twice and long_over, long_over
        return first and (other or twice)


def counts_on(waiting: Sequence[Sequence[Count]], row: Sequence[Count]) -> bool:
    """Is a number of the row past the first of its kind among those that wait? Each epoch says then what came before it.

    A process that begins again while they wait begins where the first of them did.
    """
    firsts = {count.key: count.n for one in reversed(waiting) for count in one}
    return any(one.n > firsts.get(one.key, one.n) for one in row)
