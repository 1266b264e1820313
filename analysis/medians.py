"""Medians: of numbers in order, and of those of several that are known."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def median_of_ordered(ordered: Sequence[float]) -> float:
    """The median of numbers in order (at least one): without sorting them again."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def median_of_known(values: Iterable[float | None]) -> float | None:
    """The median of those that are known; `None` where none is."""
    known = [v for v in values if v is not None]
    return median(known) if known else None
