"""Two trainings that write to one log in turns: rows leave the one, and come back to it."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from .lengths import FULL

if TYPE_CHECKING:
    from .standing import RowContext


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
        self.totals = Totals()

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

    @property
    def left(self) -> bool:
        """Is the newest row of a training that another one's rows have taken the place of?"""
        return self.totals.is_left

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


class Turn(Enum):
    """What a row is that says of how many it is one."""

    NEW = "new"  # the first of a training of another length
    LEFT = "left"  # of a training that another one's rows have taken the place of


class Totals:
    """`17/20`, `1/30`, `18/20`, `2/30`: of how many a row is one belongs to its training's name. None goes on under another.

    Nor is what was done of 20 done again in 30. The newest one is read. So it is with steps, where a row of another
    length stands far beyond the newest one, where no evaluation begins: parts of several logs in one file.
    """

    _MOST, _NEAR = 32, 2.0

    def __init__(self) -> None:
        self._left: dict[float, float] = {}  # where trainings were left, by their length
        self._of: float | None = None
        self._n = self._apart = 0.0
        self.is_left = False

    def see(self, step: float | None, epoch: float | None, said: RowContext) -> Turn | None:
        """The next row. Epochs that name their steps may each have another length."""
        self.is_left, of_epochs = False, step is None
        n, of = (epoch, said.total or said.length) if of_epochs else (step, said.length)
        inside = not of_epochs and epoch is not None
        if n is None or of is None:
            return None
        if of_epochs and self._left.get(of) == n - 1:
            self._left[of] = n
            self.is_left = True
            return Turn.LEFT
        unfinished = self._n < FULL * (self._of or 0.0) and n < FULL * of and not inside
        far = unfinished and n > self._n + self._NEAR * max(1.0, self._apart)
        begins = self._of not in (None, of) and (n <= 1 if of_epochs else far or of in self._left)
        if begins and len(self._left) < self._MOST:
            self._left[self._of or 0.0] = self._n
            self._left.pop(of, None)
        self._apart = 0.0 if begins else max(0.0, n - self._n)
        self._of, self._n = of, n
        return Turn.NEW if begins else None
