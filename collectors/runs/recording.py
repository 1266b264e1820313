"""A recording as a source: JSON Lines in a file, read to its end or followed while its trainer lives."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ... import run_files
from ...events import (
    MAX_LINE_BYTES,
    BadEventError,
    Batch,
    End,
    EndOfFile,
    EndReason,
    Event,
    Iteration,
    SourceState,
    UnknownEventError,
    decode,
)
from ...opening import reading
from ..clean import clean
from ..files.patient import PatientTail
from ..files.watch import POLL_S, Watch
from ..logs.text import LogText
from ..source import Source
from .event_reader import EventReader
from .printed_lines import NO_LINES, RunReader

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

_LOST = End(reason=EndReason.LOST, detail="its trainer is gone without a word")

PREVIEW_BYTES = 1 << 17
"""Of each end of a long recording: about a thousand iterations, more than a screen shows one by one."""


class RecordingSource(Source):
    """The recording at `path`; with `follow`, what its trainer still writes too.

    Between two looks at the file it waits for `poll_s` at most; with 0 not at all: its caller comes back.
    """

    def __init__(self, path: Path, *, follow: bool = False, poll_s: float = POLL_S) -> None:
        self.path = path
        self.title = clean(str(path))
        self.text: LogText = LogText(why_none=NO_LINES)
        self._follow = follow
        self._poll_s = poll_s
        self.never_waits = not poll_s

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """A preview of a long recording, its history, and what is new while its trainer lives."""
        tail, reader = PatientTail(self.path, patient=self._follow), RunReader(self.text)
        try:
            if events := preview(self.path):
                yield Batch(events, state=SourceState.READING, preview=True, history=0.0)
            ended = False
            while not stop.is_set() and ((data := tail.read()) or not tail.caught_up):
                events = reader.feed(data)
                ended = _ends(events, otherwise=ended)
                yield Batch(events, state=SourceState.READING, history=tail.line_offset / max(tail.size, 1))
            if self._follow and not ended:
                yield from self._live(tail, reader, stop)
            else:
                yield Batch([] if ended else self._gone(), state=SourceState.ENDED, note=reader.note)
        except OSError as error:
            yield Batch(state=SourceState.FAILED, note=f"{self.title}: {error.strerror or error}")
        finally:
            tail.close()

    def _gone(self) -> list[Event]:
        """Of one without an end: its trainer is gone. Of a copy nobody knows: it may be of a moment."""
        kept_here = self.path.absolute().parent == run_files.runs_dir()
        return [_LOST] if kept_here and not run_files.is_live(self.path) else [EndOfFile()]

    def _live(self, tail: PatientTail, reader: EventReader, stop: threading.Event) -> Iterator[Batch]:
        watch = Watch(self.path)
        try:
            while not stop.is_set():
                lives = run_files.is_live(self.path)  # asked first: then what it wrote last is read
                events = reader.feed(tail.read())
                if _ends(events) or (not lives and tail.is_open and not events):
                    last = [] if _ends(events) else [_LOST]
                    yield Batch([*events, *last], state=SourceState.ENDED, note=reader.note)
                    return
                trouble = f"{self.title}: {tail.trouble}: waiting until it can be read" if tail.trouble else ""
                state = SourceState.LIVE if tail.is_open else SourceState.WAITING
                yield Batch(events, state=state, note=trouble or reader.note)
                if not events and self._poll_s:
                    watch.wait(self._poll_s)
        finally:
            watch.close()


def preview(path: Path, *, ours: bool = False) -> list[Event]:
    """The head and the newest events of a long recording; empty if it is short, or not there.

    With `ours`, one that nobody has named, in the folder of runs: see `opening`.
    """
    try:
        with reading(path, ours=ours) as file:
            size = os.fstat(file.fileno()).st_size
            if size <= 2 * PREVIEW_BYTES:
                return []
            head = EventReader().feed(file.read(PREVIEW_BYTES))
            file.seek(size - PREVIEW_BYTES)
            newest = EventReader().feed(file.read(PREVIEW_BYTES).partition(b"\n")[2])
    except OSError:
        return []
    return [event for event in head if type(event) is not Iteration] + newest


def is_recording(path: Path) -> bool:
    """Does the file begin with an event, if only of a newer version? A sample may come before the run's own."""
    try:
        with reading(path) as file:
            decode(file.readline(MAX_LINE_BYTES))
    except UnknownEventError:
        return True
    except (OSError, BadEventError):
        return False
    return True


def _ends(events: list[Event], *, otherwise: bool = False) -> bool:
    """Did the run end with these events?"""
    return type(events[-1]) is End if events else otherwise
