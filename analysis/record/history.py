"""What a sampler measured over a whole run, in bounded memory: the older the coarser."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from math import isnan, nan
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 1 << 16
"""Rows kept: eighteen hours at one a second. Then the older half is folded in pairs, and again, and again."""


class History:
    """Rows of numbers, each the mean or the sum over the seconds before its time. Not measured is nan.

    `means` and `sums` name the columns. A row that is not later than the one before is left out: a clock that was
    set back would put it anywhere.
    """

    def __init__(self, means: Sequence[str], sums: Sequence[str] = (), *, most: int = MOST) -> None:
        self._most = most
        self._sums = frozenset(sums)
        self.at_s = array("d")
        self.span_s = array("d")
        self.columns = {name: array("d") for name in (*means, *sums)}

    def __len__(self) -> int:
        return len(self.at_s)

    def add(self, at_s: float, span_s: float, values: dict[str, float | None]) -> None:
        """Append what was measured in the `span_s` seconds up to `at_s`."""
        if self.at_s and at_s <= self.at_s[-1]:
            return
        self.at_s.append(at_s)
        self.span_s.append(span_s)
        for name, column in self.columns.items():
            value = values.get(name)
            column.append(nan if value is None else value)
        if len(self) >= self._most:
            self._fold(self._most // 4)

    def between(self, begin_s: float, end_s: float) -> dict[str, float]:
        """Means and sums of `begin_s`..`end_s`; a row that lies there in part counts in part.

        Without a column that no row there has measured; empty where there is no row.
        """
        first = bisect_right(self.at_s, begin_s)
        # One row more: the one that ends after `end_s` may have begun before it.
        last = min(bisect_left(self.at_s, end_s) + 1, len(self))
        shares = [self._inside(row, begin_s, end_s) for row in range(first, last)]
        found: dict[str, float] = {}
        for name, column in self.columns.items():
            known = [
                (s, self.span_s[row], column[row])
                for row, s in enumerate(shares, first)
                if s > 0 and not isnan(column[row])
            ]
            if not known:
                continue
            if name in self._sums:
                found[name] = sum(s / span_s * value for s, span_s, value in known)
            else:
                found[name] = sum(s * value for s, _, value in known) / sum(s for s, _, _ in known)
        return found

    def usual(self, name: str, begin_s: float, end_s: float) -> float | None:
        """The median of a mean over the rows that end in `begin_s`..`end_s`."""
        first, last = bisect_left(self.at_s, begin_s), bisect_right(self.at_s, end_s)
        known = [value for value in self.columns[name][first:last] if value == value]
        return median(known) if known else None

    def total(self, name: str) -> float | None:
        """A sum over everything; of a mean, its integral over time (power: energy)."""
        column = self.columns[name]
        if name in self._sums:
            known = [value for value in column if value == value]
        else:
            known = [value * span_s for value, span_s in zip(column, self.span_s, strict=True) if value == value]
        return sum(known) if known else None

    def _inside(self, row: int, begin_s: float, end_s: float) -> float:
        """Seconds of the row that lie inside."""
        return min(end_s, self.at_s[row]) - max(begin_s, self.at_s[row] - self.span_s[row])

    def _fold(self, pairs: int) -> None:
        """Make one row of each of the oldest `pairs` pairs."""
        rows = range(0, 2 * pairs, 2)
        spans = self.span_s
        for name, column in self.columns.items():
            together = _sum if name in self._sums else _mean
            column[: 2 * pairs] = array("d", [together(column, spans, row) for row in rows])
        self.at_s[: 2 * pairs] = self.at_s[1 : 2 * pairs : 2]
        spans[: 2 * pairs] = array("d", [spans[row] + spans[row + 1] for row in rows])


def _sum(column: array[float], _spans: array[float], row: int) -> float:
    known = [value for value in column[row : row + 2] if value == value]
    return sum(known) if known else nan


def _mean(column: array[float], spans: array[float], row: int) -> float:
    known = [(column[r], spans[r]) for r in (row, row + 1) if not isnan(column[r])]
    seconds = sum(span_s for _, span_s in known)
    return sum(value * span_s for value, span_s in known) / seconds if seconds else nan
