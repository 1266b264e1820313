"""The recording of a run: JSON Lines in a file, and the same bytes once more for viewers, by offset.

All that viewers get is read from here, so a viewer costs no memory, and at the seam between history and live
nothing is missing and nothing comes twice. Bytes that the disk will not take wait in a bounded tail in memory; it
counts as the file's continuation, so viewers notice nothing of a full disk until the tail overflows.
"""

from __future__ import annotations

import errno
import fcntl
import os
from typing import TYPE_CHECKING

from ... import opening
from ...events import Dropped, Message, Severity, encode

if TYPE_CHECKING:
    import socket
    from pathlib import Path

MOST_TAIL_BYTES = 4 << 20
"""What waits in memory while the disk takes nothing: some 40,000 iterations."""

_AT_ONCE_BYTES = 1 << 20
_CUT_SHORT = b"\n" + encode(
    Message("somebody cut the recording short that viewers are fed from", level=Severity.ERROR)
)


class Recording:
    """An append-only run of lines, at best all in a file. Not thread-safe: the daemon thread owns it.

    With `path` `None` there is no file and the tail is all there is. No method raises for what the disk does;
    `trouble` says what it did last.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.trouble = ""
        self.overflows = 0
        self._loss: tuple[int, int, int, int]  # of the last overflow: see `relocate`
        self._lost: int  # then
        self._fd: int | None = None
        self._head = b""
        self._in_file = 0
        self._tail = bytearray()
        self._locked = False
        if path is not None:
            self._open(path)

    @property
    def size(self) -> int:
        """Bytes so far, the file's and the tail's."""
        return self._in_file + len(self._tail)

    def keep(self, lines: bytes) -> None:
        """Append the run's head (what it is, its settings): written again where a lost tail takes it along."""
        if len(self._head) + len(lines) <= MOST_TAIL_BYTES // 4:
            self._head += lines
        self.append(lines)

    def append(self, lines: bytes) -> None:
        """Append whole lines, and give the disk what it will take."""
        if len(self._tail) + len(lines) > MOST_TAIL_BYTES:
            self._overflow()
        self._tail += lines
        self.flush()

    def flush(self) -> None:
        """Give the file what waits. A line written by half is finished first, so the file never breaks inside."""
        if self._fd is None or not self._tail:
            return
        try:
            if not self._locked:
                self._lock()
            written = os.write(self._fd, self._tail)
        except OSError as error:
            self.trouble = f"{self.path}: {error.strerror}"
            return
        self.trouble = ""
        del self._tail[:written]
        self._in_file += written

    def send(self, viewer: socket.socket, offset: int) -> int:
        """Send `viewer` bytes from `offset` on, as many as its socket takes now. Raises what the socket raises."""
        if offset < self._in_file and self._fd is not None:
            count = min(_AT_ONCE_BYTES, self._in_file - offset)
            if not (sent := os.sendfile(viewer.fileno(), self._fd, offset, count)):
                viewer.send(_CUT_SHORT)
                raise OSError(errno.ENODATA, "the recording was cut short")  # to wait for more would be for ever
            return sent
        start = offset - self._in_file
        return viewer.send(memoryview(bytes(self._tail[start : start + _AT_ONCE_BYTES])))

    def relocate(self, offset: int) -> int:
        """Where a viewer goes on that stood at `offset` before the last overflow: one that had all misses none."""
        lost_from, lost_to, notice_at, notice_to = self._loss
        if offset <= lost_from:
            return offset
        return notice_to if offset >= lost_to else notice_at

    def gone(self) -> bool:
        """Has somebody deleted the file, or cut it short? We go on writing to it all the same."""
        if self._fd is None:
            return False
        try:
            about = os.fstat(self._fd)
            return about.st_nlink == 0 or about.st_size < self._in_file
        except OSError:
            return True

    def close(self, *, forked: bool = False) -> None:
        """Close the file; the lock that says "a trainer lives" goes with it (in a fork it stays the parent's)."""
        if not forked:
            self.flush()
        if self._fd is not None:
            fd, self._fd = self._fd, None  # forgotten first: a fork in between must not close it a second time
            os.close(fd)

    def _open(self, path: Path) -> None:
        try:
            self._fd = opening.append(path)
            self._in_file = os.fstat(self._fd).st_size
        except OSError as error:
            self.trouble = f"{error.filename or path}: {error.strerror}"
        self._lock()

    def _lock(self) -> None:
        if self._fd is None:
            return
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return  # a list of runs is made just now, or the file system has no locks: the next flush tries again
        self._locked = True

    def _overflow(self) -> None:
        """Let the tail go, but for the end of a line half-written to the file, and leave a notice in its place."""
        unfinished = b""
        if self._in_file and not self._ends_whole():
            unfinished = bytes(self._tail[: self._tail.find(b"\n") + 1])
        head = b"" if self._in_file else self._head
        lost = self._tail.count(b"\n") - (unfinished + head).count(b"\n")
        if self.overflows and self._in_file <= self._loss[2] + 1:  # the notice of the last one is lost as well,
            lost += self._lost - 1 - (self._in_file <= self._loss[2])  # and the empty line before it, perhaps
        self._lost = lost
        notice = encode(Dropped(count=lost, what=f"events; {self.trouble or 'no recording is kept'}"))
        lost_to = self.size
        # The empty line ends whatever half of a lost line a viewer has had.
        kept = unfinished + head
        self._tail = bytearray(kept + b"\n" + notice)
        self._loss = (self._in_file + len(unfinished), lost_to, self._in_file + len(kept), self.size)
        self.overflows += 1

    def _ends_whole(self) -> bool:
        try:
            return self._fd is not None and os.pread(self._fd, 1, self._in_file - 1) == b"\n"
        except OSError:
            return True
