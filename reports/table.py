"""Rows of text in columns, by Rich. It is imported when a table is made: `--help` does without."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_WIDEST = 1_000
"""No table is cut at the width of a terminal: whoever writes one decides what is too long."""


def table(rows: Iterable[Sequence[str]], smallest: Sequence[int]) -> list[str]:
    """Rows as lines, each column as wide as its longest cell and two blanks.

    Args:
        rows: The cells of each row, from left to right.
        smallest: The least width of each column, its blanks included.

    Returns:
        A line a row, without blanks at its end. Brackets in cells are brackets: no markup is read.
    """
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    made = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    for cells in smallest:
        made.add_column(min_width=max(0, cells - 2), no_wrap=True)
    for row in rows:
        made.add_row(*(Text(cell) for cell in row))
    console = Console(file=StringIO(), width=_WIDEST, color_system=None, legacy_windows=False)
    with console.capture() as capture:
        console.print(made)
    return [line.rstrip() for line in capture.get().splitlines()]
