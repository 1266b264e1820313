"""A run of another machine as a source: `itermon stream` there, over the user's own ssh."""

from __future__ import annotations

import os
import re
import select
import shlex
import subprocess
import threading
import time
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

import msgspec

from ...events import Batch, End, EndOfFile, EndReason, RunInfo, SourceState
from ...run_files import parse_run_id
from ..clean import clean
from ..logs.text import LogText
from ..source import Source
from .listing import KnownRun
from .pace import Pace
from .printed_lines import NO_LINES, RunReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CHUNK_BYTES = 1 << 18
_POLL_S = 0.2
_GOODBYE_S = 2.0
_LIST_S = 20.0  # a connection through two hosts takes 5 s
_MOST_LISTED_BYTES = 1 << 20
"""A thousand runs of 600 bytes; whoever says more is cut off."""


# A name of ssh's own configuration or an address, with who logs in there, and the port. None begins as an option.
_HOST = re.compile(
    r"(?P<user>(?!-)[^@\s/:]+@)?(?:\[(?P<v6>[\w.:%-]+)\]|(?P<name>(?!-)[^@\s/:\[\]]+))(?::(?P<port>\d{1,5}))?"
)
NO_COMMAND = 127
"""The exit code of a shell that finds no such command; see `NOT_FOUND`."""

NOT_FOUND = (
    "no itermon on the PATH that ssh gives a command there; a link in ~/.local/bin or /usr/local/bin may do"
)


def is_host(text: str) -> bool:
    """Is it written as HOST, USER@HOST or USER@HOST:PORT?"""
    return _HOST.fullmatch(text) is not None


def on_host(host: str, remote: str) -> tuple[str, ...]:
    """What runs the command `remote` on `host`, see `is_host`."""
    found = _HOST.fullmatch(host)
    assert found, host  # noqa: S101 - asked for before
    name = (found["user"] or "") + (found["v6"] or found["name"])
    port = ("-p", found["port"]) if found["port"] else ()
    return ("ssh", "-T", "-o", "BatchMode=yes", *port, "--", name, remote)


def last_line(errors: IO[bytes]) -> str:
    """What ssh or the itermon there said last, which says why."""
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - _CHUNK_BYTES))
    last = clean(errors.read().decode(errors="replace").strip().rpartition("\n")[2])
    return last.removeprefix("Error: ")  # who shows it says that it is one


def runs_of(host: str, command: Sequence[str] = ()) -> list[KnownRun]:
    """The runs of this user on `host`: what `itermon attach --json` there lists.

    Raises `OSError`, whose words say why there is no list.
    """
    said, problem = _answer(command or on_host(host, "itermon attach --json"))
    try:
        runs = msgspec.json.decode(said, type=list[KnownRun])
    except msgspec.MsgspecError:
        raise OSError(f"{clean(host)}: {problem or 'its itermon lists no runs that this one can read'}") from None
    return [_cleaned(run) for run in runs if parse_run_id(run.run_id)]


def _answer(command: Sequence[str]) -> tuple[bytes, str]:
    """What the other side printed, and why that may not be all; it is not waited for for ever."""
    with TemporaryFile() as errors:
        child = subprocess.Popen(  # noqa: S603 - no shell, and a host that is no option
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
        )
        assert child.stdout is not None  # noqa: S101 - a pipe was asked for
        patience = threading.Timer(_LIST_S, child.kill)
        patience.start()
        try:
            said = child.stdout.read(_MOST_LISTED_BYTES)
        finally:
            patience.cancel()
            child.stdout.close()
            with suppress(subprocess.TimeoutExpired):  # it has closed its output, and its exit code says why
                child.wait(_GOODBYE_S)
            child.kill()
            code = child.wait()
        last = NOT_FOUND if code == NO_COMMAND else last_line(errors)
        return said, last or f"no list of runs came (exit code {code})"


def _cleaned(run: KnownRun) -> KnownRun:
    texts = {name: clean(value) for name in run.__struct_fields__ if isinstance(value := getattr(run, name), str)}
    return msgspec.structs.replace(run, **texts)


class SshSource(Source):
    """The run `run` of `host`. Nothing is asked: a password prompt would stand in the middle of the screen.

    `command` is what runs the other side; it is given by tests.
    """

    patience_s = 0.0
    """How long it is waited for without a word: of several machines none is left out because it is far."""

    def __init__(self, host: str, run: str, *, command: Sequence[str] = ()) -> None:
        self.title = clean(f"{host}: {run}")
        self.text: LogText = LogText(why_none=NO_LINES)
        self._command = command or on_host(host, f"itermon stream {shlex.quote(run)}")

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
        reader = RunReader(self.text)
        ended = greeted = quiet = False
        pace = Pace()
        patient_until_s = time.monotonic() + self.patience_s
        while not stop.is_set():
            if not select.select([child.stdout], [], [], _POLL_S)[0]:
                if not greeted and time.monotonic() < patient_until_s:
                    continue
                if not quiet:
                    yield Batch(state=SourceState.LIVE if greeted else SourceState.WAITING, note=reader.note)
                quiet = True
                continue
            data = os.read(child.stdout.fileno(), _CHUNK_BYTES)
            events = reader.feed(data)
            greeted = greeted or any(type(event) is RunInfo for event in events)
            ended = ended or any(type(event) in (End, EndOfFile) for event in events)
            if not data:
                yield self._goodbye(child, errors, ended=ended, greeted=greeted)
                return
            live = pace.is_live(events, time.monotonic(), waited=quiet)
            yield Batch(events, state=SourceState.LIVE if live else SourceState.READING, note=reader.note)
            quiet = False

    def _goodbye(self, child: subprocess.Popen[bytes], errors: IO[bytes], *, ended: bool, greeted: bool) -> Batch:
        if ended:
            return Batch(state=SourceState.ENDED)
        with suppress(subprocess.TimeoutExpired):  # it has closed its output: what it waits for is not our affair
            child.wait(_GOODBYE_S)
        said = last_line(errors) or f"exit code {child.returncode}"
        note = f"{self.title}: {NOT_FOUND if child.returncode == NO_COMMAND else said}"
        if not greeted:
            return Batch(state=SourceState.FAILED, note=note)
        return Batch(
            [End(reason=EndReason.LOST, detail=note)],
            state=SourceState.FAILED,
            note=f"{note}; the run may go on: attach again",
        )
