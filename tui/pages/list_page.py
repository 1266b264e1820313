"""A list to choose from: arrows move the mark, what is typed narrows it down, Enter takes the marked row."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from ...words import DASH
from .. import keys
from ..drawing.lines import box, fit, text
from ..drawing.lines import width as cells_of
from .page import Page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual import events
    from textual.binding import BindingType

    from ..drawing.lines import Block, Line, Span
    from ..drawing.theme import Theme

_MOST_TYPED = 60
_MOST_CELLS = 40  # of a column
_LEAST_OF_LAST = 16  # cells of the last column, which is cut
_HEAD_ROWS = 2  # what is typed, and the names of the columns


class Row(NamedTuple):
    """One row: what tells it from the others, whatever it shows, and a span for each column."""

    key: str
    cells: tuple[Span, ...]


class ListPage(Page, inherit_bindings=False):
    """Shows `rows`, which may be set anew at any time: the mark stays on its row.

    Args:
        theme: How it looks.
        heading: What stands in its frame.
        columns: The names of the columns; where there is no room for all, those of the highest rank go (never 0).
    """

    group = keys.LIST_PAGE
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.LIST_PAGE)

    def __init__(self, theme: Theme, heading: str, columns: Mapping[str, int]) -> None:
        super().__init__(theme)
        self._heading, self._columns = heading, columns
        self.rows: Sequence[Row] = ()
        self.empty = "nothing"
        """What stands in place of no rows."""

        self.problem = ""
        """Why the rows are older ones; it stands below them."""

        self.typed = ""
        self._at, self._key = 0, ""
        self._top, self._shown = 0, 1

    @property
    def groups(self) -> Sequence[str]:
        """Its own: what is typed is no key of a page."""
        return (self.group,)

    @property
    def chosen(self) -> str:
        """The key of the marked row; "" where there is none."""
        return self._key if self._found() else ""

    def take(self, key: str) -> None:
        """The row of this key was chosen."""
        raise NotImplementedError

    def press_unknown(self, event: events.Key) -> None:
        """A character is one more of what is looked for."""
        if event.is_printable and event.character and len(self.typed) < _MOST_TYPED:
            event.stop()
            self._type(self.typed + event.character)

    def lines(self, size: tuple[int, int]) -> Block:
        """What is typed, the names of the columns, and the rows that match, about the marked one."""
        width, height = size
        found = self._found()
        self._shown = max(1, height - 2 - _HEAD_ROWS - bool(self.problem))
        self._top = max(0, min(self._top, self._at, len(found) - self._shown), self._at - self._shown + 1)
        seen = found[self._top : self._top + self._shown]
        widths = self._widths(width - 2)
        body: Block = [((" type to find: ", "label"), (self.typed, "value"), ("▏", "accent"))]
        body.append(_in_columns([(name, "label") for name in self._columns], widths, " "))
        for number, row in enumerate(seen, self._top):
            line = _in_columns(row.cells, widths, "▶" if number == self._at else " ")
            body.append(tuple((part, "value") for part, _ in line) if number == self._at else line)
        if not found:
            body.append(((f"   {'no row has that in it' if self.rows else self.empty}", "dim"),))
        if self.problem:
            body += [()] * (height - 3 - len(body)) + [((f" {self.problem}", "warn"),)]
        count = f"{len(found):,}" if len(found) == len(self.rows) else f"{len(found):,} of {len(self.rows):,}"
        return box(((self._heading, "title"),), body, width, height, right=((count, "dim"),))

    def on_click(self, event: events.Click) -> None:
        """Take the row that was clicked."""
        at = self._top + event.screen_y - 1 - _HEAD_ROWS
        if event.screen_y > _HEAD_ROWS and at < len(self._found()):
            self._mark(at)
            self.action_open()

    def on_mouse_scroll_up(self) -> None:
        """The row above."""
        self.action_choose(-1)

    def on_mouse_scroll_down(self) -> None:
        """The row below."""
        self.action_choose(1)

    def action_choose(self, rows: int) -> None:
        """So many rows up (below 0) or down."""
        self._mark(self._at + rows)

    def action_choose_page(self, pages: int) -> None:
        """A screenful up or down."""
        self._mark(self._at + pages * self._shown)

    def action_first(self) -> None:
        """The first row."""
        self._mark(0)

    def action_last(self) -> None:
        """The last row."""
        self._mark(len(self._found()) - 1)

    def action_open(self) -> None:
        """Take the marked row."""
        if self._found():
            self.take(self._key)

    def action_erase(self) -> None:
        """One character less."""
        self._type(self.typed[:-1])

    def action_erase_all(self) -> None:
        """Look for nothing."""
        self._type("")

    def _type(self, typed: str) -> None:
        self.typed, self._top = typed, 0
        self._mark(0)

    def _mark(self, at: int) -> None:
        found = self._found()
        self._at = max(0, min(at, len(found) - 1))
        self._key = found[self._at].key if found else ""
        self.draw()

    def _found(self) -> list[Row]:
        """The rows that hold each typed word; the mark goes where its row went, or stays where it is."""
        wanted = self.typed.lower().split()
        found = [row for row in self.rows if all(word in text(row.cells).lower() for word in wanted)]
        self._at = next((n for n, row in enumerate(found) if row.key == self._key), min(self._at, len(found) - 1))
        self._at = max(0, self._at)
        self._key = found[self._at].key if found else self._key
        return found

    def _widths(self, cells: int) -> list[int]:
        """Of the columns: by all rows, so that they stand still while one types; 0 of one without room."""
        columns = list(zip(*(row.cells for row in self.rows), strict=True)) or [()] * len(self._columns)
        widths = [
            min(_MOST_CELLS, max(cells_of((cell,)) for cell in ((name, ""), *column)))
            for name, column in zip(self._columns, columns, strict=True)
        ]
        for number, (rank, column) in enumerate(zip(self._columns.values(), columns, strict=True)):
            if rank and column and all(cell[0] == DASH for cell in column):
                widths[number] = 0  # nobody knows it of any row
        for rank, number in sorted(((rank, n) for n, rank in enumerate(self._columns.values())), reverse=True):
            last = next(n for n in range(len(widths) - 1, -1, -1) if widths[n])
            needed = sum(width + 2 for width in widths if width) + 1 - max(0, widths[last] - _LEAST_OF_LAST)
            if needed > cells and rank:
                widths[number] = 0
        return widths


def _in_columns(cells: Sequence[Span], widths: Sequence[int], mark: str) -> Line:
    spans: list[Span] = [(f" {mark} ", "key")]
    shown = [(cell, width) for cell, width in zip(cells, widths, strict=True) if width]
    for cell, width in shown[:-1]:
        spans += [*fit((cell,), width), ("  ", "")]
    return (*spans, shown[-1][0])
