"""Times of day in front of rows, without a date: `18:56:01  Epoch 1/30  train=0.0052`.

They say what passed between two rows, and no more: on which day that was nobody knows. And only where they prove to be a clock:
where each of them is later than the one before, but for one that stands behind midnight.
"""

from __future__ import annotations

from ...patterns import lazy_pattern

RISES = 6
"""So many times it was later, and never earlier: by chance once in 5,040 logs."""

_DAY_S, _LATE_S, _EARLY_S = 86_400.0, 20 * 3600.0, 4 * 3600.0
"""Past midnight it goes from late in the evening to early in the morning; another clock that begins anew seldom does."""

_FRONT = lazy_pattern(r"[ \t]{0,8}[\[(]?([01]\d|2[0-3]):([0-5]\d):([0-5]\d(?:[.,]\d{1,6})?)[\])]?(?=[ \t|])")


class BareClock:
    """The clock in front of the lines of one log. Of rows it is asked in their order; they may come later than their lines."""

    def __init__(self) -> None:
        self._last: float | None = None
        self._rises = 0
        self._fell = False
        self._row: float | None = None  # of the newest row
        self.elapsed_s = 0.0
        """What passed from the first row to the newest, as far as rows followed each other with a time of day."""

    @property
    def proven(self) -> bool:
        """Is it a clock?"""
        return self._rises >= RISES and not self._fell

    @property
    def of_rows(self) -> bool:
        """Stands a time of day in front of the newest row?"""
        return self._row is not None

    def see(self, text: str) -> None:
        """A line of the log, whatever it is."""
        if self._fell or ":" not in text[2:12] or (now_s := _seconds(text)) is None:
            return
        if self._last is not None and now_s < self._last:
            self._fell = not _past_midnight(self._last, now_s)
        self._rises += self._last is not None and now_s > self._last
        self._last = now_s

    def since_row(self, text: str) -> float | None:
        """What passed from the row before to the row that begins with `text`, s; `None`: no clock says so."""
        before_s, self._row = self._row, None
        if (now_s := _seconds(text)) is None:
            return None
        self._row = now_s
        if before_s is None or (now_s < before_s and not _past_midnight(before_s, now_s)):
            return None
        passed_s = (now_s - before_s) % _DAY_S
        self.elapsed_s += passed_s
        return passed_s if self.proven else None

    def learn(self, other: BareClock) -> None:
        """Take over what another reader found out of more lines."""
        self._fell = self._fell or other._fell
        self._rises = max(self._rises, other._rises)


def _past_midnight(before_s: float, now_s: float) -> bool:
    return before_s >= _LATE_S and now_s < _EARLY_S


def _seconds(text: str) -> float | None:
    if (found := _FRONT.match(text)) is None:
        return None
    return int(found[1]) * 3600.0 + int(found[2]) * 60.0 + float(found[3].replace(",", "."))
