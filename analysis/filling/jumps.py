"""Does it grow by a jump at each evaluation, or checkpoint? The levels before and after each stop tell."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

NEAR = 8
"""Samples before and after a stop, whose lowest is the level there."""

FEWEST = 5
FEWEST_ALIKE = 3
FEW = 10
"""What is only named, and not drawn on, takes fewer jumps; and of so few, that they are all alike."""

KEPT = 64

MOST_OF = 0.75
"""So many of the jumps go up, and so much of all growth they make; the newest half is so much of them all."""

BETWEEN = 0.5
"""Between two stops it moves by no more than this part of a jump: a sawtooth goes down as far as it goes up."""

SCATTER = 3.0
"""A jump is so many times what it usually differs by: jumps of noise go up by chance."""


ALIKE = 0.75
"""A jump of a few is at least this part of the largest."""


class Jump(NamedTuple):
    """By how much it grows at each stop of a kind, usually; `every` iterations, the newest at `iteration`."""

    kind: str
    each: float
    apart: float  # what the jumps differ by, usually
    times: int
    every: int
    iteration: int
    first: int  # iteration of the oldest that is kept
    level: float  # after the newest


class _Level(NamedTuple):
    iteration: int
    before: float
    after: float


class Jumps:
    """The levels around the stops of one kind."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._levels: deque[_Level] = deque(maxlen=KEPT)
        self._under_way: tuple[int, float] | None = None  # iteration, and the level before
        self._after: list[float] = []
        self._seen = 0  # stops, also those that are not kept any more

    def stop(self, iteration: int, before: Sequence[float]) -> None:
        """A stop is over; before it these were the newest samples."""
        self._settle()
        self._under_way = (iteration, min(before)) if before else None

    def add(self, value: float) -> None:
        """Take in a sample."""
        if self._under_way is not None:
            self._after.append(value)
            if len(self._after) == NEAR:
                self._settle()

    def found(self, *, few: bool = False) -> Jump | None:
        """The jump at each of the stops, if there is one; with `few`, also of so many, where all are alike."""
        levels = list(self._levels)
        jumps = [level.after - level.before for level in levels]
        if len(levels) < (FEWEST_ALIKE if few else FEWEST):
            return None
        if few and len(levels) < FEW and min(jumps) < ALIKE * max(jumps):
            return None
        each, grown = median(jumps), levels[-1].after - levels[0].before
        apart = median(abs(jump - each) for jump in jumps)
        every = int(median(b.iteration - a.iteration for a, b in pairwise(levels)))
        goes_on = median(jumps[len(jumps) // 2 :]) >= MOST_OF * each
        goes_up = sum(jump > 0 for jump in jumps) >= MOST_OF * len(jumps) and each > SCATTER * apart
        between = median(abs(b.before - a.after) for a, b in pairwise(levels))
        is_all = between <= BETWEEN * each and MOST_OF * grown <= sum(jumps) <= grown / MOST_OF
        if not (goes_on and goes_up and is_all and every):
            return None
        newest = levels[-1]
        return Jump(self.kind, each, apart, self._seen, every, newest.iteration, levels[0].iteration, newest.after)

    def _settle(self) -> None:
        if self._under_way is not None and self._after:
            iteration, before = self._under_way
            self._levels.append(_Level(iteration, before, min(self._after)))
            self._seen += 1
        self._under_way, self._after = None, []
