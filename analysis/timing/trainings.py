"""The trainings of one source that are over: what stays known of the level that each of them had."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Over(NamedTuple):
    """The position that one began with, at which its level had settled; evaluations in each iteration."""

    begun: int
    warmup: int
    evaluations: int


def holding(trainings: Sequence[Over], position: int) -> Over:
    """Of `trainings`, oldest first (at least one), the one that holds `position`."""
    return trainings[bisect_right(trainings, position, key=lambda one: one.begun) - 1]
