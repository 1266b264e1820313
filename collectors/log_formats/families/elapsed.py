"""Iterations that are timed by a clock in the log that counts from the training's beginning, often in whole seconds.

    Step 50/1000; ...;     12 sec
    Step 100/1000; ...;     23 sec
Whole seconds over a few short iterations say nothing: 0, 1, 1, 0, 1. So rows wait until the clock has moved on by
`WINDOW` of its smallest steps, and the last of them has the mean of all: 5 % from the truth at most.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ....events import Witness
from ..parsing.lines import LineParser
from ..parsing.values import number, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event
    from ..parsing.values import Fields, LogLine

WINDOW = 20
"""So many of a clock's smallest steps are one step right to 5 %."""
OF_A_MEAN = 100
"""... and of a clock that is worked out from a rounded mean rate, so many: its steps grow with all that has passed, so that
what rounding does to one window would look like a slower or a faster stretch."""
_MOST_HELD = 1000
_PART = r"(\d{1,9}(?:\.\d{1,9})?) ?(days?|d|hours?|h|minutes?|min|m|seconds?|secs?|sec|s|ms|us)\b"
_SECONDS = {"d": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6}
_NUMBER = r"\d{1,15}(?:\.(\d{1,15}))?(?:[eE]([-+]?\d{1,3}))?"


class ElapsedParser(LineParser):
    """Hands iterations on with the mean time of their window."""

    window = WINDOW

    def __init__(self) -> None:
        super().__init__()
        self._held: list[tuple[Fields, LogLine, list[Event]]] = []
        self._began: tuple[float, float] | None = None  # iteration and seconds, at the window's beginning
        self._newest: tuple[float, float] = (0.0, 0.0)
        self._earlier: tuple[float, float] | None = None  # where the window before this one began
        self.kept = (
            False  # does the newest line wait, as a row or behind one? Then nobody else need guess what it says
        )

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """See `Parser.line`."""
        self.kept = False
        return super().line(text, at_s)

    @property
    def next_index(self) -> int | None:
        """That of the iteration after the newest one, which may wait for its time: what comes now lies behind it."""
        waits = whole(self._held[-1][0].get("iteration")) if self._held else None
        return super().next_index if waits is None else waits + 1

    def timed(
        self,
        fields: Fields,
        line: LogLine,
        elapsed_s: float | None,
        resolution_s: float = 0.0,
        after: Sequence[Event] = (),
    ) -> list[Event]:
        """An iteration at whose end the clock showed `elapsed_s`, in steps of `resolution_s`; then what came `after` it."""
        index = fields.get("iteration")
        newest = self._newest
        if index is None or (elapsed_s is None and (self._began is None or index <= newest[0])):
            return [*self._hand_on(), *self.iteration(fields, line), *after]
        if elapsed_s is None:  # the clock is not at every row: the next that it is at ends the window
            self._newest = (index, newest[1])
            return self._hold(fields, line, after)
        self._newest = (index, elapsed_s)
        if self._began is None or index <= newest[0] or elapsed_s < newest[1] - resolution_s:
            events = [*self._hand_on(), *self.iteration(fields, line), *after]
            self._began = (index, elapsed_s)
            return events
        passed_s = elapsed_s - self._began[1]
        if passed_s <= 0 or passed_s < self.window * resolution_s:
            return self._hold(fields, line, after)
        self._held.append((fields, line, list(after)))
        events = self._hand_on(passed_s / (index - self._began[0]))
        self._earlier, self._began = self._began, (index, elapsed_s)
        return events

    def _hold(self, fields: Fields, line: LogLine, after: Sequence[Event]) -> list[Event]:
        self._held.append((fields, line, list(after)))
        if len(self._held) < _MOST_HELD:
            self.kept = True
            return []
        return self._hand_on() if self.window == WINDOW else self._without_the_last()

    def _without_the_last(self) -> list[Event]:
        """Those that waited but for the last, as a part of the window that is still open."""
        held, self._held = self._held[:-1], self._held[-1:]
        events: list[Event] = []
        for fields, line, after in held:
            events += [*self.iteration(fields | {"averaged_over": 0}, line), *after]
        return events

    def in_order(self, events: list[Event]) -> list[Event]:
        """`events`, behind the iterations that still wait."""
        if not self._held:
            return events
        self._held[-1][2].extend(events)
        self.kept = bool(events)
        return []

    def _hand_on(self, each_s: float | None = None) -> list[Event]:
        """Those that waited, the last with `each_s`, the mean of all; without one the next window begins with the next."""
        if not self._held:
            return []
        held, self._held = self._held, []
        before = self._began[0] if self._began else 0.0
        if each_s is None:
            self._began = self._earlier = None
        events: list[Event] = []
        if each_s is not None:
            fields = held[-1][0]
            fields.setdefault("duration_s", each_s)
            fields |= {"averaged_over": fields["iteration"] - before, "witness": Witness.ELAPSED}
            for earlier, _, _ in held[:-1]:
                earlier["averaged_over"] = 0
        for fields, line, after in held:
            events += [*self.iteration(fields, line), *after]
        return events

    def release(self) -> list[Event]:
        """The clock does not move on: what still waits has no time, or that of the window before with its own.

        A mean rate tells all that has passed, as exactly as its digits: a sum without the last rows says less.
        """
        (index, elapsed_s), before = self._newest, self._earlier
        if self.window == WINDOW or before is None or self._began is None or index <= self._began[0]:
            return self._hand_on()
        return self._hand_on((elapsed_s - before[1]) / (index - before[0]))


def spoken_seconds(text: str) -> float | None:
    """`1h 2m 3s`, `2 minutes and 3.5 seconds`, `50.1ms` in seconds; `None` where there is no such part."""
    parts = re.findall(_PART, text[:200])
    return sum(float(count) * _SECONDS[_short(unit)] for count, unit in parts) if parts else None


def spoken_resolution(text: str) -> float:
    """The smallest step of such a text: `1m 3s` is known to a second, `50.1ms` to a tenth of a millisecond."""
    parts = re.findall(_PART, text[:200])
    if not parts:
        return 1.0
    count, unit = parts[-1]
    return 10.0 ** -len(count.partition(".")[2]) * _SECONDS[_short(unit)]


def clock_seconds(text: str) -> float | None:
    """`02:40`, `1:02:40` in seconds."""
    seconds = 0.0
    for part in text.split(":"):
        value = number(part)
        if value is None:
            return None
        seconds = seconds * 60 + value
    return seconds


def resolution(text: str) -> float:
    """The smallest step of a printed number of seconds: 1 for `12`, 0.01 for `1.25`, 10 for `1.23e+03`."""
    found = re.fullmatch(_NUMBER, text.strip())
    if not found:
        return 1.0
    exponent = min(int(found[2] or 0), 30)
    return 10.0 ** (exponent - len(found[1] or ""))


def _short(unit: str) -> str:
    return unit if unit in ("ms", "us") else unit[0]
