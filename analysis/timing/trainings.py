"""The trainings of one source that are over: what stays known of the level that each of them had."""

from __future__ import annotations

from bisect import bisect_right
from statistics import median_high
from typing import TYPE_CHECKING, NamedTuple

from ...events import CHECKPOINT, EVALUATION

if TYPE_CHECKING:
    from collections.abc import Sequence


class Within(NamedTuple):
    """What is in each time of a training, and how often: then no time is one of the training alone."""

    kind: str = EVALUATION
    often: int = 0

    def holds(self, kinds: Sequence[str]) -> bool:
        """Is that all that is in the time of an iteration, and not more of it?"""
        return {*kinds} == {self.kind} and len(kinds) <= self.often

    @property
    def evaluations(self) -> int:
        """So many of these."""
        return self.often if self.kind == EVALUATION else 0


def within(held: Sequence[Sequence[str]], *, by_clock: bool) -> Within:
    """By what the times of iterations hold. A save counts only where all from row to row is in them."""
    kinds = (EVALUATION, CHECKPOINT) if by_clock else (EVALUATION,)
    counts = [(kind, [len(one) for one in held if {*one} == {kind}]) for kind in kinds]
    kind, most = max(counts, key=lambda one: len(one[1]))
    return Within(kind, median_high(most) if most else 0)


class Over(NamedTuple):
    """The position that one began with, at which its level had settled; what is in each iteration."""

    begun: int
    warmup: int
    within: Within


def holding(trainings: Sequence[Over], position: int) -> Over:
    """Of `trainings`, oldest first (at least one), the one that holds `position`."""
    return trainings[bisect_right(trainings, position, key=lambda one: one.begun) - 1]
