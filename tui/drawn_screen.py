"""A Textual screen that is one canvas: the base of the watch screen and of its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import keys
from .drawing.canvas import Canvas
from .drawing.lines import fit
from .drawing.textual_compat import PaintedByUs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult

    from .drawing.lines import Block, Line
    from .drawing.theme import Theme

NOTE_S = 6.0
"""How long a note stands in place of the line of keys: time to read twelve words twice."""


class DrawnScreen(PaintedByUs, inherit_bindings=False):
    """Draws itself as lines of any size, a line of its keys below them; only what changed is written."""

    AUTO_FOCUS = ""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.canvas = Canvas(theme)
        self._note = ""

    def compose(self) -> ComposeResult:
        """One canvas."""
        yield self.canvas

    @property
    def groups(self) -> Sequence[str]:
        """The groups of keys that do something here now: the line of keys, the help and the palette list them."""
        raise NotImplementedError

    def lines(self, size: tuple[int, int]) -> Block:
        """What it shows now, the line of keys apart.

        Args:
            size: Columns and rows.

        Returns:
            Exactly that many rows of that many cells.
        """
        raise NotImplementedError

    def draw(self) -> None:
        """Show what has changed, if anybody can see this screen."""
        width, height = self._drawn_size()
        if self.is_current and width and height:
            self.canvas.show([*self.lines((width, height - 1)), fit(self._last_line(width), width)])

    def say(self, note: str) -> None:
        """Show `note` in place of the line of keys, for a moment."""
        self._note = note
        self.set_timer(NOTE_S, lambda: self._forget(note))
        self.draw()

    def _forget(self, note: str) -> None:
        if self._note == note:
            self._note = ""
            self.draw()

    def _last_line(self, width: int) -> Line:
        return ((f" {self._note}", "value"),) if self._note else keys.footer(self.groups, width)

    def _drawn_size(self) -> tuple[int, int]:
        return self.app.size

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002 - the app has its size already
        """Draw for the new size."""
        self.draw()

    def on_screen_suspend(self) -> None:
        """Another screen stands here from now on: nothing is known of what it leaves on the terminal."""
        self.canvas.redraw()

    def on_screen_resume(self) -> None:
        """Seen, for the first time or again."""
        self.draw()

    def action_redraw(self) -> None:
        """Paint everything again."""
        self.canvas.redraw()
        self.draw()
