"""Who looks while nobody can: `faulthandler`'s own thread needs no lock of the interpreter's.

Its timer is set ahead and again and again, so that it goes off only where the daemon thread could not set it for
seconds: then it writes where every thread is into a file of ours, which has no name. A process has one such timer.
It is never taken from anybody: where somebody has imported `faulthandler` before us we cannot know, and leave it
alone; whoever sets it later has it from then on, and we wait until they cancel it.

While the timer is set a forked child would wait for ever at its exit, for a thread that only its parent has (seen
on 3.10 to 3.13). So it is cancelled before every fork.
"""

from __future__ import annotations

import functools
import os
import re
import sys
import threading
import time
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

GOES_OFF_S = 5.0
"""So long the daemon thread must have been kept from setting it again."""

AGAIN_S = 2.0
"""To set it takes 30 to 100 us."""

_MOST_BYTES = 1 << 18  # of the file: a hundred threads of a hundred frames are more than anybody needs
_BEFORE_S = 0.5  # what was written so long before the end of the wait was written while it lasted
_THREAD = re.compile(r"^(?:Current thread|Thread) 0x([0-9a-f]+)")
_FRAME = re.compile(r'^  File "(.*)", line (\d+) in (.*)$')

Seen = tuple[float, "list[tuple[str, int, str]]"]
"""When it was (Unix time), and the frames: file, line, function; innermost first."""


class Witness:
    """The timer of this process. `arm` and `seen` are the daemon thread's."""

    def __init__(self) -> None:
        self._free = False
        self._file: IO[bytes] | None = None
        self._armed_s: float | None = None
        self._lock = threading.RLock()  # between asking whose it is and taking it
        self._set: Callable[..., Any] = _nothing
        self._cancel: Callable[..., Any] = _nothing

    def install(self) -> None:
        """Find out whether the timer is ours to set, and notice from now on who sets it."""
        if "faulthandler" in sys.modules or not hasattr(os, "memfd_create"):
            return
        import faulthandler  # noqa: PLC0415 - where somebody has it already, we have nothing to do with it

        if not hasattr(faulthandler, "dump_traceback_later"):
            return
        self._set, self._cancel = faulthandler.dump_traceback_later, faulthandler.cancel_dump_traceback_later
        faulthandler.dump_traceback_later = self._told(self._set, free=False)
        faulthandler.cancel_dump_traceback_later = self._told(self._cancel, free=True)
        os.register_at_fork(
            before=self._before_fork, after_in_parent=self._lock.release, after_in_child=self._leave
        )
        self._file = open(os.memfd_create("itermon"), "r+b", buffering=0)  # noqa: PTH123, SIM115 - it has no path
        self._free = True

    def arm(self) -> None:
        """Set it, or set it anew, unless that was just done."""
        now_s = time.monotonic()
        if not self._free or (self._armed_s is not None and now_s - self._armed_s < AGAIN_S):
            return
        with self._lock:
            if self._free and self._file is not None:
                self._set(GOES_OFF_S, file=self._file)
                self._armed_s = now_s

    def disarm(self) -> None:
        """There is nothing to watch any more."""
        with self._lock:
            self._take_back()

    def seen(self, thread: int) -> Seen | None:
        """Where `thread` was when the timer went off, if it did while the daemon thread waited for its turn."""
        if self._file is None:
            return None
        fd = self._file.fileno()
        written_s = os.fstat(fd).st_mtime
        data = os.pread(fd, _MOST_BYTES, 0)
        if not data:
            return None
        os.ftruncate(fd, 0)
        os.lseek(fd, 0, os.SEEK_SET)
        frames = frames_of(data.decode(errors="replace"), thread)
        return (written_s, frames) if frames and written_s < time.time() - _BEFORE_S else None

    def _told(self, call: Callable[..., Any], *, free: bool) -> Callable[..., Any]:
        """`call`, of which we are told whose the timer is after it."""

        @functools.wraps(call)
        def told(*args: Any, **named: Any) -> Any:
            with self._lock:
                self._armed_s = None
                result = call(*args, **named)
                self._free = free and self._file is not None
                return result

        return told

    def _take_back(self) -> None:
        if self._armed_s is not None:
            self._cancel()
            self._armed_s = None

    def _before_fork(self) -> None:
        self._lock.acquire()
        self._take_back()

    def _leave(self) -> None:
        """In the child, which has no daemon thread."""
        self._free = False
        self._lock.release()


def frames_of(text: str, thread: int) -> list[tuple[str, int, str]]:
    """The frames of one thread in what `faulthandler` wrote last."""
    found: list[tuple[str, int, str]] = []
    is_its = False
    for line in text.rpartition("Timeout (")[2].splitlines():
        if (head := _THREAD.match(line)) is not None:
            is_its = int(head[1], 16) == thread
        elif is_its and (frame := _FRAME.match(line)) is not None:
            found.append((frame[1], int(frame[2][:9]), frame[3]))
    return found


def _nothing(*_: Any, **__: Any) -> None:
    """There is no timer."""


@functools.cache
def the_witness() -> Witness:
    """The one of this process."""
    witness = Witness()
    witness.install()
    return witness
