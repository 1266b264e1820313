"""Dots in cells: columns of dots, texts over them, and room between texts."""

import pytest

from itermon.tui.drawing.braille import Dots
from itermon.tui.drawing.lines import text


def bits(low: int, high: int, x: int, rows: int = 3) -> list[int]:
    """By rows from the top, dot by dot."""
    places = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
    made = [0] * rows
    for dot in range(4 * rows):
        if low <= dot <= high:
            made[(4 * rows - 1 - dot) // 4] |= places[(4 * rows - 1 - dot) % 4][x % 2]
    return made


@pytest.mark.parametrize("x", [0, 3])
def test_a_column_of_dots_reaches_from_low_to_high(x: int) -> None:
    for low in range(-3, 15):
        for high in range(-3, 15):
            dots = Dots(2, 3)
            dots.column(x, low, high, "")
            drawn = [f"{text(line):<2}"[x // 2] for line in dots.lines()]
            assert [ord(c) - 0x2800 if c != " " else 0 for c in drawn] == bits(low, high, x)


def test_what_lies_beside_the_grid_is_not_drawn() -> None:
    dots = Dots(2, 1)
    dots.column(-1, 0, 3, "")
    dots.column(4, 0, 3, "")
    dots.put(0, 1, "abc", "")
    dots.put(1, 0, "d", "")
    assert text(dots.lines()[0]) == " a"


@pytest.mark.parametrize(
    ("cell", "length", "fits"),
    [(0, 2, True), (0, 3, False), (4, 2, False), (5, 2, True), (5, 3, False), (-1, 2, False), (8, 2, False)],
)
def test_a_text_touches_nothing_but_the_edge(cell: int, length: int, fits: bool) -> None:
    dots = Dots(9, 1)
    dots.put(0, 3, "x", "")
    dots.column(16, 0, 0, "")
    assert dots.apart(0, cell, length) is fits
