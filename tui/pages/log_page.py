"""The log's own text: searched, scrolled, opened at the iteration under the chart's cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ...analysis import words
from ..drawing.lines import box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..drawing.lines import Block, Line


class LogText(Protocol):
    """What this page needs of a log. Lines count from 1; texts are clean.

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

    def search(self, text: str, after: int = 0) -> int | None:
        """The number of the next line behind line `after` that holds `text`."""
        ...

    def line_of(self, iteration: int, earlier: int = 0) -> int | None:
        """The number of the line that gives the iteration."""
        ...

    def lines_about(self, iteration: int, earlier: int = 0) -> Sequence[tuple[int, str]]:
        """What stands before that line of evaluations, checkpoints or troubles, as (number, text)."""
        ...


class LogPage:
    """Follows the end of the log until one moves away from it.

    `iteration` opens it at the line of an iteration: its number, and how often the run had that before.
    """

    def __init__(self, log: LogText, iteration: tuple[int, int] | None = None) -> None:
        self._log = log
        self._line: int | None = None  # `None` follows the newest
        self._marked: int | None = None
        self._rows = 1
        self._typing: str | None = None
        self._words = ""
        self._note = ""
        if iteration is not None:
            self._line = self._marked = log.line_of(*iteration)
            self._note = "" if self._line else log.gone or "this iteration has no line in the file"

    def lines(self, size: tuple[int, int]) -> Block:
        """A part of the log with its line numbers, and a line for the search."""
        width, height = size
        self._rows = max(1, height - 3)
        total = self._log.lines
        first = max(self._log.first, min((self._line or total) - self._rows // 2, total - self._rows + 1))
        found = self._log.lines_from(first, self._rows)
        body: Block = [self._row(number, text, len(str(total))) for number, text in found]
        body += [()] * (self._rows - len(body))
        body.append(self._prompt())
        where = f"{self._line:,} of {total:,}" if self._line else f"{words.plural(total, 'line')}, following"
        return box((("log", "title"),), body, width, height, right=((where, "dim"),))

    def press(self, key: str, character: str | None) -> bool:
        """Scroll, search, or go back."""
        if self._typing is not None:
            self._type(key, character)
            return True
        match key:
            case "up" | "down" | "pageup" | "pagedown":
                self._scroll({"up": -1, "down": 1, "pageup": -self._rows, "pagedown": self._rows}[key])
            case "home":
                self._line = self._log.first
                self._note = self._log.gone
            case "end":
                self._line = self._marked = None
                self._note = ""
            case "slash":
                self._typing = ""
            case "n":
                self._search()
            case _:
                return False
        return True

    def _scroll(self, by: int) -> None:
        total = self._log.lines
        at = (self._line or total) + by
        self._line = None if at >= total else max(self._log.first, at)

    def _type(self, key: str, character: str | None) -> None:
        typed = self._typing or ""
        if key == "enter":
            self._words, self._typing = typed or self._words, None
            self._search()
        elif key == "escape":
            self._typing = None
        elif key == "backspace":
            self._typing = typed[:-1]
        elif character and character.isprintable():
            self._typing = typed + character

    def _search(self) -> None:
        if not self._words:
            return
        found = self._log.search(self._words, self._line or self._log.lines) or self._log.search(self._words)
        self._note = "" if found else f"nowhere: {self._words}"
        if found:
            self._line = self._marked = found

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

    def _prompt(self) -> Line:
        if self._typing is not None:
            return ((" find: ", "key"), (self._typing, "value"), (" ", "cursor"))
        if note := self._note or ("" if self._log.lines else "nothing was read yet"):
            return ((f" {note}", "warn"),)
        return ((" ↑↓ scroll  / find  n next  end follow  any other key goes back", "dim"),)
