"""Where runs are kept on this machine: the agreement between a trainer that serves and a viewer that looks.

A run has one id, NAME.YYYYMMDD-HHMMSS.PID, and up to two files: `ID.jsonl`, its recording, and `ID.sock`,
its socket while it lives. So a listing pairs them without asking anybody, and two trainers of one name never meet.
Imports the standard library alone: it is loaded in somebody's training job.
"""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import re
import socket
import struct
import time
from pathlib import Path
from typing import TYPE_CHECKING

from . import opening, private

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORDING = ".jsonl"
SOCKET = ".sock"
LOG = ".log"
EXIT = ".exit"
"""How a training that `itermon run` started has ended: JSON with its `exit_code`, and when (`at_s`)."""
OUTPUT = "ITERMON_OUTPUT"
"""The environment variable with the run id of the log that `itermon run` keeps, for the trainers below it."""

_MOST_NAME = 40
_MOST_ADDRESS = 107  # bytes of a Unix socket's address on Linux (sun_path less its closing zero)


def runs_dir() -> Path:
    """The recordings: `$ITERMON_RUNS_DIR`, or `itermon/runs` in `$XDG_STATE_HOME` (`~/.local/state`).

    A user without a home, or with one that somebody else owns, has them with the sockets. A folder that is named
    and turns out to be somebody else's, or everybody's, is shared: this user's is `itermon-UID/runs` below it.
    """
    if named := _named("ITERMON_RUNS_DIR"):
        shared = os.path.lexists(named) and not private.is_ours(named)
        return named / private.own_name() / "runs" if shared else named
    state = os.environ.get("XDG_STATE_HOME", "")
    home = os.path.expanduser("~")  # noqa: PTH111 - where Path.expanduser raises: a container's user has no home
    if not state.startswith("/"):
        state = home + "/.local/state"
    runs = Path(state) / "itermon" / "runs"
    return runs if state.startswith("/") and private.may_be_made(runs) else sockets_dir() / "runs"


def logs_dir() -> Path:
    """The output of trainings that `itermon run` started: `logs`, in the folder of `runs`."""
    return runs_dir().parent / "logs"


def cache_dir() -> Path | None:
    """What can be worked out again: `itermon` in `$XDG_CACHE_HOME` (`~/.cache`); `None` where that is not ours."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if not cache.startswith("/"):
        cache = os.path.expanduser("~/.cache")  # noqa: PTH111 - where Path.expanduser raises
    folder = Path(cache) / "itermon"
    return folder if cache.startswith("/") and private.may_be_made(folder) else None


def sockets_dir() -> Path:
    """The sockets: `$ITERMON_SOCKETS_DIR` (in one that others may enter, `itermon-UID`), or `/tmp/itermon-UID`.

    Not `$XDG_RUNTIME_DIR`: it is removed when its user logs out, and a training in tmux lives on; nor is it set in
    batch jobs. tmux keeps its own sockets in /tmp/tmux-UID for the same reasons.
    """
    if named := _named("ITERMON_SOCKETS_DIR"):
        shared = os.path.lexists(named) and not private.is_ours(named, alone=True)
        return named / private.own_name() if shared else named
    return Path("/tmp") / private.own_name()  # noqa: S108 - whose it is is looked at before it is used


def _named(variable: str) -> Path | None:
    folder = os.environ.get(variable)
    return Path(os.path.abspath(folder)) if folder else None  # noqa: PTH100 - resolve() would follow links


def run_id(name: str, pid: int, started_at_s: float) -> str:
    """What a run's files are called: its name, when it began (local time) and its process."""
    return f"{slug(name)}.{time.strftime('%Y%m%d-%H%M%S', time.localtime(started_at_s))}.{pid}"


def slug(name: str) -> str:
    """The name as it stands in a run id: what is no letter, digit, `_` or `-` becomes `-`."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:_MOST_NAME] or "run"


def parse_run_id(text: str) -> tuple[str, int] | None:
    """The name and the PID in a run id, or `None` if it is none of ours."""
    match = re.fullmatch(r"([A-Za-z0-9_-]+)\.\d{8}-\d{6}\.(\d{1,10})", text)
    return (match[1], int(match[2])) if match else None


def started_s(run_id: str) -> float:
    """When the run with this id began (Unix time); nan where a file is called 99999999-999999."""
    try:
        return time.mktime(time.strptime(run_id.split(".")[-2], "%Y%m%d-%H%M%S"))
    except (ValueError, OverflowError):
        return math.nan


def is_live(recording: Path) -> bool:
    """Does the trainer that writes `recording` live? Its lock shows it: the kernel ends it with the process.

    A file system may have no locks (Lustre, unless it is mounted so). There its process is looked for, if it is
    one of this machine.
    """
    try:
        fd = opening.open_file(recording)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        parsed = parse_run_id(recording.stem)
        return parsed is not None and _is_process(parsed[1])
    finally:
        os.close(fd)
    return False


def _is_process(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def peer_uid(connection: socket.socket) -> int:
    """The user at the other end of a Unix socket, as the kernel knows it: SO_PEERCRED, on macOS LOCAL_PEERCRED."""
    if hasattr(socket, "SO_PEERCRED"):
        ucred = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)  # pid, uid, gid
        return int(struct.unpack("3i", ucred)[1])
    xucred = connection.getsockopt(0, 1, 76)  # SOL_LOCAL, LOCAL_PEERCRED (sys/un.h): version, uid, groups
    return int(struct.unpack_from("2I", xucred)[1])


@contextlib.contextmanager
def address(path: Path) -> Iterator[str]:
    """An address to bind or connect a socket at `path`, however long the path is: through /proc where it must."""
    if len(os.fsencode(path)) <= _MOST_ADDRESS:
        yield str(path)
        return
    folder = opening.open_folder(path.parent)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
