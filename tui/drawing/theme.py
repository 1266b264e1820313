"""How to draw on this terminal: what the names of styles look like, and what stands for a glyph that it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category

import msgspec
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.style import Style

from .glyphs import ASCII
from .palettes import ANSI, PALETTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .palettes import Palette

LEAST_FOR_PALETTE = 256
"""With fewer colours than that the terminal's own are used, and its background."""

TRUE_COLOUR = 1 << 24


class Theme(msgspec.Struct, frozen=True):
    """How to draw: the styles, and what stands for the glyphs that the terminal does not have.

    background: a colour of our own; "" is the terminal's.
    replaced: a glyph for another of as many cells; with `ascii` what is not in it becomes `?`.
    """

    styles: Mapping[str, Style]
    ascii: bool = False
    replaced: Mapping[str, str] = {}
    background: str = ""

    def style(self, name: str) -> Style:
        """The style of a name; an unknown name is plain."""
        return self.styles.get(name) or self.styles[""]

    def glyphs(self, text: str) -> str:
        """`text` with what this terminal can draw, cell for cell, and nothing that it would obey."""
        if self.replaced and not text.isascii():
            text = self._replace(text)
        if not text.isprintable():
            text = "".join(c if c.isprintable() else "?" * cell_len(c) for c in text)
        return text if text.isascii() else _without_leading_marks(text)

    def _replace(self, text: str) -> str:
        if not self.ascii:
            return "".join(self.replaced.get(c, c) for c in text)
        text = text.replace("± ", "+-")
        return "".join(c if c.isascii() else self.replaced.get(c) or "?" * cell_len(c) for c in text)


def theme_for(
    colours: int, scheme: str = "dark", *, ascii_only: bool = False, replaced: Mapping[str, str] | None = None
) -> Theme:
    """The theme for a terminal of `colours` colours: 2 (none), 16, 256, or 1 << 24.

    Args:
        colours: as above.
        scheme: one of `PALETTES`; a terminal of 16 colours has its own.
        ascii_only: draw with ASCII alone.
        replaced: what stands for glyphs that the terminal does not have.
    """
    palette = PALETTES[scheme] if colours >= LEAST_FOR_PALETTE else ANSI
    styles = {name: _style(palette, text, colours) for name, text in palette.definitions().items()}
    glyphs = ASCII if ascii_only else replaced or {}
    return Theme(styles=styles, ascii=ascii_only, replaced=glyphs, background=palette.background)


def _style(palette: Palette, definition: str, colours: int) -> Style:
    if colours < 16:
        definition = " ".join(word for word in definition.split() if word in ("bold", "reverse"))
    style = Style.parse(f"{definition} on {palette.background}" if palette.background else definition)
    if colours == TRUE_COLOUR or not palette.background:
        return style
    front, back = (colour and colour.downgrade(ColorSystem.EIGHT_BIT) for colour in (style.color, style.bgcolor))
    return style + Style.from_color(front, back)


def _without_leading_marks(text: str) -> str:
    """A combining mark without its letter would settle on a neighbour: on the row above, or on another panel."""
    while text and category(text[0])[0] == "M" and not cell_len(text[0]):
        text = text[1:]
    return text
