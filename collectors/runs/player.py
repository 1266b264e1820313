"""The events of a source that has ended (an old log, a recording), each at its time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec

from ...events import ClockKind, GpuSample, HostSample, Iteration, RunInfo, SourceState, expand

if TYPE_CHECKING:
    from ...events import Event
    from ..source import Source


class Player:
    """Plays `source` from its beginning.

    The time of an event is its own where the source has a clock. Where it has none, it is the sum of the
    iteration times up to it, counted from `start_s`; iterations are then given that time as theirs, and
    `RunInfo` says so (clock "sum"). Moments never run back.
    """

    def __init__(self, source: Source, *, start_s: float) -> None:
        self.note = ""
        """What is wrong with the source, as far as it was read."""

        self.failed = False
        """Is that why there is no more, or nothing at all?"""

        self._stop = threading.Event()
        self._batches = source.batches(self._stop)
        self._waiting: list[Event] = []  # read but not played, newest first
        self._chunk = (0.0, 0.0, 0)  # where it begins and ends in the source, 0..1, and how many events it has
        while not any(isinstance(event, Iteration) for event in self._waiting) and self._read():
            pass
        self.failed |= not any(isinstance(event, Iteration) for event in self._waiting)
        own = [event for event in self._waiting[::-1] if not isinstance(event, GpuSample | HostSample)]
        first_s = next((s for event in own if (s := _own_time_s(event)) is not None), None)
        self._has_clock = first_s is not None  # a recording of GPUs beside a log may have another one
        self.at_s: float = start_s if first_s is None else first_s
        """The time of the last event that was played."""

    @property
    def fraction(self) -> float:
        """How much has been played, 0..1; within a chunk, counted in events."""
        begin, end, events = self._chunk
        return end - (end - begin) * len(self._waiting) / max(events, 1)

    def close(self) -> None:
        """Let go of the source."""
        self._stop.set()
        for _ in self._batches:  # it ends by itself, and closes what it has open
            pass

    def next_s(self) -> float | None:
        """The time of the next event; `None` at the end."""
        while not self._waiting:
            if not self._read():
                return None
        return self._time_of(self._waiting[-1])

    def until(self, end_s: float, most: int) -> list[Event]:
        """The next events up to that time, at most so many."""
        events: list[Event] = []
        while len(events) < most and (next_s := self.next_s()) is not None and next_s <= end_s:
            events.append(self._play())
        return events

    def iteration(self) -> list[Event]:
        """The next events up to the end of an iteration."""
        events: list[Event] = []
        while self.next_s() is not None:
            events.append(self._play())
            if isinstance(events[-1], Iteration):
                break
        return events

    def to(self, fraction: float) -> list[Event]:
        """The next events, up to that part of the source, but at most a chunk; empty when it is reached."""
        if self.next_s() is None or self.fraction >= fraction:
            return []
        begin, end, events = self._chunk
        left = int(events * max(end - fraction, 0.0) / (end - begin or 1.0))
        return [self._play() for _ in range(max(len(self._waiting) - left, 1))]

    def _read(self) -> bool:
        batch = next(self._batches, None)
        if batch is None:
            return False
        self.note = batch.note or self.note
        self.failed |= batch.state == SourceState.FAILED
        if not batch.preview:
            begin = self._chunk[1]
            if batch.restart:  # what was read of another format, and not played yet
                self._waiting.clear()
            end = 1.0 if batch.state == SourceState.ENDED else batch.history or begin
            self._waiting = [*expand(batch.events)][::-1] + self._waiting
            self._chunk = (begin, end, len(self._waiting))
        return True

    def _play(self) -> Event:
        event = self._waiting.pop()
        self.at_s = self._time_of(event)
        if self._has_clock:
            return event
        if isinstance(event, RunInfo):
            return msgspec.structs.replace(event, clock=ClockKind.SUM)
        if isinstance(event, Iteration):
            return msgspec.structs.replace(event, at_s=self.at_s)
        return event

    def _time_of(self, event: Event) -> float:
        if self._has_clock:
            own_s = _own_time_s(event)
            return self.at_s if own_s is None else max(own_s, self.at_s)
        if isinstance(event, Iteration):
            return self.at_s + (event.duration_s or 0.0) * event.averaged_over
        return self.at_s


def _own_time_s(event: Event) -> float | None:
    """When the event says that it happened; `None` where it does not, or is of a kind without a time."""
    return event.at_s if hasattr(event, "at_s") else None
