"""A comparison as Markdown, for a pull request: what follows from it first, then the numbers side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..compare_rows import compare_said, compare_tables
from .markup import plain, points, table
from .report_markdown import fitting

if TYPE_CHECKING:
    from ...analysis.whatif.comparison import Comparison

_LONGEST = 80
"""Characters of a cell: a path that is longer is cut."""


def compare_markdown(c: Comparison) -> str:
    """The comparison as one comment."""
    headline, *others = compare_said(c)
    blocks = [f"**{plain(headline)}**", points(others)]
    for heading, heads, rows in compare_tables(c):
        named = heads._replace(name=heading)
        first, *cells = [[plain(cell, _LONGEST) for cell in row] for row in (named, *rows)]
        blocks.append(table(first, cells, "lrrr"))
    return fitting(blocks)
