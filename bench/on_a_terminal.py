"""A program on a pseudo-terminal whose other end stays open: what it writes, and how it leaves the terminal."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import termios
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

WITHIN_S = 60.0  # of a busy machine
AT_FIRST = {b"7": b"h", b"25": b"h"}
"""The private modes of a fresh terminal that are on: lines wrap, the cursor is shown. All others are off."""


class OnATerminal:
    """`settings` are the terminal's (termios); `modes` those private ones that are not as in a fresh terminal."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        size: tuple[int, int] = (100, 30),
        outputs: Sequence[int] = (0, 1, 2),
    ) -> None:
        self._master, self._slave = os.openpty()
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.settings_before = self.settings()
        given = {
            k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "LC_ALL", "TMUX", "COLUMNS", "LINES")
        }
        given |= {"TERM": "xterm-256color", "LANG": "C.UTF-8"}
        slave = self._slave

        def own_terminal() -> None:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        streams: list[Any] = [slave if number in outputs else subprocess.DEVNULL for number in range(3)]
        self.process = subprocess.Popen(
            command,
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            env={**given, **(environment or {})},
            preexec_fn=own_terminal,  # noqa: PLW1509 - only the child can take a terminal, and no thread runs there
        )
        self.written = bytearray()

    def read(self, seconds: float = 0.05) -> None:
        """Take what it writes for so long, or until it has written something."""
        if select.select([self._master], [], [], seconds)[0]:
            self.written += os.read(self._master, 1 << 16)

    def until(self, condition: Callable[[], object]) -> bool:
        """Read until it is so; False where it never came to be."""
        deadline_s = time.monotonic() + WITHIN_S
        while not condition():
            if time.monotonic() > deadline_s:
                return False
            self.read()
        return True

    def says(self, words: bytes) -> bool:
        """Wait for `words`."""
        return self.until(lambda: words in self.written)

    def ends(self) -> int | None:
        """Wait for its end: its exit status, below 0 the signal that ended it; `None` if it never ended."""
        ended = self.until(lambda: self.process.poll() is not None)
        self.read_all()
        return self.process.returncode if ended else None

    def read_all(self) -> None:
        """Take what it has written by now."""
        while select.select([self._master], [], [], 0)[0]:
            self.read(0)

    def press(self, keys: bytes) -> None:
        """Type."""
        os.write(self._master, keys)

    def settings(self) -> list[Any]:
        """What `stty` shows."""
        return termios.tcgetattr(self._slave)

    def modes(self) -> dict[str, str]:
        """What it has left on or off, by number: `{}` is a terminal as it was; `u`: keyboard protocols."""
        last = dict(AT_FIRST)
        for numbers, way in re.findall(rb"\x1b\[\?([\d;]+)([hl])", bytes(self.written)):
            last |= dict.fromkeys(numbers.split(b";"), way)
        odd = {n.decode(): way.decode() for n, way in last.items() if way != AT_FIRST.get(n, b"l")}
        pushed = len(re.findall(rb"\x1b\[>\d+u", bytes(self.written))) - self.written.count(b"\x1b[<u")
        return odd | ({"u": str(pushed)} if pushed > 0 else {})

    def close(self) -> None:
        """End it, whatever it does."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self._master >= 0:
            self.hang_up()

    def hang_up(self) -> None:
        """The terminal goes away under it."""
        os.close(self._slave)
        os.close(self._master)
        self._master = self._slave = -1
