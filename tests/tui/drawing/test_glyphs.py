"""Each glyph of ours has one character in its place, as wide as it is."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from itermon.tui.drawing.glyphs import ASCII, CONSOLE, OUR_GLYPHS
from itermon.tui.drawing.theme import theme_for

CP437 = bytes(range(128, 256)).decode("cp437")


@pytest.mark.parametrize("glyph", sorted(OUR_GLYPHS))
def test_in_ascii_it_is_one_character(glyph: str) -> None:
    assert ASCII[glyph].isascii()
    assert cell_len(ASCII[glyph]) == cell_len(glyph) == 1


def test_the_console_draws_what_the_pc_had() -> None:
    theme = theme_for(16, replaced=CONSOLE)
    shown = theme.glyphs("".join(sorted(OUR_GLYPHS)))
    assert len(shown) == len(OUR_GLYPHS)
    unknown = {char for char in shown if not char.isascii() and char not in CP437}
    assert unknown <= set("▲▼→←↑↓×±µ·°≈≤≥"), "those are in the console's fonts besides"
