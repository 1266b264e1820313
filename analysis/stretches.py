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
    """The newest stretches, and what is known of those of the newest training."""

    def __init__(self) -> None:
        self.stretches: list[Stretch] = []
        self.earlier = 0  # losses in trainings before the newest
        self.first: int | None = None  # position of its first one
        self.since: int | None = None  # ... and of the first after the newest loss that was a number
        self.from_start = False  # is its first loss none?
        self._begun = 0  # its first position

    def begin_training(self, position: int, losses: int) -> None:
        """Another training begins at `position`, after so many in those before: no stretch goes on into it."""
        self._begun, self.earlier = position, losses
        self.first = self.since = None
        self.from_start = False

    def add(self, position: int, loss: Sequence[float]) -> None:
        """One more, at `position` of all losses."""
        before = self.stretches[-1] if self.stretches else None
        if (
            before is None
            or self.first is None
            or any(value == value for value in loss[before.last + 1 : position])
        ):
            self.stretches.append(Stretch(position, position, 1))
            del self.stretches[:-MOST]
            self.since = position
            if self.first is None:
                self.first = position
                self.from_start = all(value != value for value in loss[self._begun : position])
        else:
            self.stretches[-1] = Stretch(before.first, max(before.last, position), before.losses + 1)
