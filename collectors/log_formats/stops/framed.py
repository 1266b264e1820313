"""Evaluations and saves between two lines with stamps, where the rows themselves have none: bars, and what counts seconds.

2025-03-01 10:00:00 INFO Running validation at step 200
100%|██████████| 25/25 [00:20<00:00,  1.25it/s]          a part of it: the first of several bars
2025-03-01 10:04:00 INFO Validation complete             240 s, whatever the bars in it say
40%|████      | 201/500 [50:05<...]                      the row in whose time it lies: no shorter, or it is not taken
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ....events import EVALUATION, Iteration, SpanEnd
from .said import said_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ....events import Event

LONGEST_S = 86_400.0
"""Between the two lines: more is a pause."""

MORE = 1.05
"""Times what the format itself tells of an evaluation: a frame of no more is the same, to whole seconds."""

WHOLE_S = 2.0
"""Stamps of whole seconds are so far off, both together."""

SHORT_S = 5.0
"""Between stamps of whole seconds: 1 s may be nothing, or 2."""

_ROWS = 2
"""A format may hold a row back until the next one comes: what stands behind it lies in one of so many."""


class FramedStops:
    """What stands between the stamps of its first and its last line, since the newest row."""

    def __init__(self) -> None:
        self._before = ""  # the line before: a stamp may stand alone, and its message on the next line
        self._open: dict[str, float] = {}  # when each began
        self._framed: dict[str, list[tuple[float, float]]] = {}  # begin and end of each
        self._told_s = 0.0  # evaluations, by the format itself
        self._rows = 0  # since the first of these frames in which it did not fit

    def hear(self, text: str, stamp: Callable[[str], float | None]) -> None:
        """A line that its format does not read; `stamp` gives the moment at which it was written."""
        before, self._before = self._before, text
        kind, begins = said_of(text)
        if kind is None or not (begins or kind in self._open):
            return
        at_s = stamp(text) or stamp(before)
        if at_s is None:
            return
        if begins:
            self._open.setdefault(kind, at_s)
        elif 0 < at_s - (began_s := self._open.pop(kind)) <= LONGEST_S:
            self._framed.setdefault(kind, []).append((began_s, at_s))

    def placed(self, found: Sequence[Event]) -> Sequence[Event]:
        """What a format tells of an evaluation in a frame, with its moment: it is a part of it."""
        if not (self._open or self._framed):
            return found
        return [self._placed(event) if isinstance(event, SpanEnd) else event for event in found]

    def _placed(self, end: SpanEnd) -> SpanEnd:
        frames = self._framed.get(EVALUATION)
        began_s, ended_s = frames[-1] if frames else (self._open.get(EVALUATION), None)
        if end.kind != EVALUATION or end.void or not end.duration_s or began_s is None:
            return end
        self._told_s += end.duration_s
        return replace(end, at_s=began_s + self._told_s if ended_s is None else ended_s)

    def before(self, found: Sequence[Event]) -> list[Event]:
        """What was framed before the iteration in `found`, if its time is as long."""
        row = next((event for event in found if isinstance(event, Iteration)), None)
        if row is None or not (self._open or self._framed):
            return []
        gap_s = (row.duration_s or 0.0) * row.averaged_over
        spent_s = sum(end_s - began_s for frames in self._framed.values() for began_s, end_s in frames)
        self._rows += 1
        if gap_s + WHOLE_S < spent_s and self._rows < _ROWS:
            return []
        events = self._events(row.index) if spent_s <= gap_s + WHOLE_S else []
        self._open, self._framed, self._told_s, self._rows = {}, {}, 0.0, 0
        return events

    def _events(self, index: int) -> list[Event]:
        known = {EVALUATION: MORE * self._told_s}
        return [
            SpanEnd(kind, end_s, index, _lasted_s(began_s, end_s), told=True)
            for kind, frames in self._framed.items()
            for began_s, end_s in frames
            if sum(end - begin for begin, end in frames) > known.get(kind, 0.0)
        ]


def _lasted_s(began_s: float, ended_s: float) -> float | None:
    """Seconds between two stamps; `None`: they are too coarse for so few."""
    known = ended_s - began_s >= SHORT_S or began_s % 1 or ended_s % 1
    return ended_s - began_s if known else None
