"""From what stands on the terminal to what should: the shortest writing of the cells that differ.

Textual repaints a dirty row from its left end, one colour sequence per segment: over SSH that is most of the
bytes. Here only cells that differ are written, and only what changes of their style.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import groupby, repeat
from operator import itemgetter, ne
from typing import TYPE_CHECKING
from unicodedata import category, east_asian_width

from rich.cells import cell_len

from .glyphs import OUR_GLYPHS
from .lines import SURE, is_sure
from .lines import width as cells_of

if TYPE_CHECKING:
    from rich.color import Color
    from rich.style import Style

    from .lines import Block, Line
    from .theme import Theme

Cell = tuple[str, str]  # character, name of its style
Pen = tuple[bool, bool, str, str]  # bold, reverse, codes of the foreground, of the background

_SURE_RUNS = re.compile(f"({SURE}+)")  # between them: emoji, accents, wide ones

_STYLE = itemgetter(1)  # of a cell

RESET = "\x1b[0m"
BRIDGE = 4
"""Cells that are alike, between two that differ, are written again up to this many: a move takes as many bytes."""


class Painter:
    """Knows what stands on the terminal, and writes the difference to what is asked for."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._painted: Block | None = None
        self._rows: dict[int, tuple[Line, list[Cell] | None]] = {}  # those that were written, cell by cell
        self._pens: dict[str, Pen] = {}
        self._parts: list[str] = []
        self._at_pen: Pen | None = None

    def forget(self) -> None:
        """Something else wrote to the terminal: what stands there is not known."""
        self._painted = None

    def assume(self, lines: Block) -> None:
        """`lines` stand on the terminal."""
        self._painted = lines

    def difference(self, lines: Block) -> str:
        """What to write so that `lines` stand there: all of them where it is not known what does.

        From now on they are taken to stand there.
        """
        painted = self._painted
        if painted is None or len(painted) != len(lines):
            painted = [()] * len(lines)
        self._parts, self._at_pen = [], None
        for y, (old, new) in enumerate(zip(painted, lines, strict=True)):
            if old is not new and old != new:
                self._row(y + 1, old, new)
        self._painted = lines
        return "".join([*self._parts, RESET]) if self._parts else ""

    def _row(self, y: int, old: Line, new: Line) -> None:
        """Write the runs of cells that differ; a row of doubtful widths is written whole."""
        line, known = self._rows.get(y, (None, None))
        before, after = known if line is old else self._cells(old), self._cells(new)
        self._rows[y] = new, after
        if before is None or after is None:
            self._whole_row(y, new)
            return
        at = -1
        changed = [x for x, differs in enumerate(map(ne, before, after)) if differs]
        for first, last in _runs([*changed, *range(len(before), len(after))]):
            self._parts.append(f"\x1b[{y};{first + 1}H" if at < 0 else f"\x1b[{first - at}C")
            for style, cells in groupby(after[first : last + 1], _STYLE):
                self._put("".join([char for char, _ in cells]), style)
            at = last + 1

    def _whole_row(self, y: int, line: Line) -> None:
        """Erase the row and write it anew, each part at the column where it belongs.

        Terminals differ in the width of emoji, joined and combining characters: without a column of its own, what
        follows one would stand where the terminal puts it, and our next difference would write next to it.
        """
        self._parts.append(f"\x1b[{y};1H")
        self._put("\x1b[2K", "")
        column = 1
        for text, style in line:
            for part in _SURE_RUNS.split(self._theme.glyphs(text)):
                if part:
                    self._put(f"\x1b[{column}G{part}", style)
                    column += cells_of(((part, ""),))

    def _cells(self, line: Line) -> list[Cell] | None:
        """Each cell of it; `None` where a character may not be one cell wide."""
        cells: list[Cell] = []
        for text, style in line:
            shown = self._theme.glyphs(text)
            if has_odd_width(shown):
                return None
            cells += zip(shown, repeat(style))
        return cells

    def _put(self, text: str, style: str) -> None:
        pen = self._pen(style)
        if pen != self._at_pen:
            self._parts.append(change(self._at_pen, pen))
            self._at_pen = pen
        self._parts.append(text)

    def _pen(self, name: str) -> Pen:
        pen = self._pens.get(name)
        if pen is None:
            pen = self._pens[name] = pen_of(self._theme.style(name))
        return pen


def has_odd_width(text: str) -> bool:
    """Whether a terminal may take a character of `text` for something else than one cell."""
    return not is_sure(text) and any(not char.isascii() and _is_odd(char) for char in text)


@cache
def _is_odd(char: str) -> bool:
    """Letters, digits and punctuation that Unicode calls narrow are sure, and so are our own glyphs."""
    if char in OUR_GLYPHS:
        return False
    return category(char)[0] not in "LNPZ" or east_asian_width(char) not in ("N", "Na", "H") or cell_len(char) != 1


def _runs(columns: list[int]) -> list[tuple[int, int]]:
    """Neighbours together, across gaps of at most `BRIDGE`."""
    runs: list[tuple[int, int]] = []
    for x in columns:
        if runs and x - runs[-1][1] <= BRIDGE + 1:
            runs[-1] = (runs[-1][0], x)
        else:
            runs.append((x, x))
    return runs


def pen_of(style: Style) -> Pen:
    """A style as the codes that make it."""
    return (
        bool(style.bold),
        bool(style.reverse),
        _codes(style.color, foreground=True),
        _codes(style.bgcolor, foreground=False),
    )


def _codes(color: Color | None, *, foreground: bool) -> str:
    return ";".join(color.get_ansi_codes(foreground=foreground)) if color else "39" if foreground else "49"


def change(old: Pen | None, new: Pen) -> str:
    """The sequence from one pen to another; from `None`: whatever the terminal had before."""
    if old is None:
        old, codes = (False, False, "39", "49"), ["0"]
    else:
        codes = []
    for is_on, was_on, on, off in ((new[0], old[0], "1", "22"), (new[1], old[1], "7", "27")):
        if is_on != was_on:
            codes.append(on if is_on else off)
    codes += [now for now, before in zip(new[2:], old[2:], strict=True) if now != before]
    return f"\x1b[{';'.join(codes)}m" if codes else ""
