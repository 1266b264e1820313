"""The text of a log by line and by iteration.

It is read from the file again when somebody looks. What cannot be read again (standard input) or not from its
middle on (compressed, UTF-16) is kept in memory, the newest of it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from ...events import (
    Iteration,
    Iterations,
    Message,
    SpanBegin,
    SpanEnd,
)
from ..clean import clean, clean_lines
from ..files.tail import MOST_LINE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ...events import Event
    from ..log_formats.base import LogFormat

MARK_BYTES = 1 << 17
"""Between two marks: 16 kB of marks for 60 MB of log, and 2,500 lines to look through for one iteration."""

KEPT_BYTES = 1 << 22
"""Of a text that cannot be read again: 80,000 lines of nanoGPT."""

_MOST_ABOUT = 4  # lines about one iteration


class LogLine(NamedTuple):
    """A line of the file: its number from 1, and its text, clean."""

    number: int
    text: str


class _Mark(NamedTuple):
    """A place where a line begins, and what comes before it; `text` up to the next mark where that is kept."""

    iterations: int
    lines: int
    offset: int
    text: bytes | None = None


class LogText:
    """The lines of the log at `path`, as far as they have been read. Without a path nothing can be read again.

    A *position* counts the iterations of the source from 0, as the analysis does. The source sets the marks in
    its thread; who shows the text reads between them, in another. After a truncation or a rotation the older text
    is gone. Then there are no lines.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.format: LogFormat | None = None
        self.lines = 0
        """How many lines have been read."""

        self.path = path
        self._iterations = 0
        self._marks: list[_Mark] = []
        self._replaced = False

    @property
    def gone(self) -> str:
        """Why older lines are not there; empty if all are."""
        if self._marks and (before := self._marks[0].lines):
            return f"the first {before:,} lines are not kept: this text cannot be read again"
        return "the file was truncated or replaced: its older text is gone" if self._replaced else ""

    @property
    def first(self) -> int:
        """The number of the first line that is there."""
        return self._marks[0].lines + 1 if self._marks else 1

    def begin(self) -> None:
        """The file begins (again)."""
        self._replaced = bool(self._marks)
        self.lines, self._marks = 0, []

    def read(self, data: bytes, events: Sequence[Event], offset: int | None) -> None:
        """`data` was read, gave `events`, and ends at `offset` of the file, if it is its own bytes."""
        if offset is None:
            self._keep(data)
        elif not self._marks:
            self._marks = [_Mark(self._iterations, 0, 0)]
        self.lines += data.count(b"\n")
        self._iterations += list(map(type, events)).count(Iteration)
        self._iterations += sum(len(event) for event in events if isinstance(event, Iterations))
        if offset is not None and data.endswith(b"\n") and offset >= self._marks[-1].offset + MARK_BYTES:
            self._marks.append(_Mark(self._iterations, self.lines, offset))

    def _keep(self, data: bytes) -> None:
        """The marks are another list afterwards: whoever walks along the old one is not disturbed."""
        marks, newest = self._marks, self._marks[-1] if self._marks else None
        if newest and newest.text is not None and len(newest.text) < MARK_BYTES:
            marks = [*marks[:-1], newest._replace(text=newest.text + data)]
        else:
            marks = [*marks, _Mark(self._iterations, self.lines, 0, data)]
        while len(marks) > 1 and sum(len(mark.text or b"") for mark in marks) > KEPT_BYTES:
            marks = marks[1:]
        self._marks = marks

    def lines_from(self, number: int, count: int) -> list[LogLine]:
        """At most `count` lines from line `number` on."""
        last = min(max(number, 1) + count - 1, self.lines)
        lines: list[LogLine] = []
        for at, data in self._walk_to(number):
            if at > last:
                break
            if at >= number:
                lines.append(LogLine(at, clean(data.rstrip(b"\r\n").decode(errors="replace"))))
        return lines

    def line_of(self, position: int) -> int | None:
        """The number of the line that says the iteration at `position`."""
        return next((number for number, _, first, stop in self._said(position) if first <= position < stop), None)

    def lines_about(self, position: int) -> list[LogLine]:
        """What stands between the iteration before and this one of evaluations, checkpoints or troubles."""
        about: list[int] = []
        for number, events, first, stop in self._said(position):
            if first <= position < stop:
                break
            if stop > first:
                about.clear()
            elif any(isinstance(event, SpanBegin | SpanEnd | Message) for event in events):
                about.append(number)
        else:
            return []
        return [line for number in about[-_MOST_ABOUT:] for line in self.lines_from(number, 1)]

    def _said(self, position: int) -> Iterator[tuple[int, list[Event], int, int]]:
        """The lines around `position`: number, events, and how many iterations were told before and after it."""
        marks = self._marks
        if self.format is None or not marks or marks[0].iterations > position:
            return
        # From before the iteration before: what is said between the two is wanted, too.
        at = max(0, bisect_left(marks, position, key=lambda mark: mark.iterations) - 1)
        parser, told = self.format.parser(), marks[at].iterations
        for number, data in _walk(self.path, marks[at:]):
            if number > self.lines:
                return
            events = [event for text in clean_lines(data) for event in parser.line(text, None)]
            before, told = told, told + sum(type(event) is Iteration for event in events)
            yield number, events, before, told

    def search(self, text: str, after: int = 0) -> int | None:
        """The number of the next line behind line `after` that holds `text`, upper or lower case alike."""
        wanted = text.encode().lower()
        for number, data in self._walk_to(after + 1):
            if number > self.lines:
                break
            if number > after and wanted in data.lower():
                return number
        return None

    def _walk_to(self, number: int) -> Iterator[tuple[int, bytes]]:
        """The lines from the mark before line `number` on."""
        marks = self._marks
        at = bisect_right(marks, number - 1, key=lambda mark: mark.lines) - 1
        return _walk(self.path, marks[max(at, 0) :])


def _walk(path: Path | None, marks: Sequence[_Mark]) -> Iterator[tuple[int, bytes]]:
    """The lines from the first of `marks` on, each with its number. Ends silently where the file does."""
    if marks and marks[0].text is None and path is not None:
        yield from _walk_file(path, marks[0])
        return
    for mark in marks:
        yield from enumerate(BytesIO(mark.text or b""), mark.lines + 1)


def _walk_file(path: Path, mark: _Mark) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as file:
            file.seek(mark.offset)
            number = mark.lines
            while data := file.readline(MOST_LINE_BYTES):
                number += 1
                yield number, data
    except OSError:  # deleted or moved meanwhile: there is no text any more
        return
