"""What style names look like, and the one-to-one translation of every glyph to ASCII."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import category

import msgspec
from rich.cells import cell_len
from rich.style import Style

from ...events import CAUSES

if TYPE_CHECKING:
    from collections.abc import Mapping

# Name -> (24-bit, 16 colours). Modifiers stay without colour, so that nothing rests on colour alone.
_COLOURS = {
    "": ("#d5dae1", ""),
    "dim": ("#7d8796", "bright_black"),
    "label": ("#9aa5b5", ""),
    "value": ("bold #f2f5f9", "bold"),
    "border": ("#465062", "bright_black"),
    "track": ("#2b323d", "bright_black"),
    "title": ("bold #9ecbff", "bold cyan"),
    "accent": ("#79b8ff", "cyan"),
    "good": ("#7ee2a8", "green"),
    "warn": ("#ffcf70", "yellow"),
    "bad": ("bold #ff7b7b", "bold red"),
    "key": ("bold #9ecbff", "bold cyan"),
    "chart": ("#5fb3f9", "bright_blue"),
    "axis": ("#667184", "bright_black"),
    "loss": ("#b8a5ff", "bright_magenta"),
    "validation": ("bold #ffcf70", "bold yellow"),
    "cursor": ("reverse bold #f2f5f9", "reverse bold"),
}

_HUES = {
    "blue": ("#5fb3f9", "bright_blue"),
    "orange": ("#ff9e64", "red"),
    "violet": ("#c3a6ff", "magenta"),
    "yellow": ("#ffcf70", "yellow"),
    "lilac": ("#e8b4d8", "bright_magenta"),
    "pink": ("#ff8fab", "bright_red"),
    "green": ("#a8d672", "green"),
    "red": ("bold #ff6b6b", "bold red"),
    "rose": ("#f78fd0", "bright_magenta"),
    "grey": ("#8b95a7", "bright_black"),
    "scarlet": ("bold #ff7b7b", "bold bright_red"),
}
"""The colours of the causes, by the hue in their table. The name of a cause is the name of its style."""

BACKGROUND = "#0f1319"
"""Of the 24-bit theme: its colours are chosen for it. With 16 colours the terminal's own background stays."""


class Theme(msgspec.Struct, frozen=True):
    """How to draw: the styles, and whether the terminal has more than ASCII."""

    styles: Mapping[str, Style]
    ascii: bool = False
    painted: bool = False  # with a background of our own

    def style(self, name: str) -> Style:
        """The style of a name; an unknown name is plain."""
        return self.styles.get(name) or self.styles[""]

    def glyphs(self, text: str) -> str:
        """`text` with what this terminal can draw, cell for cell, and nothing that it would obey."""
        if self.ascii and not text.isascii():
            text = text.replace("± ", "+-")
            text = "".join(c if c.isascii() else _ASCII.get(c) or "?" * cell_len(c) for c in text)
        if not text.isprintable():
            text = "".join(c if c.isprintable() else "?" * cell_len(c) for c in text)
        return text if text.isascii() else _without_leading_marks(text)


def theme_for(colours: int, *, ascii_only: bool = False) -> Theme:
    """The theme for a terminal of `colours` colours: 2 (none), 16, or 1 << 24."""
    painted = colours > 256
    background = f" on {BACKGROUND}" if painted else ""
    styles = {}
    of_causes = {cause.name: _HUES[cause.colour] for cause in CAUSES.values()}
    for name, (rich_style, plain) in (_COLOURS | of_causes).items():
        definition = (rich_style + background) if painted else plain
        if colours < 16:
            definition = " ".join(w for w in plain.split() if w in ("bold", "reverse"))
        styles[name] = Style.parse(definition)
    return Theme(styles=styles, ascii=ascii_only, painted=painted)


def _without_leading_marks(text: str) -> str:
    """A combining mark without its letter would settle on a neighbour: on the row above, or on another panel."""
    while text and category(text[0])[0] == "M" and not cell_len(text[0]):
        text = text[1:]
    return text


def _braille_as_ascii(dots: int) -> str:
    """The nearest ASCII mark of a braille cell: where its dots are, top to bottom."""
    if not dots:
        return " "
    rows = [bool(dots & mask) for mask in (0x09, 0x12, 0x24, 0xC0)]
    if sum(rows) >= 3:
        return "|"
    if rows[0] and not rows[3]:
        return ":" if rows[2] else "'"
    if rows[3] and not rows[0]:
        return ":" if rows[1] else "."
    return "-" if not rows[0] else ":"


_ASCII = {chr(0x2800 + dots): _braille_as_ascii(dots) for dots in range(256)} | dict(
    zip(
        "│┊┃─╌━╸╭╮╰╯├┤┴╵▮▯▏▎▍▌▋▊▉█▁▂▃▄▅▆▇▕▲▼▶●○×≈…–—·→←↑↓±µ≤≥°",
        "|||--=-++++++++" + "|?" + "  -====#" + "_.-=+*#" + "|^v>*ox~.--.><^v~u<>o",
        strict=True,
    )
)

OUR_GLYPHS = frozenset(_ASCII)
"""What the screen itself draws besides ASCII: one cell wide on every terminal that can show the screen at all."""
