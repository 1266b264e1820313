"""What a sampler measured over a whole run, for a chart of it: as fine at its beginning as later, and bounded.

`history.py` keeps the newest hours exact and lets the oldest go; over a chart of all iterations both ends count.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from math import nan
from operator import mul
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST = 1 << 14
"""Rows: four and a half hours at one a second. In a week a row is two minutes, but for the newest hour."""

_MOST_REMEMBERED = 1 << 13
"""Stretches whose values are kept: four screens of 1,000 columns with two curves each."""


class Course:
    """Rows of means over the seconds before their times, and the least value in each."""

    def __init__(self, names: Sequence[str], *, most: int = MOST) -> None:
        self._most = most
        self.at_s = array("d")
        self.span_s = array("d")
        self._means = {name: array("d") for name in names}
        self._lows = {name: array("d") for name in names}
        self._extremes: dict[str, tuple[float, float, float]] = {}
        self._remembered: dict[tuple[str, float, float], tuple[float, float] | None] = {}

    def __len__(self) -> int:
        return len(self.at_s)

    def add(self, at_s: float, span_s: float, values: Mapping[str, float | None]) -> None:
        """Append what was measured in the `span_s` seconds up to `at_s`; not if a clock was set back."""
        if self.at_s and at_s <= self.at_s[-1]:
            return
        self.at_s.append(at_s)
        self.span_s.append(span_s)
        for name, column in self._means.items():
            value = values.get(name)
            column.append(nan if value is None else value)
            if value is not None:
                _, least, most = self._extremes.get(name, (value, value, value))
                self._extremes[name] = value, min(least, value), max(most, value)
            self._lows[name].append(column[-1])
        if len(self) >= self._most:
            self._thin()

    def extremes(self, name: str) -> tuple[float, float, float] | None:
        """The newest, the least and the greatest of all that was measured; `None` where nothing was."""
        return self._extremes.get(name)

    def covered(self, begin_s: float, end_s: float) -> float:
        """The share of `begin_s`..`end_s` that lies between the first sample and the newest."""
        if not self.at_s or end_s <= begin_s:
            return 0.0
        first_s = self.at_s[0] - self.span_s[0]
        return max(0.0, min(end_s, self.at_s[-1]) - max(begin_s, first_s)) / (end_s - begin_s)

    def of(self, name: str, begin_s: float, end_s: float) -> tuple[float, float] | None:
        """The mean and the least of a value in `begin_s`..`end_s`; `None` where nothing is known of that time."""
        if not self.at_s or end_s > self.at_s[-1]:
            return self._measure(name, begin_s, end_s)
        key = name, begin_s, end_s
        if key not in self._remembered:
            if len(self._remembered) >= _MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = self._measure(name, begin_s, end_s)
        return self._remembered[key]

    def _measure(self, name: str, begin_s: float, end_s: float) -> tuple[float, float] | None:
        first = bisect_right(self.at_s, begin_s)
        stop = min(bisect_left(self.at_s, end_s) + 1, len(self))  # what ends after it may have begun before
        means, lows = self._means[name][first:stop], self._lows[name][first:stop]
        spans = self.span_s[first:stop]
        inside = array("d", spans)
        for row in {0, len(inside) - 1} if inside else ():
            at_s = self.at_s[first + row]
            inside[row] = max(0.0, min(end_s, at_s) - max(begin_s, at_s - spans[row]))
        total, seconds, least = sum(map(mul, means, inside)), sum(inside), min(lows, default=nan)
        if total != total or (inside and inside[-1] == 0):
            known = [row for row, mean in enumerate(means) if mean == mean and inside[row] > 0]
            total, seconds = sum(means[row] * inside[row] for row in known), sum(inside[row] for row in known)
            least = min((lows[row] for row in known), default=nan)
        return (total / seconds, least) if seconds > 0 else None

    def _thin(self) -> None:
        """Make the older three quarters at most two: neighbours become one as long as they are short together."""
        old = 3 * self._most // 4
        grain_s = 4 * (self.at_s[old - 1] - self.at_s[0] + self.span_s[0]) / self._most
        starts = [0]
        for row in range(1, old):
            if self.at_s[row] - self.at_s[starts[-1]] + self.span_s[starts[-1]] > grain_s:
                starts.append(row)
        parts = [slice(start, stop) for start, stop in zip(starts, [*starts[1:], old], strict=True)]
        for name, column in self._means.items():
            column[:old] = array("d", [_mean(column[part], self.span_s[part]) for part in parts])
            low = self._lows[name]
            low[:old] = array("d", [min((v for v in low[part] if v == v), default=nan) for part in parts])
        self.at_s[:old] = array("d", [self.at_s[part.stop - 1] for part in parts])
        self.span_s[:old] = array("d", [sum(self.span_s[part]) for part in parts])
        self._remembered.clear()


def _mean(values: Sequence[float], spans: Sequence[float]) -> float:
    known = [(value, span_s) for value, span_s in zip(values, spans, strict=True) if value == value]
    seconds = sum(span_s for _, span_s in known)
    return sum(value * span_s for value, span_s in known) / seconds if seconds else nan
