"""A comparison as Markdown, for a pull request: what follows from it first, then the numbers side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..compare_rows import compare_said, compare_tables
from .markup import plain, points, table
from .report_markdown import fitting

if TYPE_CHECKING:
    from ...analysis.whatif.comparison import Comparison

_LONGEST, _LONGEST_NAME = 80, 48
"""Characters of a cell: a path that is longer is cut; of a run's name above its columns."""


def compare_markdown(c: Comparison) -> str:
    """The comparison as one comment."""
    headline, *others = compare_said(c)
    blocks = [f"**{plain(headline)}**", points(others)]
    for heading, heads, rows in compare_tables(c):
        first = [plain(cell, _LONGEST_NAME) for cell in heads._replace(name=heading)]
        blocks.append(table(first, [[plain(cell, _LONGEST) for cell in row] for row in rows], "lrrr"))
    return fitting(blocks)
