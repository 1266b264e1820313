"""A log file as a source: its newest screenful at once, then its history, then every line as it is written."""

from __future__ import annotations

import math
import os
import time
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from ...events import (
    Batch,
    ClockKind,
    EndOfFile,
    Iteration,
    Iterations,
    Message,
    Severity,
    SourceState,
    SpanBegin,
    SpanEnd,
)
from ...opening import reading
from ..clean import clean
from ..files.decoding import HEAD_BYTES, decoder_for
from ..files.patient import PatientTail
from ..files.watch import POLL_S, Watch
from ..log_formats.parsing.stamps import dates_in
from ..source import Source
from .doubt import NO_FORMAT
from .reader import LogReader
from .samples import sample
from .text import LogText

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from ...events import Event
    from ..log_formats.base import LogFormat
    from ..log_formats.recognition import Recogniser
    from .line_index import LineIndex

PREVIEW_BYTES = 1 << 17
"""Of each end of a long file: about 2,500 iterations, more than a screen shows one by one."""

ABANDONED_S = 20.0
"""A log without a writer is not over before: a trainer that was started again is seen by its lines alone."""

UNFINISHED_S = 60.0
"""A line that was not finished for so long will not be: writers flush whole lines, or whole buffers soon after."""

SILENT_S = 600.0
"""After so long nothing waits for the next line: a row that is held back is the newest that there is."""

_FIRST_LINES, _LAST_LINES = 50, 10
"""Where rows have no stamps, a log's head may say when it began, and what was found near its end when that was."""


