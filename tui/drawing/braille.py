"""Dots in cells: two columns and four rows of braille dots to a cell, each cell with one style."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .lines import Block, Line

# Bit of the dot at [row from the top][column] in a braille cell (Unicode 2800).
_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))

_SPANS = [
    [[sum(_BITS[dot][side] for dot in range(first, last + 1)) for last in range(4)] for first in range(4)]
    for side in range(2)
]
"""Bits of the dots from one row to another, by side."""


class Dots:
    """A grid of `cells` × `rows`, drawn on from the bottom left, read as lines."""

    def __init__(self, cells: int, rows: int) -> None:
        self.cells, self.rows = cells, rows
        self._dots = [[0] * cells for _ in range(rows)]
        self._text: list[list[str]] = [[""] * cells for _ in range(rows)]
        self._styles = [[""] * cells for _ in range(rows)]

    def column(self, x: int, low: int, high: int, style: str) -> None:
        """Dots `low`..`high` (0 is the lowest) of dot column `x`."""
        cell, side = divmod(x, 2)
        if not 0 <= cell < self.cells:
            return
        top = 4 * self.rows - 1
        first, last = top - min(top, high), top - max(0, low)  # from the top
        for row in range(first // 4, last // 4 + 1):
            self._dots[row][cell] |= _SPANS[side][max(0, first - 4 * row)][min(3, last - 4 * row)]
            self._styles[row][cell] = style

    def put(self, row: int, cell: int, text: str, style: str) -> None:
        """Write `text` over the dots, from `cell` on, in `row` from the top; what does not fit is left out."""
        for offset, char in enumerate(text):
            if 0 <= cell + offset < self.cells and 0 <= row < self.rows:
                self._text[row][cell + offset] = char
                self._styles[row][cell + offset] = style

    def free(self, row: int, cell: int, length: int) -> bool:
        """Whether nothing is drawn in `length` cells from `cell` on."""
        if row < 0 or row >= self.rows or cell < 0 or cell + length > self.cells:
            return False
        return not any(self._dots[row][c] or self._text[row][c] for c in range(cell, cell + length))

    def apart(self, row: int, cell: int, length: int) -> bool:
        """Whether there is room for a text that touches nothing: a blank, or the edge, at either side of it."""
        first, stop = max(0, cell - 1), min(self.cells, cell + length + 1)
        return cell >= 0 and cell + length <= self.cells and self.free(row, first, stop - first)

    def lines(self) -> Block:
        """The grid as lines of equal width, neighbours of one style together."""
        return [self._line(row) for row in range(self.rows)]

    def _line(self, row: int) -> Line:
        spans: list[tuple[str, str]] = []
        part, current = "", ""
        for dots, char, style in zip(self._dots[row], self._text[row], self._styles[row], strict=True):
            glyph = char or (chr(0x2800 + dots) if dots else " ")
            style = "" if glyph == " " else style  # noqa: PLW2901 - a blank needs no colour: one span less
            if style != current and glyph != " ":
                if part:
                    spans.append((part, current))
                part, current = "", style
            part += glyph
        spans.append((part, current))
        return tuple(spans)
