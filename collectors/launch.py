"""Starting a training that outlives whoever watches it, and the source that shows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from .. import places
from ..events import WAITING, Batch
from .log import LogSource
from .log_text import LogText
from .printed import WithOutput
from .recording import RecordingSource
from .runs import known_runs
from .socket import SocketSource

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence

    from .source import Source

_LOOK_S = 0.2


class LaunchError(OSError):
    """The training could not be started; the message says why."""


class Launched:
    """A training under its keeper: its process, its log, and how it ends."""

    def __init__(self, keeper: subprocess.Popen[bytes], pid: int, log: Path) -> None:
        self._keeper = keeper
        self.pid = pid
        self.log = log
        self.name = (places.parse_stem(log.stem) or (log.stem, pid))[0]
        self.started_at_s = time.time()

    def exit_code(self) -> int | None:
        """Of the training; `None` while it goes on."""
        return self._keeper.poll()

    def wait(self) -> int:
        """Until the training has ended: its exit code."""
        return self._keeper.wait()


def launch(name: str, command: Sequence[str], *, hooks: bool) -> Launched:
    """Start `command` under a keeper. Raises `LaunchError`."""
    keeper = subprocess.Popen(  # noqa: S603 - what the user asked for
        [sys.executable, "-m", "itermon.collectors.keeper", name, *command],
        env={**os.environ, "PYTHONUNBUFFERED": "1", **(_hooked(name) if hooks else {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert keeper.stdout is not None  # noqa: S101 - a pipe was asked for
    try:
        told = json.loads(keeper.stdout.readline())
    except ValueError:
        raise LaunchError(f"{command[0]}: its keeper ended with exit code {keeper.wait()}") from None
    return Launched(keeper, told["pid"], Path(told["log"]))


def _hooked(name: str) -> dict[str, str]:
    """The environment that switches the hooks on in every Python below, without changing a line of the script."""
    startup = Path(__file__).parents[1] / "trainer_hooks" / "startup"
    paths = [str(startup), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        "ITERMON_PATH": str(_path_with_us_alone()),
        "ITERMON_NAME": name,
    }


def _path_with_us_alone() -> Path:
    """A folder to import from with itermon and msgspec in it: for a trainer whose environment has neither."""
    import msgspec  # noqa: PLC0415 - only where it lies matters

    folder = places.logs_dir().parent / "path"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, target in (("itermon", Path(__file__).parents[1]), ("msgspec", Path(msgspec.__file__).parent)):
        link = folder / name
        if not link.is_symlink() or link.readlink() != target:
            link.unlink(missing_ok=True)
            link.symlink_to(target)
    return folder


class LaunchedSource:
    """What is known of a training that was started with hooks: its socket, or its log if it never has one."""

    def __init__(self, launched: Launched) -> None:
        self.title = launched.log.stem
        self.text = LogText()
        self._launched = launched

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """Wait for a trainer to begin, then follow it."""
        launched = self._launched
        note = f"started (pid {launched.pid}): hooks tell from its first step on. Output: {launched.log}"
        yield Batch(state=WAITING, note=note)
        while not stop.is_set():
            ended = self._launched.exit_code() is not None
            for path in places.sockets_dir().glob("*" + places.SOCKET) if places.sockets_dir().is_dir() else ():
                if self._is_below(path):
                    yield from self._with_output(SocketSource(path), follow=True).batches(stop)
                    return
            if ended:
                yield from self._afterwards().batches(stop)
                return
            stop.wait(_LOOK_S)

    def _afterwards(self) -> Source:
        """Its recording; its output, if it ended without a step that hooks could see."""
        for run in known_runs():
            mine = run.pid == self._launched.pid or run.name == self._launched.name  # or a rank below a launcher
            if run.recording and mine and (run.seen_at_s or 0.0) >= self._launched.started_at_s:
                return self._with_output(RecordingSource(Path(run.recording)), follow=False)
        return LogSource(self._launched.log, follow=False, text=self.text)

    def _with_output(self, hooks: Source, *, follow: bool) -> Source:
        return WithOutput(hooks, LogSource(self._launched.log, follow=follow, beside=True, text=self.text))

    def _is_below(self, path: Path) -> bool:
        """Does the process that serves at `path` descend from the one that was started?"""
        parsed = places.parse_stem(path.name.removesuffix(places.SOCKET))
        try:
            process = psutil.Process(parsed[1]) if parsed else None
            return process is not None and self._launched.pid in (process.pid, *(p.pid for p in process.parents()))
        except psutil.Error:
            return False
