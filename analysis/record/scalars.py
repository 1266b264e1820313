"""Whatever a source says of its iterations in numbers, besides time and loss: each name a column, made when seen.

A scalar that comes with every iteration takes four bytes of each, one that comes now and then eight.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from functools import lru_cache
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING

from ...events import LONGEST_SCALAR, MOST_SCALARS, OF_TEST
from ..findings import Scalar
from .means import Means
from .pyramid import known as known_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ...events import Iteration
    from .columns import Columns

LEARNING_RATE = "learning_rate"
FIELDS = (LEARNING_RATE, "gradient_norm", "tokens_per_s")
"""Fields of an `Iteration` that are kept here, by their names."""

MFU, DATA_WAIT = "mfu", "data_wait_s"
"""Scalars that have columns of their own, which other findings need as well."""

MOST_KEPT = 1 << 20
"""Values of one scalar; of all, four times as many: at most 32 MB. Beyond it two neighbours become one."""

_AGENTS = re.compile(
    r"(?<![a-z])(?:(?:mean|avg|average|ep|total|max)?rew(?:ard)?s?(?![/_](?:chosen|rejected|margins?|accurac))|rew_mean|"
    r"(?:avg|mean|average|total)[_ ](?:return|score)s?|episode(?:_len\w*|_return\w*)|advantages?"
    r"|explained_var\w*|td_error|(?:actor|critic|policy|value|q)_loss)(?![a-z])"
)
"""Names that only a training of agents has. `rewards/chosen` is of preferences, whose loss is to fall."""

OLD = 3.0
"""Times the usual distance between two of its values: one that is missed may come late."""

_SAYS_OF_WHICH = re.compile(r"(?:^|[^a-z])(?:val|eval|test|train)", re.IGNORECASE)

NEWEST_RATES = 256
"""Newest values that are looked at for a second digit."""

_of_iteration = attrgetter(*FIELDS, "scalars")


@lru_cache(maxsize=256)  # each evaluation asks for the same few
def of_evaluation(name: str, of_set: str = "") -> str:
    """What a result of an evaluation is called among the scalars: the training may have an `accuracy` as well."""
    called = name if _SAYS_OF_WHICH.search(name) else f"val_{name}"
    return f"test_{called.removeprefix('val_')}" if of_set == OF_TEST and called.startswith("val_") else called


def _is_rounded_away(name: str, series: Series) -> bool:
    """Is it a learning rate of 0 that had no second digit before, either? `0.0000` may be one of 0.00003."""
    if name != LEARNING_RATE or series.newest != 0:
        return False
    return all(abs(value - float(f"{value:.0e}")) <= 1e-6 * value for value in series.values[-NEWEST_RATES:])


class Series:
    """One scalar: its values, and the positions of the iterations that have one, which ascend."""

    def __init__(self) -> None:
        self.values = array("f")
        self._positions: array[int] | None = None  # `None` while each iteration since `_first` has one
        self._first = 0
        self._means = Means(self.values)
        self._each = 1  # values that are kept as one, their mean; at the position of the last
        self._waiting: list[float] = []
        self._last = -1
        self.count = 0
        self.newest = 0.0
        self.newest_at = 0  # a position
        self.said_at: int | None = None  # the iteration that its newest value is of, where no row is of that one
        self.least, self.most = inf, -inf
        self.earlier = False  # was its newest value a training's that is over? What comes next begins anew

    def __len__(self) -> int:
        return len(self.values)

    def add(self, position: int, value: float) -> None:
        """Take in the value at `position`: behind the newest, or once more at its place; else it is left out."""
        if position <= self._last or not -inf < value < inf:
            if position == self.newest_at and self.count and not self.earlier and -inf < value < inf:
                self.newest, self.least, self.most = value, min(self.least, value), max(self.most, value)
            return
        if self.earlier:
            self.earlier, self.count, self.least, self.most = False, 0, inf, -inf
        self._last = self.newest_at = position
        self.newest, self.count = value, self.count + 1
        self.least, self.most = min(self.least, value), max(self.most, value)
        self._waiting.append(value)
        if len(self._waiting) == self._each:
            self._keep(position, sum(self._waiting) / self._each)
            self._waiting.clear()

    def extend(self, position: int, values: Sequence[float | None]) -> None:
        """Take in the values of the iterations from `position` on."""
        if len(values) == 1 and values[0] is not None:  # as of each evaluation
            self.add(position, values[0])
            return
        known = [value for value in values if value is not None]
        if len(known) < len(values) or self._each > 1 or position <= self._last or not -inf < sum(known) < inf:
            for place, value in enumerate(values, position):
                if value is not None:
                    self.add(place, value)
            return
        self.add(position, known[0])
        rest = known[1:]
        if rest:
            if self._positions is not None:
                self._positions.extend(range(position + 1, position + len(known)))
            self.values.extend(rest)
            self._last = self.newest_at = position + len(rest)
            self.newest, self.count = rest[-1], self.count + len(rest)
            self.least, self.most = min(self.least, *rest), max(self.most, *rest)

    def halve(self) -> None:
        """Make one value of each two."""
        positions, whole = [*self._places()], len(self) // 2 * 2
        rest = self.values[whole:].tolist()
        halves = [(self.values[k] + self.values[k + 1]) / 2 for k in range(0, whole, 2)]
        self.values = array("f", halves)
        self._positions = array("I", positions[1:whole:2])
        self._means = Means(self.values)
        self._waiting = [value for value in rest for _ in range(self._each)] + self._waiting
        self._each *= 2

    def mean(self, first: int, last: int) -> float | None:
        """Of positions `first`..`last` (inclusive); `None` where none of them has a value."""
        return self._means.of(self._place(first), self._place(last + 1))

    def at(self, position: int) -> float | None:
        """The value of the iteration at `position`, if it has one."""
        return self.mean(position, position)

    def _keep(self, position: int, value: float) -> None:
        if not self.values:
            self._first = position
        elif self._positions is None and position != self._first + len(self.values):
            self._positions = array("I", self._places())
        if self._positions is not None:
            self._positions.append(position)
        self.values.append(value)

    def _places(self) -> Iterator[int]:
        return iter(range(self._first, self._first + len(self)) if self._positions is None else self._positions)

    def _place(self, position: int) -> int:
        if self._positions is None:
            return min(max(0, position - self._first), len(self))
        return bisect_left(self._positions, position)


class Scalars:
    """The scalars of a run, by name, in the order in which they were seen."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._series: dict[str, Series] = {}
        self._thinned: set[str] = set()  # of which more was printed than is known
        self.of_agents = False  # do names among them speak of agents that learn by reward?
        self._kept = 0
        self._begun = 0  # the first position of the newest training
        self._looked: dict[str, tuple[int, int, float, float, int]] = {}
        self._own = {MFU: Means(columns.logged_mfu), DATA_WAIT: Means(columns.data_wait_s)}

    def extend(self, iterations: Sequence[Iteration], start: int) -> None:
        """Take in what iterations say that stand from position `start` on."""
        *fields, named = zip(*map(_of_iteration, iterations), strict=True)
        for name, values in zip(FIELDS, fields, strict=True):
            if values.count(None) < len(values):
                self._extend(name, values, start)
        if named.count(None) < len(named):
            for position, scalars in enumerate(named, start):
                if scalars:
                    self.add(scalars, position)

    def add(
        self, scalars: Mapping[str, float], position: int, *, again: bool = False, said_at: int | None = None
    ) -> None:
        """Take in the named values of the iteration at `position`; `again`: each time that they are found.

        `said_at`: the iteration that they are of, which may lie before that of the row at `position`.
        """
        for name, value in scalars.items():
            series = self._series.get(name[:LONGEST_SCALAR])
            at_its_place = again and series is not None and not series.earlier and series.newest_at == position
            self._extend(name[:LONGEST_SCALAR], (value,), position)
            if at_its_place and series is not None:
                series.count += 1
            kept = self._series.get(name[:LONGEST_SCALAR])
            if kept is not None and (kept.newest_at, kept.newest) == (position, value):
                kept.said_at = said_at

    def _extend(self, name: str, values: Sequence[float | None], start: int) -> None:
        series = self._series.get(name)
        if series is None:
            if len(self._series) == MOST_SCALARS:
                return
            series = self._series[name] = Series()
            self.of_agents = self.of_agents or _AGENTS.search(name.lower()) is not None
        before = len(series)
        series.extend(start, values)
        series.said_at = None
        self._kept += len(series) - before
        while len(series) > MOST_KEPT or self._kept > 4 * MOST_KEPT:
            longest = max(self._series.values(), key=len)
            self._kept -= len(longest)
            longest.halve()
            self._kept += len(longest)

    def begin_training(self) -> None:
        """Another training begins: what is said of a scalar is of it; what is drawn stays."""
        self._begun = len(self._columns)
        self._looked.clear()
        for series in self._series.values():
            series.earlier = True

    def names(self) -> tuple[str, ...]:
        """Those that have a value: the fields of an iteration first, then as they were seen."""
        return self._in_order([name for name in self._own if self._has(name)])

    def _in_order(self, own: Iterable[str]) -> tuple[str, ...]:
        return (*own, *(f for f in FIELDS if f in self._series), *(n for n in self._series if n not in FIELDS))

    def _has(self, name: str) -> bool:
        """Is one known? Mostly the newest: then nothing is looked through, which took 30 ms of a million."""
        column = self._column(name)
        is_newest = len(column) > self._begun and column[-1] == column[-1]
        return is_newest or self._look(name)[3] > 0

    def _column(self, name: str) -> array[float]:
        return self._columns.logged_mfu if name == MFU else self._columns.data_wait_s

    def mean(self, name: str, first: int, last: int) -> float | None:
        """Of positions `first`..`last` (inclusive); `None` where nothing is known."""
        if name in self._own:
            return self._own[name].of(first, last + 1)
        series = self._series.get(name)
        return None if series is None else series.mean(first, last)

    def at(self, position: int) -> dict[str, float]:
        """What the iteration at `position` says, by name. No column is looked through for it."""
        found = {name: self.mean(name, position, position) for name in self._in_order(self._own)}
        return {name: value for name, value in found.items() if value is not None}

    def extremes(self, name: str) -> tuple[float, float | None, float | None] | None:
        """The newest, the least and the greatest value (where all are known); `None` where there is none."""
        series = self._series.get(name)
        if series is not None:
            return None if series.earlier else (series.newest, *self._range(name, series))
        if name not in self._own or not self._has(name):
            return None
        found = self._found(name)
        return found.newest, found.least, found.most

    def has(self, name: str) -> bool:
        """Is any value known of it?"""
        return self._has(name) if name in self._own else name in self._series

    def found(self, *, all_of_them: bool = True) -> tuple[Scalar, ...]:
        """Each with its newest value, the least and the most; or only those that have no place of their own.

        To look through the printed MFU of a million lines takes 4 % as long as to read them.
        """
        names = self.names() if all_of_them else tuple(self._series)
        return tuple(self._found(name) for name in names if all_of_them or not self._series[name].earlier)

    def _found(self, name: str) -> Scalar:
        index = self._columns.index
        if name in self._series:
            s = self._series[name]
            at = index[s.newest_at] if s.newest_at < len(index) else None
            at = s.said_at if at is not None and s.said_at is not None else at
            return Scalar(
                name, s.newest, at, *self._range(name, s), s.count, self._is_old(s) or _is_rounded_away(name, s)
            )
        place, least, most, count = self._look(name)
        return Scalar(name, self._column(name)[place], index[place], least, most, count)

    def _is_old(self, series: Series) -> bool:
        """Has it stopped coming? Then its newest value is of an earlier iteration than the others'."""
        missing = len(self._columns) - 1 - series.newest_at
        apart = (series.newest_at + 1 - self._begun) / max(1, series.count)
        return missing > OLD * max(1.0, apart)

    def _range(self, name: str, series: Series) -> tuple[float | None, float | None]:
        return (None, None) if name in self._thinned else (series.least, series.most)

    def thin(self, names: Iterable[str]) -> None:
        """Of these more was printed than is known: nobody knows their least and most."""
        self._thinned |= {name[:LONGEST_SCALAR] for name in names}

    def _look(self, name: str) -> tuple[int, float, float, int]:
        """Of a column of its own: where its newest value is, the least, the most, and how many there are.

        What was looked at before is not looked at again: the screen asks in every frame.
        """
        column = self._column(name)
        stop, place, least, most, count = self._looked.get(name, (self._begun, -1, inf, -inf, 0))
        part = column[stop:]
        known = known_of(part)
        if known:
            place = next(at for at in range(len(column) - 1, stop - 1, -1) if column[at] == column[at])
            lowest, highest = min(known), max(known)
            least, most = min(least, lowest), max(most, highest)
        self._looked[name] = len(column), place, least, most, count + len(known)
        return self._looked[name][1:]
