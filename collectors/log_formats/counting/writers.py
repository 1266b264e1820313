"""Two trainings that write to one log in turns: rows leave the one, and come back to it."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ...patterns import lazy_pattern
from ..parsing.grammar import PREFIX
from .lengths import FULL

if TYPE_CHECKING:
    from .standing import RowContext


class Writers:
    """Two trainings that write several lines an epoch to one log, in turns: rows leave one, and come back to it, twice.

    A training that was begun again comes back step by step. The one that is ahead is read, until its rows are gone.
    """

    _FAR, _GONE, _STRAYS = 3, 8, 4  # rows

    def __init__(self) -> None:
        self._left: tuple[float, float] | None = None  # the place that rows left, and where the others began
        self._start: float | None = None  # the log's first place
        self._newest = (-1.0, -1.0)  # the beginning at hand, by its first two places
        self._returns = self._behind = 0
        self._strays = 0  # rows left out in a row, each counting on from the one before
        self._stray = (0.0, 0.0)  # the newest of them
        self._told = False
        self.totals = OtherTotals()

    def word(self) -> str | None:
        """What a person should know of it, once."""
        if self._told or not (self.are_two or self._strays >= self._STRAYS):
            return None
        self._told = True
        if not self.are_two:
            return "some rows count on by themselves between those that are read: they may be another process's, and are left out"
        return "rows come as if two trainings wrote to this log in turns: those that are ahead are read"

    @property
    def are_two(self) -> bool:
        """Is it known that there are two?"""
        return self._returns > 1

    def begins(self, left: float, first: float, second: float, row: float) -> None:
        """After the place `left`, rows count on from `first` to `second`; they are `row` steps apart.

        Who falls back to where a training begins takes no turn: runs that stand one behind another begin so, each.
        """
        far = left - first > self._FAR * row and first > 1 and first != self._start
        self._returns += far and second == left and (first, second) == self._newest
        self._newest = first, second
        self._left = (left, first) if far and second < left else None

    def goes_on(self, before: float, now: float, left: tuple[float, float] | None = None) -> None:
        """The next row counts on. Is one `left` out that stood before it, at a lower place?"""
        self._start = before if self._start is None else self._start
        if left is not None:
            self._strays, self._stray = self._strays + 1 if left > self._stray else 1, left
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


_HEAD = lazy_pattern(
    r"(?i)\W{0,20}(?:[a-z]{1,20}\W{1,3}){0,2}epoch\W{0,3}(\d{1,6}) ?(?:/|of|out of) ?\d{1,6}(?: on (?:cuda|cpu|gpu|mps)(?::\d{1,3})?)?\W{0,20}"
)
_LONGEST_HEAD = 160


class Twins:
    """Two processes, alike, that began together and print each epoch with its head: both heads, and then both rows.

    --- Epoch 3/10 ---
    --- Epoch 3/10 ---
    Epoch 3 loss: 0.50
    Epoch 3 loss: 0.75      <- the other process's, and no second row of the epoch
    """

    _MOST = 64

    def __init__(self) -> None:
        self.heads: dict[int, int] = {}
        """How many each epoch has, that is still to come or at hand."""
        self._epoch: float | None = None  # of the newest row
        self._rows = self._due = 0  # it has; heads that it had before the first of them
        self._head: int | None = None  # whose the newest line is
        self._fresh = False  # has no row come since other processes began?
        self._known = self._told = False
        self._single = False  # an epoch with one head has had several rows: they are one process's

    def hear(self, text: str) -> None:
        """A line that is no row."""
        self._head = None
        if ("poch" not in text and "POCH" not in text) or len(text) > _LONGEST_HEAD:
            return
        found = _HEAD.fullmatch(PREFIX.sub("", text, count=1))
        if found is not None and len(self.heads) < self._MOST:
            self._head = epoch = int(found[1])
            self.heads[epoch] = self.heads.get(epoch, 0) + 1
            self._due = 0 if epoch == self._epoch else self._due

    def begin(self) -> None:
        """Other processes begin, with the line that was heard."""
        if self._fresh:  # one says so in several lines, of which heads may be some
            return
        self.heads, self._epoch, self._fresh = {} if self._head is None else {self._head: 1}, None, True

    def leaves_out(self, epoch: float) -> bool:
        """Take in a row that has no step: is it the other process's?"""
        self._fresh = False
        if epoch != self._epoch:
            falls = self._epoch is not None and epoch < self._epoch
            self.heads = {n: heads for n, heads in self.heads.items() if n == epoch or (n > epoch and not falls)}
            self._epoch, self._rows, self._due = epoch, 1, self.heads.get(int(epoch), 0)
            return False
        self._rows += 1
        self._single = self._single or self._due == 1
        twin = self._rows == 2 <= self._due and not self._single
        self._known = self._known or twin
        return twin

    def words(self) -> list[str]:
        """What a person should know of it, once."""
        told, self._told = self._told, self._told or self._known
        return (
            ["two processes print each epoch to this log: the rows of one are read"] if self._known > told else []
        )


class OtherTotals:
    """`17/20` and then `1/30`: of how many a row is one belongs to its training's name. What was done of 20 is not done again in 30.

    So it is with steps, where a row of another length stands far beyond the newest one, where no evaluation begins: parts of
    several logs in one file. And with epochs of which each training prints the last alone: `100/100`, `50/50`, `50/50`.
    """

    _MOST, _NEAR = 32, 2.0

    def __init__(self) -> None:
        self._left: dict[float, float] = {}  # where trainings were left, by their length
        self._of: float | None = None
        self._n = self._apart = 0.0
        self._alone, self._lasts = True, False  # is the newest row its training's first? Is each its last, too?

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
        begins = begins or (of_epochs and self._is_the_last_alone(n, of))
        self._alone = begins or self._of is None
        if begins and len(self._left) < self._MOST:
            self._left[self._of or 0.0] = self._n
            self._left.pop(of, None)
        self._apart = 0.0 if begins else max(0.0, n - self._n)
        self._of, self._n = of, n
        return begins

    def _is_the_last_alone(self, epoch: float, of: float) -> bool:
        """Do the newest row and this one each end their training, of which nothing else is printed?"""
        both = self._of is not None and self._alone and self._n == self._of and epoch == of
        self._lasts = both and (self._lasts or self._of != of)  # the same once more may be another rank's
        return self._lasts


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
