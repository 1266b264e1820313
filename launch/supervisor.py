"""Keeps a training going: its pseudo-terminal, its output in a log, whether anybody watches or not.

Run as a process of its own (`python -m itermon.launch.supervisor NAME COMMAND...`) in a session of its own, so
that neither a closed terminal nor Ctrl-C in the viewer reaches the training. Writes one line of JSON to its
standard output, `{"pid": ..., "log": ...}`, and ends with the exit code of the training. Standard library alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import signal
import struct
import sys
import termios
import time
from typing import TYPE_CHECKING

from .. import opening, run_files

if TYPE_CHECKING:
    from pathlib import Path

_CHUNK_BYTES = 1 << 16
_COMPLAINED = ".complained"  # is there once a Python below has said that it cannot load the hooks
_SIZE = (50, 160)  # rows and columns that the training sees: progress bars fit, tables are not cut


def main() -> None:
    """Start the command, keep its output, end as it ends."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    name, *command = sys.argv[1:]
    started_at_s = time.time()
    pid, terminal = _start(command, name, started_at_s)
    path = run_files.logs_dir() / (run_files.run_id(name, pid, started_at_s) + run_files.LOG)
    try:
        log = _open(path)
    except OSError as error:  # the training, whose terminal we are, ends with us
        where = error.filename or path
        sys.exit(f"itermon: {where}: {error.strerror}. ITERMON_RUNS_DIR says where else runs are kept")
    print(json.dumps({"pid": pid, "log": str(path)}), flush=True)  # noqa: T201 - read by who started us
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # whoever reads what `itermon run` says need not wait for the training's end
        os.dup2(nowhere, stream)
    _keep(terminal, log)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    _note_exit(path.with_suffix(run_files.EXIT), code)
    with contextlib.suppress(OSError):
        path.with_suffix(_COMPLAINED).unlink()
    sys.exit(code if code >= 0 else 128 - code)  # killed by a signal: as a shell says it


def _start(command: list[str], name: str, started_at_s: float) -> tuple[int, int]:
    pid, terminal = pty.fork()
    if pid:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *_SIZE, 0, 0))
        return pid, terminal
    attributes = termios.tcgetattr(1)
    attributes[1] &= ~termios.OPOST  # a newline stays a newline: this is a log
    termios.tcsetattr(1, termios.TCSANOW, attributes)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # nobody types: a question would wait for ever
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    run_id = run_files.run_id(name, os.getpid(), started_at_s)
    os.environ[run_files.OUTPUT] = run_id
    os.environ["ITERMON_COMPLAINED"] = str(run_files.logs_dir() / f"{run_id}{_COMPLAINED}")
    try:
        os.execvp(command[0], command)  # noqa: S606 - what the user asked for
    except OSError as error:
        is_missing = isinstance(error, FileNotFoundError) and not os.path.lexists(command[0])
        why = "command not found" if is_missing else error.strerror
        os.write(2, os.fsencode(f"itermon: {command[0]}: {why}\n"))
        os._exit(127 if is_missing else 126)  # as a shell says it


def _note_exit(path: Path, code: int) -> None:
    """Leave how it ended beside its log: a trainer that was killed could not say it."""
    with contextlib.suppress(OSError):
        file = opening.append(path)
        os.write(file, json.dumps({"exit_code": code, "at_s": round(time.time(), 3)}).encode() + b"\n")
        os.close(file)


def _open(path: Path) -> int:
    log = opening.append(path)
    fcntl.flock(log, fcntl.LOCK_EX)  # shows that the training lives, as a recording's does
    return log


def _keep(terminal: int, log: int) -> None:
    """Copy until the last process that writes there is gone. A full disk must not stop the training."""
    while True:
        try:
            data = os.read(terminal, _CHUNK_BYTES)
        except OSError:  # EIO: nobody has the terminal open any more
            return
        if not data:
            return
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(log, data) :]


if __name__ == "__main__":
    main()
