"""Starting a training that goes on when its viewer leaves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .. import opening, private, run_files
from ..trainer_hooks.startup import startup_folder

if TYPE_CHECKING:
    from collections.abc import Sequence


_LAST_BYTES = 4_096


class LaunchError(OSError):
    """The training could not be started; the message says why."""


class NoPlaceError(LaunchError):
    """Its output could not be kept, so it was not started."""


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

    def wait(self, timeout_s: float | None = None) -> int | None:
        """Until the training has ended, its exit code; `None` where it goes on after `timeout_s`."""
        try:
            return self._supervisor.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def last_line(self) -> str:
        """The last line of its output that says anything: of one that has failed, mostly why."""
        try:
            with opening.reading(self.log, ours=True) as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - _LAST_BYTES))
                lines = file.read(_LAST_BYTES).decode(errors="replace").split("\n")
        except OSError:
            return ""
        shown = (line.rstrip().rpartition("\r")[2].strip() for line in reversed(lines))
        return next(filter(None, shown), "")


def launch(name: str, command: Sequence[str], *, hooks: bool) -> Launched:
    """Start `command` under a supervisor. Raises `LaunchError`, a `NoPlaceError` where its output has no place."""
    try:
        private.make_folder(run_files.logs_dir())  # looked at before a training starts that nobody could keep
    except OSError as error:
        raise NoPlaceError(
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
