"""The log's own text: searched, scrolled, opened at the iteration under the chart's cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ... import words
from ..drawing.lines import box

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..drawing.lines import Block, Line

    Stop = Callable[[], bool]


class LogText(Protocol):
    """What is needed of a log to show it. Lines count from 1; texts are clean.

    `earlier` is how often the run had the number `iteration` before: a resumed run repeats some.
    """

    lines: int

    @property
    def first(self) -> int:
        """The number of the first line that is there."""
        ...

    @property
    def gone(self) -> str:
        """Why older ones are not; empty if all are."""
        ...

    def lines_from(self, number: int, count: int) -> Sequence[tuple[int, str]]:
        """At most `count` lines as (number, text), from line `number` on."""
        ...

    def search(self, text: str, after: int = 0, stop: Stop = ...) -> int | None:
        """The number of the next line behind line `after` that holds `text`; `None` too once `stop()` is true."""
        ...

    def search_back(self, text: str, before: int, stop: Stop = ...) -> int | None:
        """The number of the last line before line `before` that holds `text`; `None` too once `stop()` is true."""
        ...

    def line_of(self, iteration: int, earlier: int = 0) -> int | None:
        """The number of the line that gives the iteration."""
        ...

    def lines_about(self, iteration: int, earlier: int = 0) -> Sequence[tuple[int, str]]:
        """What stands before that line of evaluations, checkpoints or troubles, as (number, text)."""
        ...


class LogView:
    """A part of a log: it follows the end until one moves away from it.

    `lines` reads the log, which may take long: another thread is to call it.

    Args:
        log: The text.
        iteration: Opens it at the line of an iteration: its number, and how often the run had that before.
    """

    def __init__(self, log: LogText, iteration: tuple[int, int] | None = None) -> None:
        self._log = log
        self._line: int | None = None  # `None` follows the newest
        self._marked: int | None = None
        self._rows = 1
        self._words = ""
        self._note = ""
        self._wanted = iteration

    def lines(self, size: tuple[int, int]) -> Block:
        """The part with its line numbers, in exactly `size` (columns, rows); below it what is wrong."""
        width, height = size
        if self._wanted is not None:
            self._find(self._wanted)
            self._wanted = None
        total = self._log.lines
        note = self._note or ("" if total else "nothing was read yet")
        self._rows = max(1, height - 2 - bool(note))
        first = max(self._log.first, min((self._line or total) - self._rows // 2, total - self._rows + 1))
        found = self._log.lines_from(first, self._rows)
        body: Block = [self._row(number, text, len(str(total))) for number, text in found]
        body += [()] * (self._rows - len(body)) + [((f" {note}", "warn"),)] * bool(note)
        where = (
            f"{words.count(self._line)} of {total:,}"
            if self._line
            else f"{words.plural(total, 'line')}, following"
        )
        return box((("log", "title"),), body, width, height, right=((where, "dim"),))

    def scroll(self, rows: int) -> None:
        """Up (below 0) or down; behind the last line it follows again."""
        total = self._log.lines
        at = (self._line or total) + rows
        self._line = None if at >= total else max(self._log.first, at)

    def scroll_page(self, pages: int) -> None:
        """A screenful up or down."""
        self.scroll(pages * self._rows)

    def to_first(self) -> None:
        """To the first line that there is."""
        self._line = self._log.first
        self._note = self._log.gone

    def follow(self) -> None:
        """To the end, and on with it."""
        self._line = self._marked = None
        self._note = ""

    def search(self, text: str = "", *, back: bool = False) -> Callable[[Stop], int | None] | None:
        """What finds the next line with `text` (empty: as last time), or going `back` the one before.

        Behind the last line it goes on from the first, and the other way round.

        It may take long: another thread is to call it, and its answer goes to `found`. `None`: nothing to find.
        """
        self._words = text or self._words
        if not self._words:
            return None
        log, wanted, last = self._log, self._words, self._log.lines
        self._note = f"searching: {wanted}"
        if back:
            before = self._line or last + 1
            return lambda stop: log.search_back(wanted, before, stop) or log.search_back(wanted, last + 1, stop)
        after = self._line or last
        return lambda stop: log.search(wanted, after, stop) or log.search(wanted, 0, stop)

    def found(self, line: int | None) -> None:
        """Go to the line that was searched."""
        self._note = "" if line else f"nowhere: {self._words}"
        if line:
            self._line = self._marked = line

    def _find(self, iteration: tuple[int, int]) -> None:
        self._line = self._marked = self._log.line_of(*iteration)
        self._note = "" if self._line else self._log.gone or "this iteration has no line in the file"

    def _row(self, number: int, text: str, digits: int) -> Line:
        style = "value" if number == self._marked else ""
        return ((f" {number:>{digits}} ", "accent" if style else "axis"), *self._with_hits(text, style))

    def _with_hits(self, text: str, style: str) -> Line:
        """The text, what was searched for standing out."""
        low, words = text.lower(), self._words.lower()
        if not words or words not in low or len(low) != len(text):
            return ((text, style),)
        spans: list[tuple[str, str]] = []
        at = 0
        while (hit := low.find(words, at)) >= 0:
            spans += [(text[at:hit], style), (text[hit : hit + len(words)], "cursor")]
            at = hit + len(words)
        return (*spans, (text[at:], style))
