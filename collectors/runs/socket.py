"""A living trainer as a source: its socket, attached to. Nothing is ever sent; what comes is not trusted."""

from __future__ import annotations

import os
import select
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ... import run_files
from ...events import Batch, End, EndReason, Event, Message, RunInfo, SourceState
from ...opening import reading
from ..clean import clean
from ..logs.text import LogText
from ..source import Source
from .connecting import connect
from .printed_lines import NO_LINES, RunReader
from .recording import preview

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

_CHUNK_BYTES = 1 << 18
_POLL_S = 0.2
_SILENT_S = 2.0
_PATIENCE_S = 30.0  # a trainer that holds Python's lock in one long call says its first word after it
_MOST_BEFORE_HELLO = 1 << 16
_SILENT = "connected, and waiting for the trainer's first word"
_NO_WORD = (
    f"connected, but not a word within {_PATIENCE_S:.0f} s: its trainer is stopped (Ctrl-Z) or busy in one long"
    " call, or this is another program's socket"
)


class NoTrainerError(OSError):
    """What was connected to is no trainer of ours; the message says why."""


class SocketSource(Source):
    """The trainer behind the socket at `path`: its run so far, then live, until it ends or is lost."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.title = clean(path.name.removesuffix(run_files.SOCKET))
        self.recording = run_files.runs_dir() / (path.name.removesuffix(run_files.SOCKET) + run_files.RECORDING)
        self.text: LogText = LogText(why_none=NO_LINES)
        self._greeted = False
        self._received = 0
        self._witness = b""

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """A preview from the recording, the history, and what is new as it comes."""
        try:
            with connect(self.path) as connection:
                if events := preview(self.recording, ours=True):
                    yield Batch(events, state=SourceState.READING, preview=True, history=0.0)
                yield from self._read(connection, stop)
        except OSError as error:
            yield Batch(state=SourceState.FAILED, note=f"{clean(str(self.path))}: {_reason(error)}")

    def _read(self, connection: socket.socket, stop: threading.Event) -> Iterator[Batch]:
        reader = RunReader(self.text)
        history = self._size_of_history()
        ended = quiet = False
        silent_s = 0.0
        while not stop.is_set():
            if not select.select([connection], [], [], _POLL_S)[0]:
                silent_s += _POLL_S
                if not self._greeted and silent_s >= _PATIENCE_S:
                    raise NoTrainerError(_NO_WORD)
                if not quiet and self._greeted:
                    yield Batch(state=SourceState.LIVE, note=reader.note)
                elif not quiet and silent_s >= _SILENT_S:
                    yield Batch(state=SourceState.WAITING, note=f"{self.title}: {_SILENT}")
                quiet, history = quiet or self._greeted or silent_s >= _SILENT_S, 0
                continue
            quiet = False
            data = _receive(connection)
            self._received += len(data)
            self._witness = (self._witness + data)[-64:]
            events = reader.feed(data or self._missed())
            self._greet(events, at_end=not data)
            ended = ended or any(type(event) is End for event in events)
            if not data:
                yield self._goodbye(events, reader, ended=ended)
                return
            if self._received < history:
                yield Batch(events, state=SourceState.READING, history=self._received / history)
            else:
                yield Batch(events, state=SourceState.LIVE, note=reader.note)

    def _greet(self, events: list[Event], *, at_end: bool) -> None:
        """A trainer begins with what run it is. Raises `NoTrainerError` if it begins with anything else."""
        if self._greeted or not (events or at_end or self._received > _MOST_BEFORE_HELLO):
            return
        if not events or type(events[0]) is not RunInfo:
            answer = ": " + events[0].text if events and type(events[0]) is Message else ""
            raise NoTrainerError(f"no trainer of itermon answers here{answer}")
        self._greeted = True

    def _goodbye(self, events: list[Event], reader: RunReader, *, ended: bool) -> Batch:
        if not ended:
            detail = "the connection ended without a good-bye: the trainer was killed, or crashed"
            events = [*events, End(reason=EndReason.LOST, at_s=round(time.time(), 3), detail=detail)]
        return Batch(events, state=SourceState.ENDED, note=reader.note)

    def _size_of_history(self) -> int:
        try:
            with reading(self.recording, ours=True) as file:
                return os.fstat(file.fileno()).st_size
        except OSError:
            return 0

    def _missed(self) -> bytes:
        """What the trainer recorded but could not send before it ended, if its recording goes on from here."""
        try:
            with reading(self.recording, ours=True) as file:
                file.seek(max(0, self._received - len(self._witness)))
                if file.read(len(self._witness)) != self._witness:
                    return b""
                return file.read()
        except OSError:
            return b""


def _receive(connection: socket.socket) -> bytes:
    try:
        return connection.recv(_CHUNK_BYTES)
    except ConnectionResetError:  # killed with bytes of ours unread: there are none, but the kernel may say so
        return b""


def _reason(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "its trainer is gone. `itermon attach` lists what there is; `itermon replay` plays its recording"
    if isinstance(error, FileNotFoundError):
        return "no such socket. `itermon attach` lists the running trainers"
    if isinstance(error, NoTrainerError):
        return str(error)
    return error.strerror or str(error)