class LogSource(Source):
    """The log at `path`. With `follow`, a file that is not there yet is waited for, and its end is not the end.

    `secondary` says that it is another file of a run than its log, see `LogReader`. Where somebody knows it,
    `writer_lives` says whether it is still written to: once it is not, its end is the end. `None`: its writer is
    gone, but another may go on. Between two looks at the file it waits for `poll_s` at most; with 0 not at all: it
    gives an empty batch, and its caller comes back.
    """

    def __init__(
        self,
        path: Path,
        *,
        follow: bool = True,
        formats: Sequence[LogFormat] | None = None,
        secondary: bool = False,
        text: LogText | None = None,
        writer_lives: Callable[[], bool | None] = lambda: True,
        clock: Callable[[], float] = time.time,
        poll_s: float = POLL_S,
    ) -> None:
        self.path = path
        self.title = clean(str(path))
        self.text: LogText = LogText() if text is None else text
        """The lines themselves."""

        self.text.path = path
        self._restarts = 0  # of the file, as far as `text` knows
        self._name = clean(path.name)
        self._follow = follow
        self._formats = formats
        self._secondary = secondary
        self._writer_lives = writer_lives
        self._clock = clock
        self._poll_s = poll_s
        self.shows_end_first = True  # of a long log, to who looks at a screen
        self.never_waits = not poll_s

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """A preview, the history, and then what is new, until `stop` is set; without `follow`, until the end."""
        tail = PatientTail(self.path, patient=self._follow)
        try:
            lines, recogniser, preview = self._preview()
            if preview:
                yield Batch(preview, state=SourceState.READING, preview=True, history=0.0)
            self.text.begin()
            self._restarts = 0
            reader = self._reader(lines, self.text.index, recogniser)
            yield from self._history(tail, reader, stop)
            if self._follow:
                yield from self._live(tail, reader, stop)
            else:
                yield self._ending(tail, reader)
        except OSError as error:
            yield Batch(state=SourceState.FAILED, note=f"{self.title}: {error.strerror or error}")
        finally:
            tail.close()

    def _reader(
        self,
        lines: Sequence[str] = (),
        index: LineIndex | None = None,
        recogniser: Recogniser | None = None,
    ) -> LogReader:
        return LogReader(
            lines,
            name=self._name,
            clock=ClockKind.ARRIVAL if self._follow else None,
            formats=self._formats,
            secondary=self._secondary,
            index=index,
            recogniser=recogniser,
        )

    def _preview(self) -> tuple[Sequence[str], Recogniser | None, list[Event]]:
        """Lines of both ends of a long file; what recognised its format by them; and the events of its end.

        Those are for who looks on: for a report nobody waits for a first screen.
        """
        try:
            with reading(self.path) as file:
                size = os.fstat(file.fileno()).st_size
                if size <= 2 * PREVIEW_BYTES:
                    return (), None, []
                if decoder_for(file.read(HEAD_BYTES), lambda _count, _offset: b""):
                    return (), None, []
                file.seek(0)
                head = file.read(PREVIEW_BYTES).rpartition(b"\n")[0] + b"\n"
                file.seek(size - PREVIEW_BYTES)
                end = file.read(PREVIEW_BYTES).partition(b"\n")[2].rpartition(b"\n")[0] + b"\n"
        except OSError:  # reported, and maybe only a moment's, when it is read for good
            return (), None, []
        lines = sample(head) + sample(end)
        reader = self._reader(lines)
        recogniser = reader.recogniser.copy()
        if not self.shows_end_first:
            return lines, recogniser, []
        header = [event for event in reader.feed(head) if not isinstance(event, Iteration | Iterations)]
        return lines, recogniser, header + reader.feed(end)

    def _history(self, tail: PatientTail, reader: LogReader, stop: threading.Event) -> Iterator[Batch]:
        while not stop.is_set() and ((data := tail.read()) or not tail.caught_up):
            if not self._follow and tail.caught_up:
                reader.looks_at_last(tail.unfinished())
            events = self._events(tail, reader, data)
            if self._follow and tail.caught_up:
                events += reader.release() if self._silent_s(tail) > SILENT_S else []
                _date(events, min(tail.written_at_s, self._clock()))
            yield _batch(reader, events, SourceState.READING, history=tail.progress)

    def _ending(self, tail: PatientTail, reader: LogReader) -> Batch:
        """The last batch of a file that nobody writes to: with a word on what could not be read of it."""
        cut = tail.is_cut and not self._follow
        events = reader.end(tail.rest(over=not self._follow))
        if tail.is_open:
            gone = self._follow and not self._writer_lives()
            events = [*events, replace(self._end_of_file(tail, reader, gone=gone), cut=cut)]
        problem = tail.problem_at_end
        if not problem:
            return _batch(reader, events, SourceState.ENDED, self._verdict(tail, reader))
        return _batch(reader, [*events, self._warning(problem)], SourceState.FAILED, f"{self.title}: {problem}")

    def _end_of_file(self, tail: PatientTail, reader: LogReader, *, gone: bool) -> EndOfFile:
        lines, newest = max(reader.lines, self.text.lines), self.text.index.newest  # a reader may have given up
        line, row = self.text.index.row or (None, "")
        end = EndOfFile(tail.written_at_s, self._clock(), self.text.last_lines(), gone, lines, newest)
        whole = (
            *self.text.lines_from(1, _FIRST_LINES),
            *self.text.lines_from(lines - _LAST_LINES + 1, _LAST_LINES),
        )
        dated_s, yearless = dates_in([*(one.text for one in whole), *end.tail, row])
        return replace(end, row=row, row_line=line, dated_s=dated_s, yearless=yearless)

    def _warning(self, problem: str, at_s: float | None = None) -> Message:
        return Message(clean(f"{self._name}: {problem}"), Severity.WARNING, at_s)

    def _live(self, tail: PatientTail, reader: LogReader, stop: threading.Event) -> Iterator[Batch]:
        """Batches of new lines; one without events where only the state or its note changes."""
        watch = Watch(self.path)
        reported: tuple[str, bool] | None = None
        missed = False  # has its writer gone, and nothing come since?
        heard_s = -math.inf  # when something came last: whoever wrote it may not have been seen yet
        begin = tail.offset  # of what was appended since it was last read to its end
        try:
            while not stop.is_set():
                lives = self._writer_lives()  # asked first: then what it wrote last is read
                data = tail.read()
                begin = tail.offset if tail.caught_up else min(begin, tail.offset)
                caught_up = None if tail.caught_up else (tail.offset - begin) / max(tail.size - begin, 1)
                events = self._new(tail, reader, data)
                note = self._verdict(tail, reader)
                if tail.problem and (reported is None or note != reported[0]):
                    events = [*events, self._warning(tail.problem, self._clock())]
                missed, heard_s = missed and not data, self._clock() if data else heard_s
                standing = (note, caught_up is None)
                if events or standing != reported:
                    reported = standing
                    is_live = reader.format and not tail.trouble
                    state = SourceState.LIVE if is_live else SourceState.WAITING
                    yield _batch(reader, events, state, note, caught_up)
                elif (
                    lives is None and not missed and tail.is_open and tail.caught_up
                    and self._clock() - heard_s >= ABANDONED_S
                ):  # fmt: skip
                    missed = True
                    yield Batch([self._end_of_file(tail, reader, gone=True)])
                elif lives is False:
                    yield self._ending(tail, reader)
                    return
                elif not data and tail.caught_up:
                    if self._poll_s:
                        watch.wait(self._poll_s)
                    else:
                        yield Batch()
        finally:
            watch.close()

    def _new(self, tail: PatientTail, reader: LogReader, data: bytes) -> list[Event]:
        """The events of `data`; without any, of a last line that nobody goes on with: a dead trainer's word."""
        if data:
            return self._events(tail, reader, data, self._clock() if tail.caught_up else None)
        silent_s = self._silent_s(tail)
        events = reader.feed(tail.rest(over=silent_s > SILENT_S)) if silent_s > UNFINISHED_S else []
        if silent_s > SILENT_S and (released := reader.release()):
            _date(released, tail.written_at_s)
            events += released
        return events

    def _silent_s(self, tail: PatientTail) -> float:
        return self._clock() - tail.written_at_s if tail.is_open else 0.0

    def _events(self, tail: PatientTail, reader: LogReader, data: bytes, at_s: float | None = None) -> list[Event]:
        """The events of `data`, which `tail` has just read."""
        if tail.restarts != self._restarts:
            self._restarts = tail.restarts
            self.text.replace_file()
            reader.replace_file()
        events = reader.feed(data, at_s)
        self.text.read(data, tail.line_offset if tail.is_plain else None)
        return events

    def _verdict(self, tail: PatientTail, reader: LogReader) -> str:
        """What is wrong with the log as it stands, and what helps; empty if nothing is."""
        if tail.trouble:
            return f"{self.title}: {tail.trouble}: waiting until it can be read"
        if not tail.is_open:
            return f"{self.title}: no such file" + (" yet: waiting for it" if self._follow else "")
        if tail.problem:
            return f"{self.title}: {tail.problem}"
        vain = not self._follow and reader.doubt.remains(reader.format)  # nothing proved it
        if reader.format is None or (vain and reader.doubt.reason):
            what = reader.doubt.reason or (NO_FORMAT if tail.offset else "empty")
            if tail.offset and tail.blank:
                what = "no text, only zeros" if tail.is_plain else "no text in it"
            step = reader.doubt.next_step if what in (NO_FORMAT, reader.doubt.reason) else ""
            return f"{self.title}: {what}" + (" so far: waiting" if self._follow else "") + step
        return ""


