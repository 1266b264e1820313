"""The newest iterations of a run, whole: what is asked of the last few only is in no column."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...events import Iteration, Iterations

MOST = 256
"""A printed MFU and a data wait are judged by them: enough for a median, cheap for every frame."""


class Newest:
    """The newest `MOST` iterations, kept as they came: of a block each is made when somebody looks."""

    def __init__(self) -> None:
        self._parts: deque[list[Iteration] | Iterations] = deque()
        self._kept = 0  # iterations, in all parts
        self.rank: int | None = None
        """The rank that they are of."""

    def add(self, events: list[Iteration] | Iterations) -> None:
        """Take in `events` (at least one), oldest first."""
        self._parts.append(events[-MOST:])
        self._kept += len(self._parts[-1])
        self.rank = events[-1].rank
        while self._kept - len(self._parts[0]) >= MOST:
            self._kept -= len(self._parts.popleft())

    def last(self, most: int) -> list[Iteration]:
        """The last of them, at most so many, oldest first."""
        return [event for part in self._parts for event in part][-min(most, MOST) :] if most else []
