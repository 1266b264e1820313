"""Runs a program on a pseudo-terminal and counts: bytes written, CPU used, memory held, time to a word."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import struct
import subprocess
import termios
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WHO_ARE_YOU, A_TERMINAL = b"\x1b[c", b"\x1b[?62;22c"
"""Every terminal answers it at once: who asks for the background's colour waits no longer for that."""

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class PtyRun:
    """A program on a terminal of `columns` × `rows` that is read all the time, as a good SSH link does."""

    def __init__(self, command: Sequence[str], *, columns: int = 120, rows: int = 40) -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "LC_ALL", "TMUX", "COLUMNS", "LINES")}
        env |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}

        def own_terminal() -> None:
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.started_s = time.perf_counter()
        # preexec_fn: only the child itself can take a controlling terminal, and no thread runs here.
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=env,
            preexec_fn=own_terminal,  # noqa: PLW1509
        )
        os.close(slave)
        self.written = bytearray()

    def read(self, seconds: float, *, until: bytes = b"", each: Callable[[], None] | None = None) -> float | None:
        """Read for `seconds`, or until `until` was written; returns the time since the start when it was."""
        end_s = time.perf_counter() + seconds
        if self._master < 0:
            time.sleep(seconds)
            return None
        while (left_s := end_s - time.perf_counter()) > 0:
            if each is not None:
                each()
            ready, _, _ = select.select([self._master], [], [], min(left_s, 0.02))
            if not ready:
                continue
            try:
                came = os.read(self._master, 1 << 16)
            except OSError:  # it has ended
                return None
            self.written += came
            if WHO_ARE_YOU in came:
                self.press(A_TERMINAL)
            if until and until in self.written:
                return time.perf_counter() - self.started_s
        return None

    def press(self, keys: bytes) -> None:
        """As a person would."""
        os.write(self._master, keys)

    def hang_up(self) -> None:
        """The terminal goes away, as a closed window or a lost connection makes it."""
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    def cpu_s(self) -> float:
        """CPU time used so far, all threads."""
        fields = _proc(self.process.pid, "stat").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_S

    def memory_bytes(self) -> int:
        """Resident memory."""
        return int(_proc(self.process.pid, "statm").split()[1]) * os.sysconf("SC_PAGESIZE")

    def stop(self) -> None:
        """End it, kindly first."""
        self.process.send_signal(signal.SIGTERM)
        self.read(1.0)
        self.process.kill()
        self.process.wait()
        self.hang_up()


def _proc(pid: int, name: str) -> str:
    with open(f"/proc/{pid}/{name}", encoding="ascii", errors="replace") as file:  # noqa: PTH123 - not a real file
        return file.read()
