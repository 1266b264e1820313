"""Is the printed time of a step that of a row, where rows are counted because nobody numbers the steps?

    epoch 0.05 - loss=2.5 - elapsed 0.1s - 120ms/step
    epoch 0.30 - loss=2.25 - elapsed 0.7s - 120ms/step
Five steps lie between these two rows. Only a clock beside the times tells: it moves on by what each row takes.
"""

from __future__ import annotations

from collections import deque

_FEWEST, _KEPT = 3, 64
_LIKE = 1.3
"""Times that a row may take of what is printed: two steps a row are twice as much.

Of the rows those count of which little passes: before others lie stops, or rows that were left out of a sample.
"""


class StepsOfRows:
    """How a clock moves on beside the times that rows print, from one of its ticks to the next."""

    def __init__(self) -> None:
        self._ratios: deque[float] = deque(maxlen=_KEPT)
        self._known: bool | None = None
        self._clock_s: float | None = None
        self._printed_s = self._passed_s = 0.0

    def learn(self, other: StepsOfRows) -> None:
        """Take over what was found out of more rows."""
        self._known = other._decided() if self._known is None else self._known

    def see(self, printed_s: float, elapsed_s: float | None, passed_s: float | None) -> bool | None:
        """Is the time that the next row prints its own? `None`: no clock says it.

        Args:
            printed_s: the time of a step, by its name.
            elapsed_s: what a clock in the row shows.
            passed_s: between the stamps of the row and the one before it.
        """
        before, self._clock_s = self._clock_s, elapsed_s
        if elapsed_s is not None:
            passed_s = elapsed_s - before if before is not None else None
        if passed_s is None or passed_s < 0:  # the first row, or the clock begins anew
            self._printed_s = self._passed_s = 0.0
            return self._decided()
        self._printed_s, self._passed_s = self._printed_s + printed_s, self._passed_s + passed_s
        if self._passed_s > 0 and self._printed_s > 0:
            self._ratios.append(self._passed_s / self._printed_s)
            self._printed_s = self._passed_s = 0.0
        return self._decided()

    def _decided(self) -> bool | None:
        if self._known is not None or len(self._ratios) < _FEWEST:
            return self._known
        least = sorted(self._ratios)[len(self._ratios) // 4]
        return 1 / _LIKE <= least <= _LIKE
