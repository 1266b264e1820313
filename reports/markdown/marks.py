"""The chart as rows of marks: how long the iterations took, where each cause was."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from ...events import TRAINING, UNEXPLAINED

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ...analysis.chart import ChartColumn

CELLS = 48
"""What a comment shows in one row, with names and figures beside it."""

_HEIGHTS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float | None]) -> str:
    """A block a value, from the lowest to the highest; a blank where there is none."""
    known = [value for value in values if value is not None and isfinite(value)]
    if not known:
        return ""
    low, high = min(known), max(known)
    steps = (high - low) / (len(_HEIGHTS) - 1) or 1.0
    return "".join(" " if v is None or not isfinite(v) else _HEIGHTS[round((v - low) / steps)] for v in values)


def lane(columns: Sequence[ChartColumn], cause: str, kinds: Collection[str]) -> str:
    """A mark where it happened, fuller where it did more than once; training goes on everywhere."""
    if cause == TRAINING:
        return "━" * len(columns)
    one = "▯" if cause == UNEXPLAINED else "▮"
    counts = [sum(column.counts.get(kind, 0) for kind in kinds) for column in columns]
    return "".join("·" if not n else one if n == 1 else "█" for n in counts)
