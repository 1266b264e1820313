"""The loss of a row of YOLOv3 to YOLOv8: its columns are losses of parts, and in some versions their sum as well.

       Epoch   gpu_mem       box       obj       cls     total    labels  img_size
        0/99        2G      0.25       0.5      0.25       1.0        12       640
A fork has more parts than these, and version 8 four of them without their sum: only the heading, or what adds
up, tells which column is the sum.
"""

from __future__ import annotations

from math import isclose, isnan

from ...patterns import lazy_pattern
from ..parsing.values import number

_TOTAL = lazy_pattern(r"\b(?:total(?:_loss)?|loss|sum)\b")
"""What a heading calls it."""

_ROUNDED, _MOST = 2e-3, 12
"""What four digits of each part leave of a sum; and so many columns of losses at most."""


def names_total(heading: str) -> bool:
    """Does a heading name the sum of its losses?"""
    return _TOTAL.search(heading) is not None


def loss_of(columns: list[str], *, has_total: bool | None = None) -> float | None:
    """The sum of the losses before the instances and the size.

    `has_total`: does their heading name it? `None`: there was none.
    """
    values = [number(column) for column in columns[:-2]]
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    if has_total or (has_total is None and len(known) > 2 and _is_sum(known[-1], known[:-1])):
        return known[-1]
    return sum(known)


def total_of(columns: list[str]) -> float | None:
    """The loss of a line of `results.txt`, which has no heading: what those before it add up to, however many."""
    values: list[float] = []
    for column in columns[:_MOST]:
        value = number(column)
        if value is None or isnan(value):
            return value
        if len(values) > 1 and _is_sum(value, values):
            return value
        values.append(value)
    return None


def _is_sum(total: float, parts: list[float]) -> bool:
    return total > 0 and isclose(total, sum(parts), rel_tol=_ROUNDED)
