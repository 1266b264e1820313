"""Which process writes a log, and where a process writes to, from the files that are open. Linux only."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ...opening import read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# Programs that pass a log on: the trainer is who writes into them.
_PIPES = frozenset({"tee", "ts", "cat", "grep", "sed", "awk", "gawk", "mawk", "stdbuf", "rotatelogs", "multilog"})
_MOST_PIPES = 8
_MOST_BYTES = 1 << 14  # of a file of /proc that holds a few lines

GONE_S = 20.0
"""So long after its writer has ended a log is over: a launcher starts its trainers again within seconds."""

_LOOK_S = 5.0  # to look through 2,000 processes costs 20 ms
_RARELY_S = 60.0  # where nobody is seen, or is there any more


class Writing:
    """Whether `files` are still written. Only a process that was seen can be missed: of another machine, or of
    another container, none ever is.
    """

    def __init__(
        self,
        files: Sequence[str],
        *,
        find: Callable[[str], int | None] | None = None,
        runs: Callable[[int], bool] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._files = files
        self._find = find or writer_of
        self._runs = runs or _runs
        self._clock = clock
        self._seen: set[int] = set()
        self._last_words = self._words()
        self._sign_at_s = self._looked_at_s = clock() - _LOOK_S
        self._wait_s = _LOOK_S

    @property
    def is_seen(self) -> bool:
        """Has a process been seen that writes them?"""
        return bool(self._seen)

    @property
    def silent_s(self) -> float:
        """Since when nothing was written, as far as the clock of the files is right."""
        return max(0.0, time.time() - max((at_s for _, at_s in self._words()), default=0.0))

    def lives(self) -> bool:
        """Until each process that was seen to write them has ended, and nothing came for `GONE_S` after it."""
        now_s = self._clock()
        if now_s - self._looked_at_s >= self._wait_s:
            self._looked_at_s = now_s
            if self._is_written():
                self._sign_at_s = now_s
            nobody = not self._seen or now_s - self._sign_at_s >= GONE_S
            self._wait_s = min(2 * self._wait_s, _RARELY_S) if nobody else _LOOK_S
        return not self._seen or now_s - self._sign_at_s < GONE_S

    def _is_written(self) -> bool:
        words, self._last_words = self._last_words, self._words()
        if any(map(self._runs, self._seen)):
            return True  # nobody needs to be looked for
        self._seen |= {pid for file in self._files if (pid := self._find(file)) is not None}
        return words != self._last_words or any(map(self._runs, self._seen))

    def _words(self) -> list[tuple[int, float]]:
        found = []
        for file in self._files:
            try:
                about = os.stat(file)  # noqa: PTH116 - a name as it was typed
            except (OSError, ValueError):  # the latter: a zero byte in the name
                continue
            found.append((about.st_size, about.st_mtime))
        return found


def _runs(pid: int) -> bool:
    import psutil  # noqa: PLC0415 - 10 ms, and not before the first screen

    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def writer_of(target: str, proc: Path = Path("/proc")) -> int | None:
    """The process that writes `target`: a path, or "pipe:[12345]" as /proc/PID/fd names a pipe.

    Of several (a launcher, its ranks) the one above the others; past `tee` and its like. `None`: nobody does, or
    nobody whom we may look at.
    """
    for _ in range(_MOST_PIPES):
        pids = _writers(target, proc)
        if not pids:
            return None
        pid = _topmost(pids, proc)
        source = link_of(proc / str(pid) / "fd" / "0")
        if _name(pid, proc) not in _PIPES or not source.startswith("pipe:"):
            return pid
        target = source
    return None


def outputs_of(pid: int, proc: Path = Path("/proc")) -> list[str]:
    """Where process `pid` writes: standard output and error first, then what else it has open for writing.

    Each as /proc/PID/fd names it: a path, "pipe:[12345]", "socket:[12345]". Behind a pipe into `tee` and its like
    follows what that writes. Raises `OSError`: there is no such process, or we may not look.
    """
    return list(dict.fromkeys(_outputs(pid, proc, _MOST_PIPES)))


def _outputs(pid: int, proc: Path, most: int) -> Iterator[str]:
    process = proc / str(pid)
    fds = sorted(os.listdir(process / "fd"), key=lambda fd: (fd not in ("1", "2"), int(fd)))  # noqa: PTH208
    for fd in fds:
        if not is_written(process / "fdinfo" / fd):
            continue
        target = link_of(process / "fd" / fd)
        yield target
        if target.startswith("pipe:") and most:
            for reader in running(proc):
                if _name(reader, proc) in _PIPES and link_of(proc / str(reader) / "fd" / "0") == target:
                    yield from _outputs(reader, proc, most - 1)


def running(proc: Path) -> list[int]:
    """The processes that there are; none where it is not Linux."""
    try:
        return [int(entry.name) for entry in os.scandir(proc) if entry.name.isdigit()]
    except OSError:
        return []


def _writers(target: str, proc: Path) -> list[int]:
    wanted = target if target.startswith("pipe:") else os.path.realpath(target)
    return [pid for pid in running(proc) if pid != os.getpid() and _writes(proc / str(pid), wanted)]


def _writes(process: Path, wanted: str) -> bool:
    try:
        files = os.listdir(process / "fd")  # noqa: PTH208 - names are enough, and there are many
    except OSError:
        return False  # another user's, or gone
    return any(link_of(process / "fd" / f) == wanted and is_written(process / "fdinfo" / f) for f in files)


def is_written(fdinfo: Path) -> bool:
    """Is the descriptor that /proc/PID/fdinfo/FD tells of open for writing?"""
    try:
        lines = read_bytes(fdinfo, _MOST_BYTES).decode(errors="replace").splitlines()
    except OSError:
        return False
    flags = next((line.split()[1] for line in lines if line.startswith("flags:")), "0")
    return int(flags, 8) & os.O_ACCMODE != os.O_RDONLY


def _topmost(pids: list[int], proc: Path) -> int:
    """The one whose parent is not among them."""
    return next((pid for pid in pids if _parent(pid, proc) not in pids), pids[0])


def _parent(pid: int, proc: Path) -> int:
    try:
        fields = read_bytes(proc / str(pid) / "stat", _MOST_BYTES).rpartition(b")")[2].split()
        return int(fields[1])
    except (OSError, IndexError, ValueError):
        return 0


def _name(pid: int, proc: Path) -> str:
    try:
        return read_bytes(proc / str(pid) / "comm", _MOST_BYTES).decode(errors="replace").strip()
    except OSError:
        return ""


def link_of(path: Path) -> str:
    """What the link names; "" where it cannot be read."""
    try:
        # Only read, never followed: to ask a file on a dead network drive for anything else can hang.
        return str(path.readlink())
    except OSError:
        return ""
