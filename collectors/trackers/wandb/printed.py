"""What a script printed, as its log would have it: whole lines, each with the time at which it came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....events import ClockKind
from ...files.tail import LineBuffer
from ...logs.reader import LogReader
from ...logs.samples import sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event
    from ...log_formats.base import LogFormat
    from ...logs.text import LogText
    from .records import Printed

_MOST_TRIED, _MOST_UNKNOWN_BYTES = 64, 1 << 16
"""Portions that are looked at one by one as long as their format is not known, and then bytes at once: each look
costs some milliseconds, however little there is."""


class PrintedOutput:
    """Reads the portions of one run; its lines go into `text`. Those in `first` tell the format."""

    def __init__(self, first: Sequence[Printed], formats: Sequence[LogFormat] | None, text: LogText) -> None:
        self._text = text
        self._unshown: list[bytes] = []
        self._unknown: list[bytes] = []
        self._unknown_bytes = 0
        self._tried = len(first)  # portions, each alone, to find the format
        self._newest_s: float | None = None
        self.is_anew = False
        """Did the last lines speak for another format than so far? Then all came once more, as that reads it."""

        self._begin()
        self._reader = LogReader(
            sample(b"".join(map(self._lines, first))),
            clock=ClockKind.ARRIVAL,
            formats=formats,
            secondary=True,
            index=text.index,
        )
        self._begin()

    @property
    def format(self) -> LogFormat | None:
        """The format of the lines, once it is known."""
        return self._reader.format

    def add(self, portions: Sequence[Printed]) -> list[Event]:
        """The events of the lines that `portions` complete, which came one after another."""
        self.is_anew = is_anew = False
        arrived = [(lines, said.at_s) for said in portions if said.text and (lines := self._lines(said))]
        if self._reader.is_sure:
            self._unshown += [lines for lines, _ in arrived]
            return self._reader.feed_each(arrived)
        events: list[Event] = []
        for lines, at_s in arrived:
            found = self._alone(lines, at_s)
            events, is_anew = found if self.is_anew else events + found, is_anew or self.is_anew
        self.is_anew = is_anew
        return events

    def settle(self) -> list[Event]:
        """The events of lines that were gathered as long as their format is not known."""
        lines, self._unknown_bytes = b"".join(self._unknown), 0
        self._unknown.clear()
        return self._read(lines, self._newest_s)

    def show(self) -> None:
        """Put the newest lines where they are shown: some thousands at once cost what one does."""
        if self._unshown:
            self._text.read(b"".join(self._unshown), None)
            self._unshown.clear()

    def end(self) -> list[Event]:
        """The events of the unfinished last lines, and how the run ended where they say it."""
        errors, output = self._buffers[True].rest(over=True), self._buffers[False].rest(over=True)
        return [*self.settle(), *self._read(errors + output, None), *self._reader.end(b"")]

    def _begin(self) -> None:
        self._buffers = {False: LineBuffer(), True: LineBuffer()}  # a bar on errors, lines on output

    def _lines(self, said: Printed) -> bytes:
        return self._buffers[said.is_error].add(said.text.encode(errors="replace"))

    def _alone(self, lines: bytes, at_s: float | None) -> list[Event]:
        """The events of one portion's lines, as long as their format may turn out another one."""
        self.is_anew, self._newest_s = False, at_s
        if self.format is not None or self._tried < _MOST_TRIED:
            self._tried += 1
            return self._read(lines, at_s)
        self._unknown.append(lines)
        self._unknown_bytes += len(lines)
        return self.settle() if self._unknown_bytes >= _MOST_UNKNOWN_BYTES else []

    def _read(self, lines: bytes, at_s: float | None) -> list[Event]:
        self.is_anew = False
        if not lines:
            return []
        self._unshown.append(lines)
        before = self.format
        events = self._reader.feed(lines, at_s)
        self.is_anew = before not in (None, self.format)
        return events
