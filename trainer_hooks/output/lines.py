"""From what was written to lines for the run: whole ones, and of a progress bar its newest state now and then.

Nothing here reads a clock: it is a function of what was written and when. The daemon thread's.
"""

from __future__ import annotations

from collections import deque
from heapq import merge
from operator import itemgetter
from typing import TYPE_CHECKING

from ..marks import PRINTED
from .taps import MOST_OF_A_WRITE

if TYPE_CHECKING:
    from ..marks import Mark
    from .taps import Taps, Written

MOST_CHARACTERS = 2_000
"""Of a line: viewers take no more."""

CHARACTERS_PER_S = 64_000
"""... of the run, and as many at once: of a thousand iterations a second a line each. The rest is counted."""

FRAME_NS = 1_000_000_000
"""A bar is drawn ten times a second; a state of it each second is enough."""

_EACH = 16  # characters that a line costs beside its own


class Lines:
    """The lines that `taps` saw, as marks for the timeline, each with the time when it ended."""

    def __init__(self, taps: Taps) -> None:
        self.taps = taps
        self._streams: dict[int, _Unfinished] = {}
        self._ready: deque[tuple[int, str]] = deque()
        self._left = float(CHARACTERS_PER_S)
        self._then_ns: int | None = None
        self._newest_ns = 0  # when something was last written
        self._cut = 0
        self._missed_reported = 0

    def collect(self) -> None:
        """Take what was written so far; before marks are taken: then those are there that a line came after."""
        written = self.taps.written
        for _ in range(len(written)):
            self._add(written.popleft())

    def among(self, marks: list[Mark], *, more: bool) -> list[Mark]:
        """`marks`, and between them the lines; if `more` marks wait, none that came after the last of these."""
        if not self._ready:
            return marks
        until_ns = marks[-1][1] if more else None
        lines: list[Mark] = []
        while self._ready and (until_ns is None or self._ready[0][0] <= until_ns):
            at_ns, line = self._ready.popleft()
            lines.append((PRINTED, at_ns, line))
        return list(merge(marks, lines, key=itemgetter(1)))

    def end(self) -> None:
        """Nothing more is written: what is begun is a line."""
        self.collect()
        for stream in self._streams.values():
            if rest := stream.rest():
                self._keep(self._newest_ns, rest)

    def say(self, line: str) -> None:
        """Print a line of ours that does not end a bar, or another line that has begun."""
        begun = any(stream.is_begun for stream in self._streams.values())
        self.taps.say("\n" * begun + line)

    def take_dropped(self) -> int:
        """How many lines were left out since the last call, or writes that may be parts of lines."""
        count, self._missed_reported = self.taps.missed - self._missed_reported, self.taps.missed
        count, self._cut = count + self._cut, 0
        return count

    def _add(self, written: Written) -> None:
        at_ns, number, text = written
        self._newest_ns = at_ns
        if len(text) == MOST_OF_A_WRITE:  # it was longer, as a rule
            self._cut += 1
            text += "\n"
        stream = self._streams.setdefault(number, _Unfinished())
        for line in stream.add(at_ns, text):
            self._keep(at_ns, line)

    def _keep(self, at_ns: int, line: str) -> None:
        passed_ns = max(0, at_ns - (at_ns if self._then_ns is None else self._then_ns))
        self._left = min(CHARACTERS_PER_S, self._left + passed_ns * CHARACTERS_PER_S / 1e9)
        self._then_ns = at_ns
        cost = len(line) + _EACH
        if cost > self._left:
            self._cut += 1
            return
        self._left -= cost
        self._ready.append((at_ns, line))


class _Unfinished:
    """One stream's line that has not ended yet. A carriage return begins it anew: a bar's next state."""

    def __init__(self) -> None:
        self._line = ""
        self._shown = ""  # of a bar: its newest state that was kept
        self._shown_ns: int | None = None

    def add(self, at_ns: int, text: str) -> list[str]:
        """The lines that end in `text`, and at times the state of a bar."""
        *ended, begun = text.split("\n")
        lines = []
        for part in ended:
            line = _newest_state(self._line + part)
            self._line = ""
            if line != self._shown or not line:
                lines.append(line)
            self._shown = ""
        self._line += begun
        if "\r" in begun:
            self._line = self._line[max(0, self._line.rstrip("\r").rfind("\r")) :]
        self._line = self._line[: 2 * MOST_CHARACTERS]
        if "\r" in begun and (self._shown_ns is None or at_ns - self._shown_ns >= FRAME_NS):
            state = _newest_state(self._line)
            if state and state != self._shown:
                self._shown, self._shown_ns = state, at_ns
                lines.append(state)
        return lines

    @property
    def is_begun(self) -> bool:
        """Does anything stand there unfinished?"""
        return bool(self._line.strip())

    def rest(self) -> str:
        """What stands there unfinished."""
        line, self._line = _newest_state(self._line), ""
        return "" if line == self._shown else line


def _newest_state(line: str) -> str:
    """Of a line that was drawn over and over, what it shows now."""
    if "\r" in line:
        line = next((part for part in reversed(line.split("\r")) if part.strip()), "")
    return line[:MOST_CHARACTERS]
