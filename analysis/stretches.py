"""Losses that are no finite numbers, as stretches: those that follow each other without a number between."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 256
"""Stretches that are kept: after so many, the oldest is of no interest any more."""


class Stretch(NamedTuple):
    """From the position of the first to that of the last one, and how many they are."""

    first: int
    last: int
    losses: int


class BadLosses:
    """All of them, counted, and the newest stretches."""

    def __init__(self) -> None:
        self.stretches: list[Stretch] = []

    def add(self, position: int, loss: Sequence[float]) -> bool:
        """One more, at `position` of all losses; does a stretch begin with it?"""
        before = self.stretches[-1] if self.stretches else None
        if before is None or any(value == value for value in loss[before.last + 1 : position]):
            self.stretches.append(Stretch(position, position, 1))
            del self.stretches[:-MOST]
            return True
        last = max(before.last, position)
        self.stretches[-1] = Stretch(before.first, last, before.losses + 1)
        return False
