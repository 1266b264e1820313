"""Every text can be read: its contrast with the background of its palette, in 24 bits and in 256 colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rich.color import Color

from itermon.events import CAUSES
from itermon.tui.drawing.palettes import ANSI, DARK, LIGHT, PALETTES, Palette
from itermon.tui.drawing.theme import Theme, theme_for

if TYPE_CHECKING:
    from rich.style import Style

NO_TEXT = {"border", "track"}
LEAST = 4.5  # WCAG 2.2, AA


def luminance(colour: Color) -> float:
    parts = [part / 255 for part in colour.get_truecolor()]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(style: Style) -> float:
    assert style.color is not None
    assert style.bgcolor is not None
    light, dark = sorted((luminance(style.color), luminance(style.bgcolor)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colours", [256, 1 << 24])
@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_every_text_has_the_contrast_that_people_need(scheme: str, colours: int) -> None:
    theme = theme_for(colours, scheme)
    weak = {n: round(contrast(s), 2) for n, s in theme.styles.items() if n not in NO_TEXT and contrast(s) < LEAST}
    assert not weak


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_all_palettes_have_the_same_styles(palette: Palette) -> None:
    assert set(palette.colours) == set(DARK.colours)
    assert set(palette.hues) == set(DARK.hues)
    assert set(CAUSES) <= set(palette.definitions())


def test_the_terminals_own_colours_hold_no_grey_that_is_a_background() -> None:
    assert not [name for name, text in ANSI.definitions().items() if "black" in text or "white" in text]


def codes(theme: Theme) -> set[str]:
    return {code for style in theme.styles.values() if style.color for code in style.color.get_ansi_codes()}


def test_a_terminal_of_256_colours_gets_none_of_24_bits_and_one_of_16_none_of_either() -> None:
    assert {"38", "5"} <= codes(theme_for(256))
    assert "2" not in {style.color.get_ansi_codes()[1] for style in theme_for(256).styles.values() if style.color}
    assert all(len(style.color.get_ansi_codes()) == 1 for style in theme_for(16).styles.values() if style.color)


def test_light_is_light() -> None:
    assert luminance(Color.parse(LIGHT.background)) > 0.8 > 0.1 > luminance(Color.parse(DARK.background))
