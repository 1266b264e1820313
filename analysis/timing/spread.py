"""How much normal iterations differ from each other: whether their times tell."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from .baseline import FEW

if TYPE_CHECKING:
    from collections.abc import Sequence

FINE = 0.001
"""A last digit that is worth no more than this share of the time hides nothing that anybody would look for."""


_SAME = 1e-6
"""Of the level: two times that are nearer differ by what adding and scaling numbers leaves, and by no digit."""


def is_told(durations: Sequence[float], level: float, jitter: float) -> bool:
    """Few times do not tell it, nor do those that a coarse last digit makes alike.

    Args:
        durations: those that the level rests on, in seconds.
        level: what is usual, in seconds.
        jitter: how much they seem to differ, as a share of the level.
    """
    alike = level * _SAME
    different = sorted({round(duration / alike) * alike for duration in durations})
    if len(durations) < FEW or len(different) == 1:
        return False
    digit = min(after - before for before, after in pairwise(different))
    return digit <= FINE * level or jitter * level >= digit