def _batch(
    reader: LogReader, events: Sequence[Event], state: SourceState, note: str = "", history: float | None = None
) -> Batch:
    """What `reader` gave; it says whether all before is void."""
    anew, reader.anew = reader.anew, False
    return Batch(events, state=state, note=note, history=history, restart=anew)


def _date(events: list[Event], written_at_s: float) -> None:
    """Give the newest of `events` the time at which its file was written, if it has none.

    A dead log must not look alive: where others have stamps of days before, the file was copied, and they tell.
    """
    stamped_s = max((at_s for event in events if (at_s := _moment_of(event)) is not None), default=written_at_s)
    at_s = stamped_s if written_at_s - stamped_s > COPIED_S else written_at_s
    for place in range(len(events) - 1, -1, -1):
        event = events[place]
        if isinstance(event, Iterations):
            events[place : place + 1] = [event[:-1], msgspec.structs.replace(event[-1], at_s=at_s)]
            return
        if isinstance(event, Iteration | SpanBegin | SpanEnd):
            if event.at_s is None:
                events[place] = msgspec.structs.replace(event, at_s=at_s)
            return


COPIED_S = 86_400.0
"""A file that is so much younger than its newest stamp was copied."""


def _moment_of(event: Event) -> float | None:
    newest = event[-1] if isinstance(event, Iterations) else event
    at_s: float | None = getattr(newest, "at_s", None)
    return at_s
