"""The one widget: it shows lines, and writes only what changed of them to the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from .cells import Painter
from .textual_compat import DirectOutput

if TYPE_CHECKING:
    from .lines import Block, Line
    from .theme import Theme


class Canvas(Widget):
    """A screenful of lines. `show` takes the next one.

    It writes to the terminal by itself, from the first frame on; Textual paints it only where it cannot.
    """

    DEFAULT_CSS = "Canvas { width: 100%; height: 1fr; }"

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._lines: Block = []
        self._painter = Painter(theme)

    def show(self, lines: Block) -> None:
        """Show `lines` from now on. While the terminal takes no more, nothing: the next call catches up."""
        output = DirectOutput(self.app)
        if not output.usable:
            self._repaint(lines)
        elif not output.stalled:
            self._lines = lines
            if text := self._painter.difference(lines):
                output.write(text)

    def assume(self, lines: Block) -> None:
        """`lines` stand on the terminal already."""
        self._painter.assume(lines)

    def redraw(self) -> None:
        """Paint everything at the next `show`: what stands on the terminal is not known any more."""
        self._painter.forget()
        self._lines = []

    def _repaint(self, lines: Block) -> None:
        """Leave it to Textual: everything, or the rows that changed."""
        old, self._lines = self._lines, lines
        if len(old) != len(lines):
            self.refresh()
        elif changed := [y for y, (before, now) in enumerate(zip(old, lines, strict=True)) if before != now]:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows of `crop` as they are now: never from a cache, as they change without Textual's knowing."""
        return [self._strip(y).crop(crop.x, crop.right) for y in range(crop.y, crop.bottom)]

    def _strip(self, y: int) -> Strip:
        width, theme = self.size.width, self._theme
        line: Line = self._lines[y] if y < len(self._lines) else ()
        strip = Strip([Segment(theme.glyphs(text), theme.style(style)) for text, style in line if text])
        return strip.adjust_cell_length(width, theme.style(""))
