"""What is written to `sys.stdout` and `sys.stderr`, seen on its way; what is printed stays the same, to the byte.

The stream's own `write` is replaced, in the object that is there: `print`, handlers of `logging` and progress bars
that hold the stream already are seen too, and whatever asks the stream for anything else (`isatty`, `buffer`,
`fileno`) asks the same object as before. What goes round Python's streams (a library in C, a child) is not seen.
"""

from __future__ import annotations

import functools
import sys
import time
from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST_WRITES = 2048
"""Wait at most for the daemon thread, that takes them ten times a second; a print with an end is two."""

MOST_OF_A_WRITE = 1 << 14
"""Characters: with the above, at most some 32 MB wait, of a script that does nothing but print."""

Written = tuple[int, int, str]
"""When (`time.perf_counter_ns`; 0 where no line ends), to which stream, what."""


class Taps:
    """Beside both streams of this process. The training thread's part is `write`, in `_tap`; it raises nothing."""

    def __init__(self, streams: Sequence[Any] | None = None) -> None:
        self.written: deque[Written] = deque()
        self.missed = 0
        """Writes that found the queue full."""

        self._most = MOST_WRITES
        self._taps: list[tuple[Any, Callable[..., Any], Callable[..., Any], bool]] = []
        unique = {id(stream): stream for stream in ((sys.stdout, sys.stderr) if streams is None else streams)}
        for number, stream in enumerate(unique.values()):
            self._tap(stream, number)

    def say(self, line: str) -> None:
        """Print a line of ours on stderr: it is not read again."""
        stream = sys.stderr
        if stream is None:
            return
        write = next((own for tapped, own, _, _ in self._taps if tapped is stream), stream.write)
        write(line + "\n")
        stream.flush()

    def remove(self) -> None:
        """Leave the streams as they were; one that somebody has wrapped since keeps what passes all on."""
        self._most = -1
        for stream, own, tap, had_own in self._taps:
            try:
                if stream.write is not tap:
                    continue
                if had_own:
                    stream.write = own
                else:
                    del stream.write
            except Exception:  # noqa: BLE001, S112 - a stream of the user's own making
                continue
        self._taps = []

    def _tap(self, stream: Any, number: int) -> None:
        try:
            own = stream.write
            had_own = "write" in vars(stream)
            tap = self._beside(own, number)
            stream.write = tap
        except Exception:  # noqa: BLE001 - no stream (a process without a console), or one that cannot be changed
            return
        self._taps.append((stream, own, tap, had_own))

    def _beside(self, own: Callable[..., Any], number: int) -> Callable[..., Any]:
        written, clock = self.written, time.perf_counter_ns

        @functools.wraps(own)
        def write(*arguments: Any, **named: Any) -> Any:
            result = own(*arguments, **named)
            text = arguments[0] if arguments else None
            if text.__class__ is str and text:
                if len(written) < self._most:
                    ends = "\n" in text or "\r" in text  # where none does, the clock would be most of the cost
                    written.append((clock() if ends else 0, number, text[:MOST_OF_A_WRITE]))
                else:
                    self.missed += 1
            return result

        return write
