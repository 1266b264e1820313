"""The text of a log by line and by iteration.

It is read from the file again when a person looks at it. What cannot be read again (standard input) or not from
its middle on (compressed, UTF-16) is kept in memory, the newest of it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from ...opening import reading
from ...words import plural
from ..clean import clean, decoded
from ..files.tail import MOST_LINE_BYTES
from .line_index import LineIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

MARK_BYTES = 1 << 17
"""Between two marks: 16 kB of marks for 60 MB of log, and 2,500 lines to pass over to reach one line."""

KEPT_BYTES = 1 << 22
"""Of a text that cannot be read again: 80,000 lines of nanoGPT."""

_MOST_SHOWN_BYTES = 1 << 23
"""Read for one screen: more is no text, but a file of zeros that has just taken the log's place."""

_MOST_PASSED_BYTES = 1 << 28
"""Read for the newest lines: a bar writes hours into one of them, of which the end is wanted."""

_END_BYTES = 1 << 14
"""Kept of each of those: some frames of a bar, or all of a line."""

_MOST_LAST, _MOST_LAST_CHARACTERS = 3, 200
_LOOKED_AT = 20  # lines at the end; most of them may be blank
_MOST_ABOUT = 4  # lines about one iteration


class LogLine(NamedTuple):
    """A line of the file: its number from 1, and its text, clean."""

    number: int
    text: str


class _Mark(NamedTuple):
    """A place where a line begins: the lines before it, and the text up to the next mark where that is kept."""

    lines: int
    offset: int
    text: bytes | None = None


