"""A Textual screen that is one canvas: the base of the watch screen and of its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import Screen

from .drawing.canvas import Canvas

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from .drawing.lines import Block
    from .drawing.theme import Theme


class DrawnScreen(Screen[None], inherit_bindings=False):
    """Draws itself as lines of any size; only what changed of them is written to the terminal."""

    AUTO_FOCUS = ""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.canvas = Canvas(theme)

    def compose(self) -> ComposeResult:
        """One canvas."""
        yield self.canvas

    def lines(self, size: tuple[int, int]) -> Block:
        """What it shows now.

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
            self.canvas.show(self.lines((width, height)))

    def _drawn_size(self) -> tuple[int, int]:
        return self.app.size

    def on_resize(self, event: events.Resize) -> None:  # noqa: ARG002 - the app has its size already
        """Draw for the new size."""
        self.action_redraw()

    def on_screen_resume(self) -> None:
        """Another screen stood here: nothing is known of what stands on the terminal."""
        self.action_redraw()

    def action_redraw(self) -> None:
        """Paint everything again."""
        self.canvas.redraw()
        self.draw()
