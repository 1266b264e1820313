"""Two trainings that write to one log in turns: rows leave the one, and come back to it."""

from __future__ import annotations


class Writers:
    """Two trainings that write several lines an epoch to one log, in turns: rows leave one, and come back to it, twice.

    A training that was begun again comes back step by step. The one that is ahead is read, until its rows are gone.
    """

    _FAR, _GONE = 3, 8  # rows

    def __init__(self) -> None:
        self._left: tuple[float, float] | None = None  # the place that rows left, and where the others began
        self._newest = (-1.0, -1.0)  # the beginning at hand, by its first two places
        self._returns = self._behind = 0
        self._told = False

    def word(self) -> str | None:
        """What a person should know of it, once."""
        if not self.are_two or self._told:
            return None
        self._told = True
        return "two trainings write to this log in turns: the one that is ahead is read"

    @property
    def are_two(self) -> bool:
        """Is it known that there are two?"""
        return self._returns > 1

    def begins(self, left: float, first: float, second: float, row: float) -> None:
        """After the place `left`, rows count on from `first` to `second`; they are `row` steps apart."""
        far = left - first > self._FAR * row
        self._returns += far and second == left and (first, second) == self._newest
        self._newest = first, second
        self._left = (left, first) if far and second < left else None

    def goes_on(self, before: float, now: float) -> None:
        """The next row counts on."""
        self._behind = 0
        if self._left is not None and now >= self._left[0]:
            self._returns += now - before >= (self._left[0] - self._left[1]) / 2
            self._left = None

    def leaves_out(self) -> bool:
        """Is a row that stands before the newest one the other training's?"""
        self._behind += self.are_two
        if self._behind > self._GONE:
            self._returns = self._behind = 0
        return self.are_two
