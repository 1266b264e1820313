"""Pages stand in place of the watch screen until a key that they do not know goes back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...words import plural
from .. import keys
from ..drawing.lines import block, box
from ..drawn_screen import DrawnScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.binding import BindingType

    from ..drawing.lines import Block
    from ..drawing.theme import Theme

_FAR = 1 << 30
"""Rows: behind either end, wherever that is."""


class Page(DrawnScreen, inherit_bindings=False):
    """The base of all pages. A subclass names its group of keys and takes its bindings from there."""

    group: ClassVar[str]
    """The name of its own group in the table of keys."""

    @property
    def groups(self) -> Sequence[str]:
        """Its own keys, and those of every page."""
        return (self.group, keys.PAGES)

    def on_key(self, event: events.Key) -> None:
        """Any key that the page does not know goes back."""
        if event.key not in keys.pressed_in(*self.groups):
            self.press_unknown(event)

    def press_unknown(self, event: events.Key) -> None:
        """Go back to the watch screen. Textual calls the `on_key` of every class: this one can be overridden."""
        event.stop()
        self.action_close()

    def action_close(self) -> None:
        """Back to the watch screen: once, where two keys come before Textual has taken the page away."""
        if self.is_active:
            self.dismiss()


class TextPage(Page, inherit_bindings=False):
    """A framed text that scrolls where it does not fit.

    Args:
        theme: How it looks.
        heading: What stands in its frame.
        body: Gives its lines for a width in cells.
    """

    group = keys.TEXT_PAGE
    BINDINGS: ClassVar[list[BindingType]] = keys.bindings(keys.TEXT_PAGE, keys.PAGES)

    def __init__(self, theme: Theme, heading: str, body: Callable[[int], Block]) -> None:
        super().__init__(theme)
        self._heading, self._body = heading, body
        self._top = 0
        self._rows = self._total = 0  # before it was drawn nobody knows

    def lines(self, size: tuple[int, int]) -> Block:
        """The part of the text that is scrolled to, in a frame."""
        width, height = size
        body = self._body(width - 2)
        self._rows, self._total = max(1, height - 2), len(body)
        self._top = max(0, min(self._top, self._total - self._rows))
        more = (
            f"{min(self._total, self._top + self._rows):,} of {plural(self._total, 'line')}"
            if self._scrolls
            else ""
        )
        framed = box(
            ((self._heading, "title"),), body[self._top :], width, height, right=((more, "dim"),) if more else ()
        )
        return block(framed, width, height)

    @property
    def groups(self) -> Sequence[str]:
        """What fits does not scroll."""
        return (self.group, keys.PAGES) if self._scrolls else (keys.PAGES,)

    @property
    def _scrolls(self) -> bool:
        return self._total > self._rows

    def action_scroll(self, rows: int) -> None:
        """Up (below 0) or down. What fits does not scroll: then these keys go back as any other."""
        if self._total and not self._scrolls:
            self.action_close()
            return
        self._top += rows
        self.draw()

    def action_scroll_page(self, pages: int) -> None:
        """A screenful up or down."""
        self.action_scroll(pages * self._rows)

    def action_first(self) -> None:
        """To the top."""
        self.action_scroll(-_FAR)

    def action_last(self) -> None:
        """To the end."""
        self.action_scroll(_FAR)
