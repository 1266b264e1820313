"""Means over the newest `window` iterations, printed more often than that: each row's own time is got back from them.

mmengine's `LogProcessor(window_size=50)` with `interval=1` prints the mean of the last 50 in each row: taken for the row's own, a
first iteration of a minute makes fifty rows slow, and a short one among long ones is told as long.
"""

from __future__ import annotations

from collections import deque
from math import sqrt

SURE = 0.1
"""Of a time: what the digits of means add up to is less in all but one of hundreds; on average over rows it is none."""

ROUND = frozenset((1, 5, 10, 20, 25, 30, 40, 50, 100, 200, 500, 1000))
"""So many iterations people let means be of."""

_SIGMAS = 3.0
_ROUNDED = 1 / sqrt(12)
"""Of a last digit: by so much a rounded number is wrong, root mean square."""


class OverlappingMeans:
    """The seconds that all iterations took up to each of the newest rows, in which the means are differences.

    It needs the first row of a process: of what came before nobody knows the parts.
    Where nobody said the window (0), rows of each iteration from the first on tell it: the mean is of all of them, until
    the slow first one is no longer in it. Then what they took in all seems to fall, which it cannot.
    """

    def __init__(self, window: int = 0) -> None:
        self.window = window
        self._sums: deque[tuple[int, float, int]] = deque([(0, 0.0, 0)])  # up to which; seconds; means in it
        self._as_printed = False  # nobody knows the window, and rows are too far apart to tell it
        self.left_out = False  # is the newest row's mean of fewer iterations than there are since the row before?
        self.rough = False  # is the newest row's own time lost in the last digits alone?
        self._unknown = False  # rows tell that there is a window, but not which

    def since_the_last(self, count: int, mean_s: float, digit_s: float, whole_s: float) -> float | None:
        """Seconds of one iteration since the row before; `None` where neither the digits nor the rows tell.

        A mean of fewer than there are since that row says nothing of the others: they are `left_out`.

        Args:
            count: iterations since the process began, with that of the row.
            mean_s: of the newest `window` of them, or of all if they are fewer.
            digit_s: one in the last digit of `mean_s`.
            whole_s: the mean of the whole time, of which this may be a part.
        """
        self.rough = self.left_out = False
        if not self.window and not self._finds(count, mean_s, digit_s):
            return mean_s if self._as_printed else None
        before, before_s, _ = self._sums[-1]
        window = self.window or count
        start, apart = max(0, count - window), count - before
        self.left_out = apart > window
        known = next((one for one in self._sums if one[0] == start), None)
        if known is None or apart <= 0:
            self._sums = deque([(count, 0.0, 0)])
            return mean_s if apart >= window else None
        _, start_s, means = known
        sum_s = start_s + (count - start) * mean_s
        self._sums.append((count, sum_s, means + 1))
        while self._sums[0][0] < start:
            self._sums.popleft()
        wrong_s = _SIGMAS * sqrt(2 * (means + 1)) * (count - start) * digit_s * _ROUNDED / apart
        self.rough = wrong_s > SURE * whole_s
        return None if self.rough else max(0.0, sum_s - before_s) / apart

    def _finds(self, count: int, mean_s: float, digit_s: float) -> bool:
        """May the mean be taken for that of all iterations so far, or of a window that is known now?"""
        if self._as_printed or self._unknown:
            return False
        before, before_s, _ = self._sums[-1]
        if count != before + 1:
            self._as_printed = True
            return False
        if count * mean_s >= before_s - 0.5 * digit_s * (count + before):
            return True
        self._unknown = before not in ROUND
        self.window = 0 if self._unknown else before
        return not self._unknown
