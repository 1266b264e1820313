"""Times of day in front of rows, without a date: `18:56:01  Epoch 1/30  train=0.0052`.

They say what passed between two rows, and no more: on which day that was nobody knows. And only where they prove to be a clock:
where each of them is later than the one before, but for one that stands behind midnight.

So does what has passed since the start, behind a stamp to the minute, which is read as no clock:
`INFO - 2024/03/07 01:34 -- 0:02:53 - Iter: 1800`. The stamps have to go on as it does.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

from ...patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

RISES = 6
"""So many times it was later, and never earlier: by chance once in 5,040 logs."""

_DAY_S, _LATE_S, _EARLY_S = 86_400.0, 20 * 3600.0, 4 * 3600.0
"""Past midnight it goes from late in the evening to early in the morning; another clock that begins anew seldom does."""

_PACKED = lazy_pattern(r"([01]\d|2[0-3])([0-5]\d)([0-5]\d\.\d{1,6})")
_SIX = lazy_pattern(r"\d{6}\.")
_FRONT = lazy_pattern(r"[ \t]{0,8}[\[(]?([01]\d|2[0-3]):([0-5]\d):([0-5]\d(?:[.,]\d{1,6})?)[\])]?(?=[ \t|])")

_PASSED = lazy_pattern(
    r"\W{0,2}(?:[A-Z]{4,8}\W{1,3})?(20\d\d)([-/.])([01]\d)\2([0-3]\d)[ T]([0-2]\d):([0-5]\d)[])]?[\s|,-]{1,4}"
    r"(?:(\d{1,3}) days?, )?(\d{1,3}):([0-5]\d):([0-5]\d(?:[.,]\d{1,6})?)(?=[ \t|])"
)
_MINUTE_S, _ROUNDED_S = 60.0, 2.0
"""A stamp to the minute is as much behind the time of its line, and both roundings a little more."""


class BareClock:
    """The clock in front of the lines of one log. Of rows it is asked in their order; they may come later than their lines."""

    def __init__(self) -> None:
        self._last: float | None = None
        self._rises = 0
        self._fell = False
        self._row: float | None = None  # of the newest row
        self._begun: tuple[float, float] | None = (
            None  # of a clock behind stamps: the earliest and latest beginning
        )
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
        if self._fell or ":" not in text[2:32] or (now_s := self._read(text)) is None:
            return
        if self._last is not None and now_s < self._last:
            self._fell = self._begun is not None or not _past_midnight(self._last, now_s)
        self._rises += self._last is not None and now_s > self._last
        self._last = now_s

    def since_row(self, text: str) -> float | None:
        """What passed from the row before to the row that begins with `text`, s; `None`: no clock says so."""
        before_s, self._row = self._row, None
        if (now_s := self._read(text)) is None:
            return None
        self._row = now_s
        if before_s is None or (now_s < before_s and not _past_midnight(before_s, now_s)):
            return None
        passed_s = (now_s - before_s) % _DAY_S
        self.elapsed_s += passed_s
        return passed_s if self.proven else None

    def _read(self, text: str) -> float | None:
        if (now_s := _seconds(text)) is not None or (found := _passed_s(text)) is None:
            return now_s
        stamp_s, now_s = found
        least_s, most_s = self._begun or (stamp_s - now_s,) * 2
        self._begun = min(least_s, stamp_s - now_s), max(most_s, stamp_s - now_s)
        self._fell = self._fell or self._begun[1] - self._begun[0] > _MINUTE_S + _ROUNDED_S
        return now_s

    def learn(self, other: BareClock) -> None:
        """Take over what another reader found out of more lines."""
        self._fell = self._fell or other._fell
        self._rises = max(self._rises, other._rises)


class PackedClock:
    """Times of day as one number, `Time: 120249.75` at 12:02:49.75, as Fortran's `date_and_time` has them.

    Seconds would show 60 to 99 there, too, and go from 59 to 60: so many rows are a clock where none does, and a minute ends.
    """

    _ROWS = 12

    def __init__(self) -> None:
        self._rows = self._minutes = 0
        self._refuted = False
        self._last: float | None = None
        self._passed_s = 0.0

    @property
    def proven(self) -> bool:
        """Is it a clock?"""
        return not self._refuted and self._minutes > 0 and self._rows >= self._ROWS

    def learn(self, other: PackedClock) -> None:
        """Take over what another reader found out of more rows."""
        self._refuted = self._refuted or other._refuted
        self._rows, self._minutes = max(self._rows, other._rows), max(self._minutes, other._minutes)

    def in_values(self, values: Mapping[str, object], called: dict[str, str]) -> dict[str, object]:
        """What has passed by the `Time` among a row's values, as a clock; `called`: how the log calls it."""
        name = next((one for one in values if one.lower() == "time" and _SIX.match(str(values[one]))), None)
        passed_s = None if name is None else self.passed_s(str(values[name]))
        if passed_s is None:
            return {}
        called["elapsed_time"] = f"{name} (hours, minutes and seconds as one number)"
        minutes, seconds = divmod(passed_s, 60)
        return {"elapsed_time": f"{int(minutes // 60)}:{int(minutes % 60):02d}:{seconds:09.6f}"}

    def passed_s(self, value: str) -> float | None:
        """What has passed since the first row, by the next row's `value`; `None`: it is none, or not proven yet."""
        found = _PACKED.fullmatch(value)
        if found is None:
            self._refuted = True
            return None
        now_s = int(found[1]) * 3600.0 + int(found[2]) * 60.0 + float(found[3])
        last, self._last = self._last, now_s
        if last is not None and now_s < last and not _past_midnight(last, now_s):
            self._refuted = True
        self._rows += 1
        self._minutes += last is not None and now_s // 60 != last // 60
        self._passed_s += 0.0 if last is None else (now_s - last) % _DAY_S
        return self._passed_s if self.proven else None


def _past_midnight(before_s: float, now_s: float) -> bool:
    return before_s >= _LATE_S and now_s < _EARLY_S


def _seconds(text: str) -> float | None:
    if (found := _FRONT.match(text)) is None:
        return None
    return int(found[1]) * 3600.0 + int(found[2]) * 60.0 + float(found[3].replace(",", "."))


def _passed_s(text: str) -> tuple[float, float] | None:
    """The stamp to the minute in front of a line, s, and what has passed since the start by the clock behind it."""
    if (found := _PASSED.match(text)) is None:
        return None
    year, _, month, day, hour, minute, days, hours, minutes, seconds = found.groups()
    try:
        stamp = datetime(int(year), int(month), int(day), int(hour), int(minute), tzinfo=timezone.utc)
    except ValueError:  # 2024/02/31 is no day
        return None
    passed_s = int(hours) * 3600.0 + int(minutes) * 60.0 + float(seconds.replace(",", "."))
    return stamp.timestamp(), passed_s + _DAY_S * int(days or 0)
