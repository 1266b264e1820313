"""Means of any stretch of a growing column in a few steps, however long it is."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BLOCK = 64


class Means:
    """Sums over a column that only grows, made when somebody looks: a quarter of a byte a value.

    nan counts for nothing.
    """

    def __init__(self, values: Sequence[float]) -> None:
        self._values = values
        self._sums = array("d", [0.0])  # up to each multiple of BLOCK
        self._known = array("d", [0.0])

    def of(self, start: int, stop: int) -> float | None:
        """The mean of the entries from `start` to before `stop`; `None` where none is known."""
        low, high = -(-start // BLOCK), stop // BLOCK
        if high <= low:
            total, known = self._part(start, stop)
        else:
            self._grow(high)
            before, behind = self._part(start, low * BLOCK), self._part(high * BLOCK, stop)
            total = self._sums[high] - self._sums[low] + before[0] + behind[0]
            known = self._known[high] - self._known[low] + before[1] + behind[1]
        return total / known if known else None

    def _grow(self, blocks: int) -> None:
        for block in range(len(self._sums) - 1, blocks):
            total, known = self._part(block * BLOCK, (block + 1) * BLOCK)
            self._sums.append(self._sums[-1] + total)
            self._known.append(self._known[-1] + known)

    def _part(self, start: int, stop: int) -> tuple[float, float]:
        values = self._values[start:stop]
        total = sum(values)
        if total == total:
            return total, len(values)
        known = [value for value in values if value == value]
        return sum(known), len(known)