class LogText:
    """The lines of the log at `path`, as far as they have been read. Without a path nothing can be read again.

    `why_none` says why there may never be a line.
    The source writes here in its thread: it reports what it reads to `read`, and its `LogReader` which line gives
    which iteration to `index`. Who shows the text asks in another thread. After a truncation or a rotation the
    older text is gone: then there are no lines.
    """

    def __init__(self, path: Path | None = None, why_none: str = "") -> None:
        self.path = path
        self._why_none = why_none
        self.lines = 0
        """How many lines have been read."""

        self.index = LineIndex()
        self.ahead: int | None = 0
        """How far the log's numbers of iterations are ahead of the run's: hooks may count in another way.
        `None`: not known, and no line can be found by its iteration."""

        self._marks: list[_Mark] = []
        self._replaced = False

    @property
    def gone(self) -> str:
        """Why older lines, or all of them, are not there; empty if all are."""
        if not self.lines:
            return self._why_none
        if self._marks and (before := self._marks[0].lines):
            return f"not kept: the first {plural(before, 'line')}: this text cannot be read again"
        return "the file was truncated or replaced: its older text is gone" if self._replaced else ""

    @property
    def first(self) -> int:
        """The number of the first line that is there."""
        return self._marks[0].lines + 1 if self._marks else 1

    def begin(self) -> None:
        """A source begins to read: what another one has read before is forgotten."""
        self.lines, self._marks, self._replaced = 0, [], False
        self.index = LineIndex()

    def replace_file(self) -> None:
        """The file was truncated or replaced: it is read from its beginning."""
        self.lines, self._marks, self._replaced = 0, [], True
        self.index.replace_file()

    def read(self, data: bytes, offset: int | None) -> None:
        """`data` was read, and ends at `offset` of the file, if it is the file's own bytes."""
        if offset is None:
            self._keep(data)
        elif not self._marks:
            self._marks = [_Mark(0, 0)]
        self.lines += data.count(b"\n")
        if offset is not None and data.endswith(b"\n") and offset >= self._marks[-1].offset + MARK_BYTES:
            self._marks.append(_Mark(self.lines, offset))

    def _keep(self, data: bytes) -> None:
        """The marks become a new list: a thread that walks along the old one is not disturbed."""
        marks, newest = self._marks, self._marks[-1] if self._marks else None
        if newest and newest.text is not None and len(newest.text) < MARK_BYTES:
            marks = [*marks[:-1], newest._replace(text=newest.text + data)]
        else:
            marks = [*marks, _Mark(self.lines, 0, data)]
        while len(marks) > 1 and sum(len(mark.text or b"") for mark in marks) > KEPT_BYTES:
            marks = marks[1:]
        self._marks = marks

    def lines_from(self, number: int, count: int) -> list[LogLine]:
        """At most `count` lines from line `number` on."""
        return [LogLine(at, clean(decoded(data))) for at, data in self._bytes_from(number, count, self.lines)]

    def _bytes_from(self, number: int, count: int, newest: int) -> Iterator[tuple[int, bytes]]:
        """The same as bytes without their ends, up to line `newest`."""
        last = min(max(number, 1) + count - 1, newest)
        passed_bytes, before = 0, 0
        for at, data in self._walk_to(number):
            passed_bytes += len(data)
            if at > last or passed_bytes > _MOST_SHOWN_BYTES:
                break
            if at >= number and at != before:  # of a line that comes in pieces, its first
                yield at, data.rstrip(b"\r\n")
            before = at

    def last_lines(self) -> tuple[str, ...]:
        """The newest lines that say something, each short: the last words of whoever wrote them."""
        newest: dict[int, bytes] = {}  # by line its begin, or where it is a bar's its end
        passed_bytes = 0
        for at, data in self._walk_to(self.lines + 1 - _LOOKED_AT):
            passed_bytes += len(data)
            if at > self.lines + 1 or passed_bytes > _MOST_PASSED_BYTES:
                break
            if at > self.lines - _LOOKED_AT:
                line = newest.get(at, b"") + data
                newest[at] = end if b"\r" in (end := line[-_END_BYTES:]) else line[:_END_BYTES]
        shown = (_newest_frame(data) for data in newest.values()) if passed_bytes <= _MOST_PASSED_BYTES else ()
        said = [text for line in shown if (text := clean(decoded(line)).strip())]
        return tuple(text[:_MOST_LAST_CHARACTERS] for text in said[-_MOST_LAST:])

    def line_of(self, iteration: int, earlier: int = 0) -> int | None:
        """The number of the line that gives an iteration; `None` if there is none, or it is gone.

        Args:
            iteration: its number, as the run counts.
            earlier: how many times the run has had this number before (a resumed run repeats some).
        """
        line = None if self.ahead is None else self.index.line_of(iteration + self.ahead, earlier)
        return line if line is not None and self.lines_from(line, 1) else None

    def lines_about(self, iteration: int, earlier: int = 0) -> list[LogLine]:
        """What the log says of evaluations, checkpoints or troubles between the iteration before and this one."""
        if self.ahead is None:
            return []
        about = self.index.lines_about(iteration + self.ahead, earlier)[-_MOST_ABOUT:]
        return [line for number in about for line in self.lines_from(number, 1)]

    def search(self, text: str, after: int = 0, stop: Callable[[], bool] = lambda: False) -> int | None:
        """The number of the next line behind line `after` that holds `text`, upper or lower case alike.

        It reads up to the end of the log: `None` too once `stop()` is true.
        """
        wanted = text.encode(errors="replace").lower()
        for number, data in self._walk_to(after + 1):
            if number > self.lines or stop():
                break
            if number > after and wanted in data.lower():
                return number
        return None

    def search_back(self, text: str, before: int, stop: Callable[[], bool] = lambda: False) -> int | None:
        """The number of the last line before line `before` that holds `text`: from mark to mark, to the first.

        `None` too once `stop()` is true.
        """
        wanted = text.encode(errors="replace").lower()
        marks = self._marks
        before = min(before, self.lines + 1)
        for at in range(bisect_left(marks, before - 1, key=lambda mark: mark.lines) - 1, -1, -1):
            found = None
            for number, data in _walk(self.path, marks[at:]):
                if number >= before or stop():
                    break
                if wanted in data.lower():
                    found = number
            if found or stop():
                return None if stop() else found
            before = marks[at].lines + 1
        return None

    def _walk_to(self, number: int) -> Iterator[tuple[int, bytes]]:
        """The lines from the mark before line `number` on."""
        marks = self._marks
        at = bisect_right(marks, number - 1, key=lambda mark: mark.lines) - 1
        return _walk(self.path, marks[max(at, 0) :])


def _newest_frame(line: bytes) -> bytes:
    """Of a bar, which is written in one line, the newest frame that says something."""
    return next((frame for frame in reversed(line.split(b"\r")) if frame.strip()), b"")


def _walk(path: Path | None, marks: Sequence[_Mark]) -> Iterator[tuple[int, bytes]]:
    """The lines from the first of `marks` on, each with its number. Ends silently where the file does."""
    if marks and marks[0].text is None and path is not None:
        yield from _walk_file(path, marks[0])
        return
    for mark in marks:
        yield from enumerate(BytesIO(mark.text or b""), mark.lines + 1)


def _walk_file(path: Path, mark: _Mark) -> Iterator[tuple[int, bytes]]:
    try:
        with reading(path) as file:
            file.seek(mark.offset)
            number = mark.lines
            while data := file.readline(MOST_LINE_BYTES):  # a longer line comes in pieces, of one number
                yield number + 1, data
                number += data.endswith(b"\n")
    except OSError:  # deleted or moved meanwhile: there is no text any more
        return
