"""The algebra of a screen: a line is styled spans, a block is lines of one width; blocks stand next to each other.

Styles are names here; `theme.py` says what a name looks like. So every panel is a pure function that a test
reads as text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from ...reports import lines as plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Span = tuple[str, str]  # text, name of its style
Line = tuple[Span, ...]
Block = list[Line]

SURE = "[\\x20-\\x7e\\u2500-\\u259f\\u2800-\\u28ff]"
"""A character that surely takes one cell: ASCII, lines and blocks, braille; as a pattern."""

is_sure = re.compile(f"{SURE}*").fullmatch


def text(line: Line) -> str:
    """The line without its styles."""
    return "".join(part for part, _ in line)


def width(line: Line) -> int:
    """Cells that the line takes: a wide character takes two."""
    return sum([_cells_of(part) for part, _ in line])


@lru_cache(2_048)
def _cells_of(part: str) -> int:
    """Of one part: most of a screen is the same in the next frame."""
    return len(part) if is_sure(part) else cell_len(part)


def fit(line: Line, cells: int) -> Line:
    """The line in exactly `cells` cells: padded, or cut with an ellipsis that says so."""
    used = width(line)
    if used <= cells:
        return line if used == cells else (*line, (" " * (cells - used), ""))
    if cells < 1:
        return ()
    return (*_cut(line, cells - 1), ("…", "dim"))


def _cut(line: Line, cells: int) -> list[Span]:
    kept: list[Span] = []
    for part, style in line:
        size = cell_len(part)
        if size >= cells:
            kept.append((set_cell_size(part, cells), style))
            break
        kept.append((part, style))
        cells -= size
    return kept


def spread(left: Line, right: Line, cells: int) -> Line:
    """`left` and `right` at the two ends of a line; where both do not fit, `right` goes first."""
    gap = cells - width(left) - width(right)
    if gap < 1:
        return fit(left, cells)
    return (*left, (" " * gap, ""), *right)


def shed(parts: Iterable[tuple[int, Line]], cells: int) -> Line:
    """The parts in their order; while they take more than `cells`, the part of the highest rank goes (never 0)."""
    kept = list(parts)
    while sum(width(line) for _, line in kept) > cells and (last := max(rank for rank, _ in kept)) > 0:
        kept.remove(next(part for part in reversed(kept) if part[0] == last))
    return tuple(span for _, line in kept for span in line)


def block(lines: Iterable[Line], cells: int, rows: int) -> Block:
    """Exactly `rows` lines of `cells` cells: what is too much is cut, what lacks is blank."""
    made = [fit(line, cells) for line, _ in zip(lines, range(rows), strict=False)]
    made.extend([((" " * cells, ""),)] * (rows - len(made)))
    return made


def box(title: Line, body: Iterable[Line], cells: int, rows: int, right: Line = ()) -> Block:
    """A frame of `cells` × `rows` around `body`, with a title, and a second one at its right end.

    What is too long for it is marked in its lower edge.
    """
    inner, body = cells - 2, list(body)
    if inner < 1 or rows < 2:
        return block(body, cells, rows)
    head: Line = ((" ", ""), *title, (" ", "")) if title else ()
    tail: Line = ((" ", ""), *right, (" ", "")) if right else ()
    if width(head) + width(tail) + 2 > inner:
        tail = ()
    head = fit(head, inner - 1) if width(head) > inner - 1 else head
    dashes = inner - width(head) - width(tail) - (1 if tail else 0)
    top: Line = (("╭", "border"), *head, ("─" * dashes, "border"), *tail, ("─" if tail else "", "border"))
    lines = [(*top, ("╮", "border"))]
    lines += [(("│", "border"), *line, ("│", "border")) for line in block(body, inner, rows - 2)]
    more = " … ─" if len(body) > rows - 2 and inner > 4 else ""
    lines.append((("╰" + "─" * (inner - len(more)) + more + "╯", "border"),))
    return lines


def hstack(*blocks: Block) -> Block:
    """Blocks of equal height, from left to right."""
    return [tuple(span for line in row for span in line) for row in zip(*blocks, strict=True)]


def wrap(sentence: str, cells: int, style: str = "") -> Block:
    """A sentence over as many lines as it needs; a word longer than a line is cut by whoever fits it."""
    return [((line, style),) for line in plain.wrap(sentence, cells)]


def bar(fraction: float | None, cells: int, style: str) -> Line:
    """A bar of `cells` cells, half a cell fine, on a track; what is not nothing is half a cell at least."""
    drawn = plain.bar(fraction, cells)
    return ((drawn, style), ("─" * (cells - len(drawn)), "track"))


def sparkline(values: Sequence[float | None], cells: int, top: float) -> str:
    """The newest `cells` values as bars between 0 and `top`; unknown is blank."""
    if not top > 0:
        return " " * cells
    marks = [" " if v is None else "▁▂▃▄▅▆▇"[min(6, max(0, int(v / top * 7)))] for v in values[-cells:]]
    return "".join(marks).rjust(cells)
