"""A comparison as plain text: what follows from it first, then the numbers side by side. No Textual here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .compare_rows import Row, compare_said, compare_tables
from .lines import indented, wrap
from .table import table

if TYPE_CHECKING:
    from ..analysis.whatif.comparison import Comparison

WIDTH = 78
SETTING, VALUE = 26, 23
LONGEST = VALUE - 2
"""Of a setting's value: a path that is longer is cut in its middle, as both of its ends tell something."""


def compare_text(c: Comparison) -> str:
    """The comparison as text of at most 80 columns."""
    headline, *others = compare_said(c)
    lines = wrap(headline, WIDTH)
    for sentence in others:
        lines += indented(sentence, WIDTH)
    for number, (heading, heads, rows) in enumerate(compare_tables(c)):
        shown = rows if number else [heads, *rows]
        lines += ["", heading, *table(map(_cells, shown), (SETTING, VALUE, VALUE, 0))]
    return "\n".join(lines) + "\n"


def _cells(row: Row) -> tuple[str, str, str, str]:
    return f" {_cut(row.name, SETTING - 3)}", _cut(row.a, LONGEST), _cut(row.b, LONGEST), row.last


def _cut(value: str, most: int) -> str:
    half = (most - 1) // 2
    return value if len(value) <= most else f"{value[:half]}…{value[-half:]}"
