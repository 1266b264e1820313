"""A run of another machine as a source: `itermon stream` there, over the user's own ssh."""

from __future__ import annotations

import os
import select
import shlex
import subprocess
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

from ...events import Batch, End, EndReason, RunInfo, SourceState
from ..clean import clean
from ..source import Source
from .printed_lines import RunReader

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence

_CHUNK_BYTES = 1 << 18
_POLL_S = 0.2
_GOODBYE_S = 2.0


class SshSource(Source):
    """The run `run` of `host`. Nothing is asked: a password prompt would stand in the middle of the screen.

    `command` is what runs the other side; it is given by tests.
    """

    def __init__(self, host: str, run: str, *, command: Sequence[str] = ()) -> None:
        self.title = clean(f"{host}: {run}")
        self._command = command or (
            "ssh",
            "-T",
            "-o",
            "BatchMode=yes",
            "--",
            host,
            f"itermon stream {shlex.quote(run)}",
        )

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """The events as they come, until the other side or the connection ends."""
        with TemporaryFile() as errors:  # a pipe that nobody reads would stop a talkative ssh
            try:
                child = subprocess.Popen(  # noqa: S603 - no shell, and a host that is no option
                    self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
                )
            except OSError as error:
                yield Batch(state=SourceState.FAILED, note=f"{self._command[0]}: {error.strerror}")
                return
            try:
                yield from self._read(child, stop, errors)
            finally:
                child.kill()
                child.communicate()

    def _read(self, child: subprocess.Popen[bytes], stop: threading.Event, errors: IO[bytes]) -> Iterator[Batch]:
        assert child.stdout is not None  # noqa: S101 - a pipe was asked for
        reader = RunReader()
        ended = greeted = quiet = False
        while not stop.is_set():
            if not select.select([child.stdout], [], [], _POLL_S)[0]:
                if not quiet:
                    yield Batch(state=SourceState.LIVE if greeted else SourceState.WAITING, note=reader.note)
                quiet = True
                continue
            data = os.read(child.stdout.fileno(), _CHUNK_BYTES)
            events = reader.feed(data)
            greeted = greeted or any(type(event) is RunInfo for event in events)
            ended = ended or any(type(event) is End for event in events)
            if not data:
                yield self._goodbye(child, errors, ended=ended, greeted=greeted)
                return
            yield Batch(events, state=SourceState.LIVE if quiet else SourceState.READING, note=reader.note)
            quiet = False

    def _goodbye(self, child: subprocess.Popen[bytes], errors: IO[bytes], *, ended: bool, greeted: bool) -> Batch:
        if ended:
            return Batch(state=SourceState.ENDED)
        with suppress(subprocess.TimeoutExpired):  # it has closed its output: what it waits for is not our affair
            child.wait(_GOODBYE_S)
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - _CHUNK_BYTES))
        last_line = clean(errors.read().decode(errors="replace").strip().rpartition("\n")[2])
        note = f"{self.title}: {last_line or f'exit code {child.returncode}'}"
        if not greeted:
            return Batch(state=SourceState.FAILED, note=note)
        return Batch(
            [End(reason=EndReason.LOST, detail=note)],
            state=SourceState.FAILED,
            note=f"{note}; the run may go on: attach again",
        )
