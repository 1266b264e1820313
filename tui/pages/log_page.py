"""The page of the log's own text, with a field for what is searched."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.widgets import Input

from .. import keys
from ..aside import Aside, Latest
from ..drawing.lines import box
from .log_view import LogView
from .page import Page

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ..drawing.lines import Block
    from ..drawing.theme import Theme
    from .log_view import LogText

PRINTABLE = r"[^\x00-\x1f\x7f-\x9f]*"
"""What the field takes, typed or pasted: Textual writes what stands in it to the terminal as it is."""

_NOT_YET: Block = [((" the file is being read", "dim"),)]


class _Field(Input):
    """Textual's, but without its bell for a key that it does not take."""

    def restricted(self) -> None:
        """Nothing: the key does nothing."""


class LogPage(Page, inherit_bindings=False):
    """Opens at the iteration under the cursor, or follows the end."""

    group = keys.LOG_PAGE
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.LOG_PAGE, keys.PAGES)
    CSS = "LogPage Input { dock: bottom; display: none; }"

    def __init__(self, theme: Theme, log: LogText, iteration: tuple[int, int] | None = None) -> None:
        super().__init__(theme)
        self._view = LogView(log, iteration)
        self._aside = Aside()
        self._seen: Latest[tuple[tuple[int, int], Block]] = Latest()
        self._field = _Field(placeholder="find (enter searches, esc goes back)", restrict=PRINTABLE, compact=True)
        self._field.cursor_blink = False
        if theme.background:
            self._field.styles.background = theme.background

    def compose(self) -> ComposeResult:
        """The text, and below it the field while it is open."""
        yield self.canvas
        yield self._field

    def lines(self, size: tuple[int, int]) -> Block:
        """The part of the log that is looked at; the last one while the disk takes its time."""
        self._seen.ask(lambda: (size, self._view.lines(size)), self.draw)
        if self._seen.answer and self._seen.answer[0] == size:
            return self._seen.answer[1]
        return box((("log", "title"),), _NOT_YET, *size)

    def press_unknown(self, event: events.Key) -> None:
        """While the field is open, other keys are its own."""
        if not self._field.display:
            super().press_unknown(event)

    def action_close(self) -> None:
        """Out of the search, then back to the watch screen."""
        if self._field.display:
            self._close_field()
        else:
            super().action_close()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Search for what was typed; for nothing: for the same again."""
        self._search(event.value)
        self._close_field()

    def action_scroll(self, rows: int) -> None:
        """Up (below 0) or down."""
        self._view.scroll(rows)
        self.draw()

    def action_scroll_page(self, pages: int) -> None:
        """A screenful up or down."""
        self._view.scroll_page(pages)
        self.draw()

    def action_first(self) -> None:
        """To the first line."""
        self._view.to_first()
        self.draw()

    def action_last(self) -> None:
        """Follow the end."""
        self._view.follow()
        self.draw()

    def action_begin_search(self) -> None:
        """Open the field."""
        self._field.value = ""
        self._field.display = True
        self._field.focus()
        self.action_redraw()

    def action_find_next(self) -> None:
        """The next line with the same text."""
        self._search()
        self.draw()

    def action_find_before(self) -> None:
        """The line before with the same text."""
        self._search(back=True)
        self.draw()

    def on_unmount(self) -> None:
        """Nobody waits any more for what is searched."""
        self._aside.forget()

    def _search(self, text: str = "", *, back: bool = False) -> None:
        if find := self._view.search(text, back=back):
            self._aside.do(find, self._show_found)

    def _show_found(self, line: int | None) -> None:
        self._view.found(line)
        self.draw()

    def _drawn_size(self) -> tuple[int, int]:
        width, height = super()._drawn_size()
        return width, height - (1 if self._field.display else 0)

    def _close_field(self) -> None:
        self._field.display = False
        self.set_focus(None)
        self.action_redraw()
