"""How long it usually is from line to line, by the gaps that there were: rows of a log may come irregularly."""

from __future__ import annotations

from itertools import pairwise
from math import floor, isnan, log
from statistics import median_low
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from ..record.columns import Columns

NEWEST, FEWEST = 48, 8
"""So many gaps are looked at; fewer say nothing."""

LONG = 0.9
"""A gap than which one in ten is longer is an ordinary one."""

_STEPS = 4
_STEP = log(1.25)
_SHARE, _OTHERS = 0.02, 3


class Usual(NamedTuple):
    """Seconds from one row to the next: the median, and what one in ten takes longer than."""

    median_s: float
    long_s: float


def printed_every(columns: Columns) -> int:
    """What is usual among the newest steps: a part of the log may be missing in one of them."""
    steps = [later - before for before, later in pairwise(columns.index[-_STEPS:]) if later > before]
    return median_low(steps) if steps else 1


def usual(columns: Columns, start: int, explained: Container[int]) -> Usual | None:
    """Of the newest rows from position `start` on, without those at `explained`, before which a stop is known.

    `None` where fewer than `FEWEST` gaps are known.
    """
    count = len(columns)
    times = [(n, columns.time_at(n)) for n in range(max(start, count - 1 - NEWEST), count)]
    gaps = sorted(
        at_s - before_s
        for (_, before_s), (n, at_s) in pairwise(times)
        if n not in explained and not isnan(at_s - before_s)
    )
    if len(gaps) < FEWEST:
        return None
    return Usual(gaps[len(gaps) // 2], gaps[min(len(gaps) - 1, int(LONG * len(gaps)))])


class Lengths:
    """All long gaps of a run, counted by their length: what happens again and again is no incident."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def note(self, seconds: float) -> None:
        """A gap."""
        place = _place(seconds)
        self._counts[place] = self._counts.get(place, 0) + 1

    def is_common(self, seconds: float, rows: int) -> bool:
        """Were several of the gaps between `rows` about as long, or longer, and one in fifty of all?"""
        others = sum(count for place, count in self._counts.items() if place >= _place(seconds)) - 1
        return others >= max(_OTHERS, _SHARE * rows)

    def as_long(self, seconds: float, besides: Iterable[float] = ()) -> int:
        """How many were about as long, or longer, `besides` these of them."""
        all_of_them = sum(count for place, count in self._counts.items() if place >= _place(seconds))
        return all_of_them - sum(_place(one) >= _place(seconds) for one in besides)


def _place(seconds: float) -> int:
    return floor(log(max(seconds, 1e-9)) / _STEP)
