"""A row of the newest row's place, with the same columns and other values: a trainer that began again goes on from there.

    {"step": 1320, "loss": 2.5, "lr": 0.125}
    {"step": 1320, "loss": 2.75, "lr": 0.0}     <- of another process
    {"step": 1321, "loss": 2.5, "lr": 0.0625}
Two ranks, an evaluation that nothing names and parts of a step print such rows too, but often, or every so many rows. The
same values once more are the same row, printed twice.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..parsing.values import as_number

if TYPE_CHECKING:
    from collections.abc import Callable

_FEWEST, _SELDOM, _MOST = 16, 16, 3
"""Rows from which on something is seldom; so many rows for each second one, and no more of those than this."""

Cells = list[tuple[str, object]]


class SecondRows:
    """Watches the rows of one writer: is one a second one of its place?"""

    def __init__(self) -> None:
        self._newest: Cells = []
        self._names: list[str] = []
        self._places: tuple[int, ...] = ()  # where its columns that count stand, the slower first
        self._rows = 0
        self._seconds: list[int] = []  # numbers of such rows
        self._known_rows = 0  # that another reader saw
        self._known: list[int] = []

    def is_second(self, cells: Cells, field: Callable[[str], str]) -> bool:
        """Take in the next row, `field` tells what a column is. Is it a second one, of another process?"""
        names = [name for name, _ in cells]
        alike, before, self._newest = names == self._names, self._newest, cells
        self._rows += 1
        if not alike:
            self._names, self._places = names, _places_in(names, field)
            return False
        places = self._places
        if (
            not places
            or any(before[at] != cells[at] for at in places)
            or before == cells
            or not _alike(before, cells)
        ):
            return False
        if len(self._seconds) <= _MOST:
            self._seconds.append(self._rows)
        return self._are_seldom

    def goes_on(self, cells: Cells, second: Cells) -> bool:
        """Does the newest row count on from the `second` one?"""
        alike = [name for name, _ in second] == self._names
        return alike and _place(cells, self._places) > _place(second, self._places)

    def learn(self, other: SecondRows) -> None:
        """Take over what another reader found out of more rows."""
        self._names = []  # what counts may be known better now
        if other._rows > self._known_rows:
            self._known_rows, self._known = other._rows, other._seconds

    @property
    def _are_seldom(self) -> bool:
        rows, seconds = max((self._rows, self._seconds), (self._known_rows, self._known), key=lambda one: one[0])
        most = max(len(self._seconds), len(seconds))
        apart = {after - before for before, after in pairwise(seconds)}
        regular = len(seconds) > 2 and len(apart) == 1
        return rows >= _FEWEST and most <= _MOST and most * _SELDOM <= rows and not regular


def _places_in(names: list[str], field: Callable[[str], str]) -> tuple[int, ...]:
    at = {field(name): place for place, name in reversed([*enumerate(names)])}
    return tuple(at[one] for one in ("epoch", "iteration") if one in at) if "iteration" in at else ()


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
