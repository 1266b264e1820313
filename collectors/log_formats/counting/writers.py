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
        self.totals = OtherTotals()

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


class OtherTotals:
    """`17/20` and then `1/30`: of how many a row is one belongs to its training's name. What was done of 20 is not done again in 30.

    So it is with steps, where a row of another length stands far beyond the newest one, where no evaluation begins: parts of
    several logs in one file.
    """

    _MOST, _NEAR = 32, 2.0

    def __init__(self) -> None:
        self._left: dict[float, float] = {}  # where trainings were left, by their length
        self._of: float | None = None
        self._n = self._apart = 0.0

    def begins(self, step: float | None, epoch: float | None, said: RowContext) -> bool:
        """The next row: is it the first of a training of another length? Epochs that name their steps may each have another."""
        of_epochs = step is None
        n, of = (epoch, said.total or said.length) if of_epochs else (step, said.length)
        inside = not of_epochs and epoch is not None
        if n is None or of is None:
            return False
        unfinished = self._n < FULL * (self._of or 0.0) and n < FULL * of and not inside
        far = unfinished and n > self._n + self._NEAR * max(1.0, self._apart)
        begins = self._of not in (None, of) and (n <= 1 if of_epochs else far or of in self._left)
        if begins and len(self._left) < self._MOST:
            self._left[self._of or 0.0] = self._n
            self._left.pop(of, None)
        self._apart = 0.0 if begins else max(0.0, n - self._n)
        self._of, self._n = of, n
        return begins


class Lengths:
    """Two trainings of another printed length each that write to one log in turns: the length says whose a row is.

        epoch: 17/20 ...                  epoch: 18/20 ...
        epoch: 1/30 ...                   epoch: 2/30 ...
    Those of the one that came later wait until the other one has all its epochs, or two of them have come side by side.
    """

    _MOST_HELD = 1_000

    def __init__(self) -> None:
        self._open: tuple[float, float] | None = None  # length and epoch of the newest row that is read
        self._other = (0.0, 0.0)  # ... of the newest that waits
        self._newest = 0.0  # length of the newest row
        self._broken_off: tuple[float, float] | None = None  # of a training that another one was read instead of
        self.waiting = 0
        """Rows that do."""
        self.left_out = 0
        """Rows of a training that went on while the one that began later is read."""

    @property
    def length(self) -> float:
        """Of the training whose rows are left out."""
        return self._broken_off[0] if self._broken_off else 0.0

    @property
    def later(self) -> float:
        """The length of the one whose rows wait."""
        return self._other[0]

    @property
    def done(self) -> bool:
        """Has the training that is read all its epochs?"""
        return self._open is None or self._open[1] >= self._open[0]

    def see(self, epoch: float, length: float, *, anew: bool = False) -> Fate:
        """Take in a row; `anew`: another training or process is known to begin with it. Is it read, or does it wait?"""
        alone, self._newest = length == self._newest, length
        if self._open is None or length == self._open[0]:
            self._open = length, epoch
            return Fate.READ
        if self._broken_off == (length, epoch - 1) and not (alone or self.done or anew):
            self._broken_off = length, epoch
            self.left_out += 1
            return Fate.OTHER
        begins = not self.waiting and (epoch > self._open[1] or self.done)
        if anew or begins or (self.waiting and self._other != (length, epoch - 1)):
            self._broken_off = self._open if anew and not self.done else None
            return self._read_on(epoch, length, Fate.ALL if self.waiting else Fate.READ)
        if self.waiting and (alone or self.done or self.waiting >= self._MOST_HELD):
            self._broken_off = None if self.done else self._open
            return self._read_on(epoch, length, Fate.ALL_ANEW)
        self._other = length, epoch
        self.waiting += 1
        return Fate.WAITS

    def _read_on(self, epoch: float, length: float, turn: Fate) -> Fate:
        self._open, self.waiting = (length, epoch), 0
        return turn


class Fate(Enum):
    """What becomes of a row."""

    READ = "read"
    WAITS = "waits"
    ALL = "those that wait are read, and it"
    ALL_ANEW = "they are another training's, and it"
    OTHER = "other"  # of a training that is no longer read
