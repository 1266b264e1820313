"""Standard input as a source: a text log of any known format, or events as JSON Lines; the content decides."""

from __future__ import annotations

import os
import select
import time
from typing import TYPE_CHECKING

from ...events import Batch, ClockKind, EndOfFile, SourceState
from ..files.tail import CHUNK_BYTES, LineBuffer
from ..source import Source
from .doubt import NO_FORMAT
from .reader import LogReader
from .text import LogText

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator, Sequence

    from ...events import Event
    from ..log_formats.base import LogFormat

WAKE_S = 0.25
"""How late a request to stop can be heard while nothing comes in."""


class Arrivals:
    """Does a writer make us wait, as a training does? One that hands on a file (`cat train.log`) never does.

    Its lines come as fast as they are read, and when they come says nothing of when they were written. Nor does it
    of the first ones, which were there before we were.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._begun_s: float | None = None
        self._waits_since_s = self._waited_s = 0.0

    def waits(self) -> None:
        """All that came is dealt with."""
        self._waits_since_s = self._clock()

    def is_live(self) -> bool:
        """More came. Was at least half of the time since the first lines spent waiting?"""
        now_s = self._clock()
        if self._begun_s is None:
            self._begun_s = now_s
            return False
        self._waited_s += now_s - self._waits_since_s
        return self._waited_s >= (now_s - self._begun_s) / 2


class StreamSource(Source):
    """What comes in on file descriptor `fd`, to its end. Whoever writes never waits for more than a full pipe.

    `read` is what reads it, where somebody else is to see the bytes too.
    """

    def __init__(
        self,
        fd: int,
        *,
        title: str = "standard input",
        formats: Sequence[LogFormat] | None = None,
        read: Callable[[int, int], bytes] = os.read,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        wake_s: float = WAKE_S,
    ) -> None:
        self.title = title
        self.text: LogText = LogText()
        """The newest lines."""

        self._fd = fd
        self._formats = formats
        self._read = read
        self._clock = clock
        self._arrivals = Arrivals(monotonic)
        self._wake_s = wake_s

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """Live batches from the beginning on, each event with the time it came if we wait for it, to the end."""
        buffer = LineBuffer()
        reader = LogReader(name=self.title, clock=ClockKind.ARRIVAL, formats=self._formats, index=self.text.index)
        yield Batch(state=SourceState.WAITING, note=f"{self.title}: nothing came yet")
        self._arrivals.waits()
        while not stop.is_set():
            try:
                if not select.select([self._fd], [], [], self._wake_s)[0]:
                    continue
                data = self._read(self._fd, CHUNK_BYTES)
            except OSError as error:
                yield Batch(state=SourceState.FAILED, note=f"{self.title}: {error.strerror}")
                return
            lines = buffer.add(data) if data else buffer.rest(over=True)
            came_s = self._clock() if self._arrivals.is_live() else None
            events = reader.feed(lines, came_s) if data else reader.end(lines)
            self.text.read(lines, None)
            yield self._batch(reader, events, ended=not data)
            if not data:
                return
            self._arrivals.waits()

    def _batch(self, reader: LogReader, events: list[Event], *, ended: bool) -> Batch:
        if ended:
            lines, newest = max(reader.lines, self.text.lines), self.text.index.newest
            line, row = self.text.index.row or (None, "")
            end = EndOfFile(tail=self.text.last_lines(), lines=lines, newest=newest, row=row, row_line=line)
            events = [*events, end]
        anew, reader.anew = reader.anew, False
        if reader.format:
            return Batch(events, state=SourceState.ENDED if ended else SourceState.LIVE, restart=anew)
        what = reader.doubt.reason or (NO_FORMAT if reader.recognition.lines else "empty")
        step = "" if what == "empty" else reader.doubt.next_step
        note = f"{self.title}: {what}" + ("" if ended else " so far: waiting") + step
        return Batch(events, state=SourceState.ENDED if ended else SourceState.WAITING, note=note)
