"""Starting a training that goes on when its viewer leaves, and the source that shows it."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from msgspec.structs import replace

from .. import private, run_files
from ..collectors.logs.log_source import LogSource
from ..collectors.logs.text import LogText
from ..collectors.runs.hooks_with_log import HooksWithLogSource
from ..collectors.runs.listing import known_runs
from ..collectors.runs.recording import RecordingSource
from ..collectors.runs.socket import SocketSource
from ..collectors.source import Feed, Source
from ..events import Batch, SourceState
from ..trainer_hooks.startup import startup_folder

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence


_LOOK_S = 0.2
_MOST_LOOKS = 10
_LEAVE_S = 2.0  # a source hears that it is to stop within half a second


class LaunchError(OSError):
    """The training could not be started; the message says why."""


class Launched:
    """A training under its supervisor: its process, its log, and how it ends."""

    def __init__(self, supervisor: subprocess.Popen[bytes], pid: int, log: Path) -> None:
        self._supervisor = supervisor
        self.pid = pid
        self.log = log
        self.name = (run_files.parse_run_id(log.stem) or (log.stem, pid))[0]

    def exit_code(self) -> int | None:
        """Of the training; `None` while it goes on."""
        return self._supervisor.poll()

    def wait(self) -> int:
        """Until the training has ended: its exit code."""
        return self._supervisor.wait()


def launch(name: str, command: Sequence[str], *, hooks: bool) -> Launched:
    """Start `command` under a supervisor. Raises `LaunchError`."""
    try:
        private.make_folder(run_files.logs_dir())  # looked at before a training starts that nobody could keep
    except OSError as error:
        raise LaunchError(
            f"{error.filename}: {error.strerror}. ITERMON_RUNS_DIR says where else runs are kept"
        ) from None
    hooked = _hooked(name) if hooks else {}
    supervisor = subprocess.Popen(  # noqa: S603 - what the user asked for
        [sys.executable, "-m", "itermon.launch.supervisor", name, *command],
        env={**os.environ, "PYTHONUNBUFFERED": "1", **hooked},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert supervisor.stdout is not None  # noqa: S101 - a pipe was asked for
    try:
        started = json.loads(supervisor.stdout.readline())
    except ValueError:
        raise LaunchError(f"{command[0]}: its supervisor ended with exit code {supervisor.wait()}") from None
    return Launched(supervisor, started["pid"], Path(started["log"]))


def _hooked(name: str) -> dict[str, str]:
    """The environment that switches the hooks on in every Python below, without changing a line of the script."""
    import msgspec  # noqa: PLC0415 - only where it lies matters

    paths = [str(startup_folder()), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        "ITERMON_MSGSPEC": str(Path(msgspec.__file__).parent),
        "ITERMON_NAME": name,
    }


class LaunchedSource(Source):
    """What is known of a training that was started with hooks: its socket; until it has one, its log."""

    def __init__(self, launched: Launched) -> None:
        self.title = launched.log.stem
        self.text: LogText = LogText()
        self._launched = launched
        self._strangers: set[Path] = set()
        self._looks_without_lowest = 0

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """Read what it prints until a trainer begins, then follow that, and all anew."""
        launched = self._launched
        note = f"started (pid {launched.pid}): its hooks report from the first step on. Output: {launched.log}"
        yield Batch(state=SourceState.WAITING, note=note)
        printed, reading = Feed(), None
        try:
            while (source := self._found()) is None:
                if stop.is_set():
                    return
                reading = reading or printed.add(LogSource(launched.log, text=self.text))
                for batch in printed.wait(_LOOK_S):
                    yield replace(batch, note=note) if batch.state == SourceState.WAITING else batch
        finally:
            printed.stop()
        if reading is not None:
            reading.join(_LEAVE_S)  # its text is read anew
            yield Batch(state=SourceState.READING, restart=True)
        yield from source.batches(stop)

    def _found(self) -> Source | None:
        """Its trainer, or what is left of it; `None` while nobody knows whether there will be one."""
        ended = self._launched.exit_code() is not None  # asked first: then it has no more sockets
        path = self._socket()
        if path is not None and _rank(path):  # the lowest may be a moment behind
            self._looks_without_lowest += 1
        if path is not None and (not _rank(path) or self._looks_without_lowest > _MOST_LOOKS):
            return self._with_output(SocketSource(path), follow=True)
        return self._afterwards() if ended else None

    def _socket(self) -> Path | None:
        """Of the trainer below the process that was started; of several ranks, the lowest that there is."""
        try:
            paths = {*private.files_in(run_files.sockets_dir(), run_files.SOCKET, stat.S_ISSOCK)} - self._strangers
        except OSError:  # a stranger's folder: the trainer cannot serve there either
            return None
        below = {path for path in paths if self._is_below(path)}
        self._strangers |= paths - below
        return min(below, key=_rank, default=None)

    def _afterwards(self) -> Source:
        """Its recording; its output, if it ended without a step that hooks could see."""
        log = self._launched.log
        ranks = [run for run in known_runs(recent=10_000) if run.recording and run.started_as == log.stem]
        lowest = min(ranks, key=lambda run: run.rank or 0, default=None)
        if lowest is None or lowest.recording is None:
            return LogSource(log, follow=False, text=self.text)
        return self._with_output(RecordingSource(Path(lowest.recording)), follow=False)

    def _with_output(self, hooks: Source, *, follow: bool) -> Source:
        return HooksWithLogSource(
            hooks, LogSource(self._launched.log, follow=follow, secondary=True, text=self.text)
        )

    def _is_below(self, path: Path) -> bool:
        """Does the process that serves at `path` descend from the one that was started?"""
        parsed = run_files.parse_run_id(path.name.removesuffix(run_files.SOCKET))
        try:
            process = psutil.Process(parsed[1]) if parsed else None
            return process is not None and self._launched.pid in (process.pid, *(p.pid for p in process.parents()))
        except psutil.Error:
            return False


def _rank(path: Path) -> int:
    found = re.search(r"-rank(\d+)\.", path.name)
    return int(found[1]) if found else 0
