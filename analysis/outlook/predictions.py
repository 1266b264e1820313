"""ETAs put down at fixed shares of the run, to be judged by how it went."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from ..findings import EtaScore
from .eta import SCORED_AT

if TYPE_CHECKING:
    from collections.abc import Sequence


class Predictions:
    """One for each share in `SCORED_AT`, in order."""

    def __init__(self) -> None:
        self.made: list[EtaScore] = []

    def due(self, indices: Sequence[int], max_iterations: int | None) -> list[int]:
        """Where to stop in iterations `indices` (ascending) and predict: how many to take in before each one."""
        parts: list[int] = []
        if not max_iterations or indices[-1] < SCORED_AT[0] * max_iterations:
            return parts
        done = 0
        for share in SCORED_AT[len(self.made) :]:
            place = bisect_left(indices, share * max_iterations)
            if place == len(indices):
                break
            parts.append(place + 1 - done)
            done = place + 1
        return parts

    def add(self, total_s: float) -> None:
        """Put down what the whole run will take, as it looks at the next share."""
        self.made.append(EtaScore(fraction=SCORED_AT[len(self.made)], predicted_total_s=total_s))
