"""Means over the newest `window` iterations, printed more often than that: each row's own time is got back from them.

mmengine's `LogProcessor(window_size=50)` with `interval=1` prints the mean of the last 50 in each row: taken for the row's own, a
first iteration of a minute makes fifty rows slow, and a short one among long ones is told as long.
"""

from __future__ import annotations

from collections import deque
from math import sqrt

SURE = 0.1
"""Of a time: what the digits of means add up to is less in all but one of hundreds; on average over rows it is none."""

_SIGMAS = 3.0
_ROUNDED = 1 / sqrt(12)
"""Of a last digit: by so much a rounded number is wrong, root mean square."""


class OverlappingMeans:
    """The seconds that all iterations took up to each of the newest rows, in which the means are differences.

    It needs the first row of a process: of what came before nobody knows the parts.
    """

    def __init__(self, window: int) -> None:
        self.window = window
        self._sums: deque[tuple[int, float, int]] = deque([(0, 0.0, 0)])  # up to which; seconds; means in it

    def since_the_last(self, count: int, mean_s: float, digit_s: float, whole_s: float) -> float | None:
        """Seconds of one iteration since the row before; `None` where neither the digits nor the rows tell.

        A mean of fewer than there are since that row is taken for all of them.

        Args:
            count: iterations since the process began, with that of the row.
            mean_s: of the newest `window` of them, or of all if they are fewer.
            digit_s: one in the last digit of `mean_s`.
            whole_s: the mean of the whole time, of which this may be a part.
        """
        before, before_s, _ = self._sums[-1]
        start, apart = max(0, count - self.window), count - before
        known = next((one for one in self._sums if one[0] == start), None)
        if known is None or apart <= 0:
            self._sums = deque([(count, 0.0, 0)])
            return mean_s if apart >= self.window else None
        _, start_s, means = known
        sum_s = start_s + (count - start) * mean_s
        self._sums.append((count, sum_s, means + 1))
        while self._sums[0][0] < start:
            self._sums.popleft()
        wrong_s = _SIGMAS * sqrt(2 * (means + 1)) * (count - start) * digit_s * _ROUNDED / apart
        return max(0.0, sum_s - before_s) / apart if wrong_s <= SURE * whole_s else None
