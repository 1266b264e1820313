"""A row of the newest row's place, with the same columns and other values: a trainer that began again goes on from there.

    {"step": 1320, "loss": 2.5, "lr": 0.125}
    {"step": 1320, "loss": 2.75, "lr": 0.0}     <- of another process
    {"step": 1321, "loss": 2.5, "lr": 0.0625}
Two ranks, an evaluation that nothing names and parts of a step print such rows too, but often, or every so many rows. The
same values once more are the same row, printed twice.
"""

from __future__ import annotations

from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING

from ..parsing.values import as_number

if TYPE_CHECKING:
    from collections.abc import Callable

_FEWEST, _SELDOM, _MOST = 16, 16, 3
"""Rows from which on something is seldom; so many rows for each second one, and no more of those than this."""

Cells = list[tuple[str, object]]


class Second(Enum):
    """What a row of the newest place is."""

    COPY = "copy"  # the same, printed twice
    START = "start"  # another process's, if the next row counts on from it


class _Seldom:
    """Rows of which hardly any place has one, and not every so many rows."""

    def __init__(self) -> None:
        self.rows = 0
        self.found: list[int] = []  # their numbers among the rows
        self._known: tuple[int, list[int]] = (0, [])  # what another reader saw

    def add(self) -> bool:
        """The newest row is one. Are they seldom?"""
        if len(self.found) <= _MOST:
            self.found.append(self.rows)
        rows, found = max((self.rows, self.found), self._known, key=lambda one: one[0])
        most = max(len(self.found), len(found))
        apart = {after - before for before, after in pairwise(found)}
        regular = len(found) > 2 and len(apart) == 1
        return rows >= _FEWEST and most <= _MOST and most * _SELDOM <= rows and not regular

    def learn(self, other: _Seldom) -> None:
        if other.rows > self._known[0]:
            self._known = other.rows, other.found


class SecondRows:
    """Watches the rows of one writer: is one a second one of its place?"""

    def __init__(self) -> None:
        self._newest: Cells = []
        self._names: list[str] = []
        self._places: tuple[int, ...] = ()  # where its columns that count stand, the slower first
        self._copies, self._starts = _Seldom(), _Seldom()

    def see(self, cells: Cells, field: Callable[[str], str]) -> Second | None:
        """Take in the next row; `field` tells what a column is. What is it, if the newest row has its place, too?"""
        names = [name for name, _ in cells]
        alike, before, self._newest = names == self._names, self._newest, cells
        self._copies.rows += 1
        self._starts.rows += 1
        if not alike:
            self._names, self._places = names, _places_in(names, field)
            return None
        places = self._places
        if (
            not places
            or any(before[at] != cells[at] for at in places)
            or any(n % 1 for n in _place(cells, places))
        ):
            return None
        if before == cells:
            return Second.COPY if self._copies.add() else None
        return Second.START if _alike(before, cells) and self._starts.add() else None

    def are_often(self) -> None:
        """From now on a second row is no start of a process."""
        self._starts.found += [self._starts.rows] * (_MOST + 1)

    def goes_on(self, cells: Cells, second: Cells) -> bool:
        """Does the newest row count on from the `second` one?"""
        alike = [name for name, _ in second] == self._names
        return alike and _place(cells, self._places) > _place(second, self._places)

    def learn(self, other: SecondRows) -> None:
        """Take over what another reader found out of more rows."""
        self._names = []  # what counts may be known better now
        self._copies.learn(other._copies)
        self._starts.learn(other._starts)


def _places_in(names: list[str], field: Callable[[str], str]) -> tuple[int, ...]:
    at = {field(name): place for place, name in reversed([*enumerate(names)])}
    return tuple(at[one] for one in ("epoch", "iteration") if one in at)


def _place(cells: Cells, places: tuple[int, ...]) -> tuple[float, ...]:
    numbers = (as_number(cells[at][1]) for at in places)
    return tuple(-1.0 if number is None else number for number in numbers)


def _alike(one: Cells, other: Cells) -> bool:
    """Have both the same words, and numbers where the other has some?"""
    values = zip(one, other, strict=True)
    return all(
        value == now or (as_number(value) is not None and as_number(now) is not None)
        for (_, value), (_, now) in values
    )
