"""The text of a log by line and by iteration, read from the file when somebody looks: nothing of it is kept."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from ..events import Iteration, Iterations
from .clean import clean, clean_lines
from .tail import MOST_LINE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ..events import Event
    from .log_formats.base import LogFormat

MARK_BYTES = 1 << 17
"""Between two marks: 16 kB of marks for 60 MB of log, and 2,500 lines to look through for one iteration."""


class LogLine(NamedTuple):
    """A line of the file: its number from 1, and its text, clean."""

    number: int
    text: str


class _Mark(NamedTuple):
    """A place in the file where a line begins, and what comes before it."""

    iterations: int
    lines: int
    offset: int


class LogText:
    """The lines of the log at `path`, as far as they have been read.

    A *position* counts the iterations of the source from 0, as the analysis does. The source sets the marks in
    its thread; who shows the text reads between them, in another. After a truncation or a rotation the older text
    is gone; of compressed files there is none. Then there are no lines.
    """

    def __init__(self, path: Path) -> None:
        self.format: LogFormat | None = None
        self.lines = 0
        """How many lines have been read."""

        self._path = path
        self._iterations = 0
        self._marks: list[_Mark] = []

    def begin(self) -> None:
        """The file begins (again)."""
        self.lines, self._marks = 0, [_Mark(self._iterations, 0, 0)]

    def read(self, data: bytes, events: Sequence[Event], offset: int) -> None:
        """`data` was read, gave `events`, and ends at `offset` of the file."""
        self.lines += data.count(b"\n")
        self._iterations += list(map(type, events)).count(Iteration)
        self._iterations += sum(len(event) for event in events if isinstance(event, Iterations))
        if data.endswith(b"\n") and offset >= self._marks[-1].offset + MARK_BYTES:
            self._marks.append(_Mark(self._iterations, self.lines, offset))

    def lines_from(self, number: int, count: int) -> list[LogLine]:
        """At most `count` lines from line `number` on."""
        last = min(max(number, 1) + count - 1, self.lines)
        lines: list[LogLine] = []
        for at, data in self._walk(self._mark_of_line(number)):
            if at > last:
                break
            if at >= number:
                lines.append(LogLine(at, clean(data.rstrip(b"\r\n").decode(errors="replace"))))
        return lines

    def line_of(self, position: int) -> int | None:
        """The number of the line that says the iteration at `position`."""
        marks = self._marks
        at = bisect_right(marks, position, key=lambda mark: mark.iterations) - 1
        if self.format is None or at < 0:
            return None
        parser, iterations = self.format.parser(), marks[at].iterations
        for number, data in self._walk(marks[at]):
            for text in clean_lines(data):
                iterations += sum(type(event) is Iteration for event in parser.line(text, None))
            if iterations > position:
                return number
            if number >= self.lines:
                break
        return None

    def search(self, text: str, after: int = 0) -> int | None:
        """The number of the next line behind line `after` that holds `text`, upper or lower case alike."""
        wanted = text.encode().lower()
        for number, data in self._walk(self._mark_of_line(after + 1)):
            if number > self.lines:
                break
            if number > after and wanted in data.lower():
                return number
        return None

    def _mark_of_line(self, number: int) -> _Mark | None:
        at = bisect_right(self._marks, number - 1, key=lambda mark: mark.lines) - 1
        return self._marks[max(at, 0)] if self._marks else None

    def _walk(self, mark: _Mark | None) -> Iterator[tuple[int, bytes]]:
        """The lines of the file from a mark on, each with its number. Ends silently where the file does."""
        if mark is None:
            return
        try:
            with self._path.open("rb") as file:
                file.seek(mark.offset)
                number = mark.lines
                while data := file.readline(MOST_LINE_BYTES):
                    number += 1
                    yield number, data
        except OSError:  # deleted or moved meanwhile: there is no text any more
            return
