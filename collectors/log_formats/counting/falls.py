"""Columns that are named like a counter: do they count?"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FEWEST_FALLS, _FALLING, _STANDING, _MOSTLY, _NEARLY = 3, 0.2, 20, 0.5, 0.85

_FEWEST_LEFT, _SELDOM, _NOTHING = 8, 0.125, 0.01


class Falls:
    """Does a column count? One that does may begin anew, at its least value; it does not fall to any other."""

    def __init__(self) -> None:
        self._rows = self._falls = self._climbs = self._same = 0
        self._before: float | None = None
        self._least = inf
        self._is_last = True  # on each row

    def see(self, value: float, *, same_epoch: bool, of: float | None) -> None:
        """The next row's value, and that of all."""
        self._is_last = self._is_last and value == of
        if self._before is not None and same_epoch:
            self._rows += 1
            self._falls += value < self._before and value != self._least
            self._climbs += value > self._before
            self._same += value == self._before
        self._before, self._least = value, min(value, self._least)

    @property
    def is_no_counter(self) -> bool:
        """It fell too often to be one: of lengths drawn at random every second is shorter than the one before."""
        return self._falls >= _FEWEST_FALLS and self._falls >= _FALLING * self._rows

    @property
    def climbs(self) -> bool:
        """It has done nothing else: of a row's counters this is one."""
        return self._rows >= _FEWEST_FALLS and self._climbs == self._rows

    @property
    def counts_on(self) -> bool:
        """Has it grown in nearly all of many rows? It counts, then, also where trainings begin again."""
        return self._rows >= _STANDING and self._climbs >= _NEARLY * self._rows

    @property
    def stands(self) -> bool:
        """It has never grown in many rows, nor been less than all: `Total Steps: 200` is how long an episode was."""
        return self._is_last and self._rows >= _STANDING and not self._climbs

    @property
    def has_fallen(self) -> bool:
        """To a value that was no beginning."""
        return self._falls > 0

    @property
    def idles(self) -> bool:
        """It is what it was in most rows: so many steps each of them took, `train_steps: 300`."""
        return self._same > _MOSTLY * self._rows


class Remains:
    """Does a column of times show what is left? It falls from row to row, and to nothing; times of rows do not."""

    def __init__(self) -> None:
        self._falls = self._rises = 0
        self._first = self._before = 0.0

    def see(self, value: float) -> None:
        """The next row's value."""
        if not self._first:
            self._first = self._before = value
        self._falls += value < self._before
        self._rises += value > self._before
        self._before = value

    @property
    def falls_to_nothing(self) -> bool:
        """By the rows so far; a new estimate may lie above the one before it."""
        gone = self._before <= _NOTHING * self._first
        return gone and self._falls >= _FEWEST_LEFT and self._rises <= _SELDOM * self._falls


class Waning:
    """The columns of times that show what is left, by their names."""

    def __init__(self) -> None:
        self._columns: dict[str, Remains] = {}

    def see(self, name: str, value: float) -> None:
        """The next row's value."""
        self._columns.setdefault(name, Remains()).see(value)

    def names(self) -> Iterator[str]:
        """By the rows so far."""
        return (name for name, one in self._columns.items() if one.falls_to_nothing)


def no_counters(counters: Mapping[str, Falls], sure: set[str]) -> Iterator[str]:
    """Names of columns that do not count, though they are named so: beside one that only climbs no other need to be believed.

    `sure` are those that did in other lines, and these, if they do. Of lines far apart many are of another training than the one before.
    """
    climbs = any(one.climbs for one in counters.values())
    for name, one in counters.items():
        sure |= {name} if one.counts_on else set()
        if (one.is_no_counter and name not in sure) or one.stands or (climbs and (one.has_fallen or one.idles)):
            yield name
