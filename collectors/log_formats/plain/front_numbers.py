"""A number in front of each row that nobody counts by: where it leaves its series and comes back, a row is another process's.

    train: 140 @ loss: 3.9
    train: 2 @ loss: 18.8           of a process that writes beside the first
    train: 141 @ loss: 4.6
What is counted from row to row is of both, then, and so are the times.
"""

from __future__ import annotations

from ...patterns import lazy_pattern

_FRONT = lazy_pattern(r"\W{0,4}([A-Za-z]{2,20})(?:\W{1,3})(\d{1,9})(?![\w/:%]|[.,]\d)")
_LONGEST = 60

FAR, FEWEST, MOSTLY = 3, 16, 0.9
"""By more than so many a row stands back; and of so many rows so large a part counts on by one."""


class FrontNumbers:
    """Is told of each row, and of its place as it was counted."""

    def __init__(self) -> None:
        self._word = ""
        self._newest = self._place = -1
        self._left: int | None = None  # the number before one that stands far back
        self._rows = self._ons = self._returns = 0

    def row(self, text: str, place: int) -> None:
        """One was read of this line. Where its place follows the number, rows are counted by that."""
        found = _FRONT.match(text[:_LONGEST])
        if found is None:
            self._left, self._word = None, ""
            return
        word, number, before = found[1], int(found[2]), self._newest
        uncounted, same = place == self._place + 1, word == self._word
        self._rows += 1
        self._ons += same and number == before + 1
        self._returns += same and uncounted and self._left is not None and number == self._left + 1
        falls = same and uncounted and number < before - FAR
        self._left = before if falls else None
        self._word, self._newest, self._place = word, number, place

    @property
    def why(self) -> str:
        """Why nothing that the rows count is anybody's; "": it may be."""
        alone = not self._returns or self._rows < FEWEST or self._ons < MOSTLY * self._rows
        return (
            "" if alone else "rows of several processes seem to stand in this log, by the numbers in front of them"
        )
