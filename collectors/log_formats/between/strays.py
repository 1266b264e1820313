"""Rows under the heading of an epoch that has its row: a heading was not printed, or this is another script's.

    Epoch: 10/10
    Train Loss: 0.081       <- of epoch 10
    Val. Loss: 0.072
    Train Loss: 0.076       <- nobody knows of which
Where headings have several rows each, those are rows inside the epoch. Where nearly all have one, another is none of it: such
rows are left out, and how many there were is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....words import plural
from ..families.bare_names import part_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ....events import Event

_FEWEST, _MOSTLY, _MOST_SHAPES = 8, 4, 64
"""Headings with one row each, at least; and so many for each other one."""

_COUNTED = frozenset(("global_step", "iteration", "iter", "it", "update", "episode"))
_SAME = 4
"""Epochs: what each ends at, and is seen no sooner, does not move in them either, and they count themselves."""
_RARE = 16
"""So many lines without a number for each one that has one."""


class Strays:
    """Watches headings, rows and evaluations."""

    def __init__(self) -> None:
        self._epoch: float | None = None
        self._rows = 0  # under the newest heading
        self._closed = False  # ... and an evaluation behind one
        self._astray = False  # the newest row was none of the heading's
        self._ones = self._others = self._repeated = 0  # headings
        self.one_each = False  # has nearly each heading one row?
        self._names: frozenset[str] = frozenset()  # of the newest row under a heading
        self._left_out: dict[frozenset[str], int] = {}
        self._losses = set[frozenset[str]]()  # which parts the evaluations' lines name, each in its words
        self.rare, self.same = RareSteps(), SameNumbers()

    def learn(self, other: Strays) -> None:
        """Take over whether headings have one row each."""
        other.heading(None)
        self._losses |= other._losses
        self.rare.learn(other.rare)
        self.same.learn(other.same)
        one_each = other._ones >= _FEWEST and other._ones >= _MOSTLY * (other._others + other._repeated)
        self.one_each = (self.one_each or one_each) and not other._others > other._ones

    def heading(self, epoch: float | None) -> bool:
        """An epoch begins. If it is the newest one's number again, is that another training's?"""
        again = epoch == self._epoch is not None and self._rows > 0
        self._ones += self._rows == 1
        self._others += self._rows > 1
        self._repeated += again
        self._epoch, self._rows, self._closed, self._astray = epoch, 0, False, False
        return again and self.one_each

    def row(self, row: Mapping[str, object], *, trains: bool) -> bool:
        """A row under the newest heading; is it none of its epoch?"""
        if not trains:
            return False
        self._rows += 1
        self._astray = self.one_each and self._closed and row.keys() == self._names
        self._names = frozenset(row)
        return self._astray

    def validated(self) -> bool:
        """An evaluation; is it that of such a row?"""
        self._closed = self._closed or self._rows > 0
        return self._astray

    def is_part(self, row: Mapping[str, object], of: str) -> bool:
        """Is the loss of an evaluation's line one of several that have lines of their own, and not the whole?

        The part stands behind the word for the set (`of`): `eval mean vote_loss`.
        """
        parts = {part_in(name.partition(of)[2] or name) for name in row if "oss" in name or "OSS" in name}
        self._losses |= parts if len(self._losses) < _MOST_SHAPES else set()
        return frozenset() not in parts and len(self._losses) > 1

    def left_out(self, row: Mapping[str, object]) -> list[Event]:
        """A row of which nothing is read."""
        names = frozenset(row)
        if names in self._left_out or len(self._left_out) < _MOST_SHAPES:
            self._left_out[names] = self._left_out.get(names, 0) + 1
        return []

    def words(self) -> list[str]:
        """What is said of those that are like rows with a heading, once."""
        rows, self._left_out = self._left_out.get(self._names, 0) if self.one_each else 0, {}
        have = "has" if rows == 1 else "have"
        text = f"{plural(rows, 'row')} {have} no line with an epoch: left out, so that there were at least as many iterations more"
        return [text] if rows else []


class RareSteps:
    """Lines that count the steps of an epoch, now and then among many that have no number: each of these is a row.

    Epoch 1 Batch 0 Loss 3.125
    Epoch 1 Loss 3.125
    Epoch 1 Loss 3.0        <- and hundreds more of epoch 1
    """

    def __init__(self) -> None:
        self._numbered = self._others = 0  # lines; of the others those that are not their epoch's first
        self._epoch: object = None
        self.are = False

    def learn(self, other: RareSteps) -> None:
        """Take over whether they are rare."""
        rare = other._numbered and other._others >= max(_RARE, _RARE * other._numbered)
        self.are = self.are or other.are or bool(rare)

    def leave_out(self, row: Mapping[str, object]) -> bool:
        """Take in a row. Is it one of those?"""
        epoch, numbered = row.get("epoch"), "batch" in row or "step" in row
        if epoch is None or not _COUNTED.isdisjoint(row):
            return False
        self._numbered += numbered
        self._others += not numbered and epoch == self._epoch
        self._epoch = self._epoch if numbered else epoch
        return self.are and numbered


class SameNumbers:
    """A number on a line of its own, under the heading of each epoch, that never moves: nothing counts with it.

    Epoch 3/40
    batch = 64              <- the size of one, or how many an epoch has
    train Loss: 0.75
    """

    def __init__(self) -> None:
        self._number: float | None = None
        self._epoch: float | None = None
        self._epochs = 0
        self._moved = self._are = False

    def learn(self, other: SameNumbers) -> None:
        """Take over whether it stands still."""
        self._are = (self._are or other._epochs >= _SAME) and not other._moved

    def leave_out(self, number: float, epoch: float | None) -> bool:
        """Take in the number of such a line, and the newest heading's epoch. Is it no place?"""
        if epoch is None:
            return False
        self._moved = self._moved or self._number not in (None, number)
        self._epochs += epoch != self._epoch
        self._number, self._epoch = number, epoch
        return self._are and not self._moved
