"""The files that this user's processes write: their output and errors, and what is called like a log."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from .writer import is_written, link_of, running

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_PROCESSES = 2_000
_MOST_FDS = 256  # of a process: a trainer with 64 workers has hundreds, its output first
_MOST_FILES = 50
_OUTPUTS = ("1", "2")


def files_written(suffixes: tuple[str, ...], proc: Path = Path("/proc")) -> dict[Path, int]:
    """Each file that a process of this user writes, with that process; the newest processes first.

    Of the files that are not its output or errors those alone whose names end with one of `suffixes`. A link is
    only read, never followed: to ask a file on a dead network drive for anything can hang.
    """
    found: dict[Path, int] = {}
    for pid in sorted(running(proc), reverse=True)[:_MOST_PROCESSES]:
        if pid != os.getpid():
            for path in _of_process(proc / str(pid), suffixes):
                found.setdefault(path, pid)
        if len(found) >= _MOST_FILES:
            break
    return found


def _of_process(process: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    try:
        if process.stat().st_uid != os.geteuid():
            return
        fds = sorted(os.listdir(process / "fd"), key=int)[:_MOST_FDS]  # noqa: PTH208 - names are enough
    except (OSError, ValueError):
        return
    for fd in fds:
        target = link_of(process / "fd" / fd)
        if not target.startswith("/") or target.startswith(("/dev/", "/proc/")) or target.endswith(" (deleted)"):
            continue
        if (fd in _OUTPUTS or target.endswith(suffixes)) and is_written(process / "fdinfo" / fd):
            yield Path(target)
