"""A printed rate that is the mean since the start: `step / seconds so far`. It tells no row's own time.

After a slow minute such a rate comes back by less and less from row to row, where that of the newest rows alone is
back at once. So `step / rate` is a clock then: it grows by as much for each step. Of the rates of rows themselves it
jumps back and forth, the farther the more steps lie behind.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

FURTHER = 1.5
"""Rows are compared whose steps lie so many times as far from the start: a last digit hides the steps of near ones."""

FEWEST = 7
"""Such rows, at least."""

FALLS = 0.005
"""No clock falls; by so much of what it shows a rounded rate makes it seem to."""

DIFFER = 0.01
"""Rates that differ by less have the same sum, whatever they are."""

STEADIER = 3.0
"""... so many times as steady must the clock be as the rates."""

LEAST = 0.95
"""Of what steps take usually: no steps take less, only more."""


class RunningRate:
    """Are the rates of one column means since the start?"""

    def __init__(self) -> None:
        self._rows: list[tuple[int, float]] = []  # steps, and seconds so far
        self._newest: tuple[int, float] = (0, 0.0)
        self._fell = False
        self.is_one = False

    def learn(self, other: RunningRate) -> None:
        """Take over what another reader found out of more rows."""
        self.is_one = self.is_one or other.is_one

    def own(self, rate: float | None, steps: int) -> float | None:
        """`rate`, unless it is a mean since the start. `steps`: how many there were until then."""
        if rate and steps > 0 and not self.is_one and not self._fell:
            self._see(steps, steps / rate)
        return None if self.is_one else rate

    def _see(self, steps: int, spent_s: float) -> None:
        before, before_s = self._newest
        self._fell = steps <= before or spent_s < (1 - FALLS) * before_s
        self._newest = steps, spent_s
        if not self._rows or steps >= FURTHER * self._rows[-1][0]:
            self._rows.append((steps, spent_s))
            self.is_one = not self._fell and self._is_clock()

    def _is_clock(self) -> bool:
        rows = self._rows
        if len(rows) < FEWEST:
            return False
        printed_s = [spent_s / steps for steps, spent_s in rows]
        each_s = [(late_s - early_s) / (late - early) for (early, early_s), (late, late_s) in pairwise(rows)]
        differ = _spread(printed_s)
        steady = STEADIER * _spread(each_s) <= differ and min(each_s) >= LEAST * median(each_s)
        return differ >= DIFFER and steady


def _spread(seconds: Sequence[float]) -> float:
    """How far they are from their median, as a share of it; of most of them."""
    usual_s = median(seconds)
    return median([abs(one - usual_s) for one in seconds]) / usual_s
