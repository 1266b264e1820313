"""Pages stand in place of the watch screen until they are closed: the help, a plan, a comparison, the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ..drawing.lines import block, box

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..drawing.lines import Block


class Page(Protocol):
    """Draws itself in any size and takes the keys while it is open."""

    def lines(self, size: tuple[int, int]) -> Block:
        """Exactly `size` (columns, rows)."""
        ...

    def press(self, key: str, character: str | None) -> bool:
        """Take a key (Textual's name, and what it types); `False` closes the page."""
        ...


class TextPage:
    """A framed text that scrolls where it does not fit. Any other key goes back."""

    def __init__(self, title: str, body: Callable[[int], Block]) -> None:
        self._title, self._body = title, body
        self._top = 0
        self._rows = self._total = 1

    def lines(self, size: tuple[int, int]) -> Block:
        """The part of the text that is scrolled to, in a frame."""
        width, height = size
        body = self._body(width - 2)
        self._rows, self._total = max(1, height - 2), len(body)
        self._top = max(0, min(self._top, self._total - self._rows))
        hint = "↑↓ scroll, any other key goes back" if self._total > self._rows else "any key goes back"
        framed = box(((self._title, "title"),), body[self._top :], width, height, right=((hint, "dim"),))
        return block(framed, width, height)

    def press(self, key: str, character: str | None) -> bool:  # noqa: ARG002 - a page's signature
        """Scroll, or go back."""
        step = {"up": -1, "down": 1, "pageup": -self._rows, "pagedown": self._rows, "home": -self._total}.get(key)
        if key == "end":
            step = self._total
        if step is None or self._total <= self._rows:
            return False
        self._top += step
        return True
