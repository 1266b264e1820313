"""The newest iterations of a run, whole, and the tokens of all: what is asked of the last few is in no column."""

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

        self._tokens = self._with_tokens = 0  # of all iterations that count their own, and how many these are

    def add(self, events: list[Iteration] | Iterations) -> None:
        """Take in `events` (at least one), oldest first."""
        self._parts.append(events[-MOST:])
        self._kept += len(self._parts[-1])
        self.rank = events[-1].rank
        if isinstance(events, list):
            self._count_tokens(events)
        while self._kept - len(self._parts[0]) >= MOST:
            self._kept -= len(self._parts.popleft())

    @property
    def tokens_mean(self) -> float | None:
        """Tokens of an iteration over the whole run: a batch that grows makes the newest a bad guess of all."""
        return self._tokens / self._with_tokens if self._with_tokens else None

    def _count_tokens(self, events: list[Iteration]) -> None:
        for event in events:
            if event.tokens is not None:
                self._tokens += event.tokens * event.averaged_over
                self._with_tokens += event.averaged_over

    def last(self, most: int) -> list[Iteration]:
        """The last of them, at most so many, oldest first."""
        return [event for part in self._parts for event in part][-min(most, MOST) :] if most else []
