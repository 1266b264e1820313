"""The processes of a run, one after the other: their iterations, and those that came to none.

A trainer that begins again counts from a lower index; one that ends before its first iteration has only its words.
"""

from __future__ import annotations

from itertools import pairwise
from operator import gt
from typing import TYPE_CHECKING

from ...events import Iterations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...events import Iteration, Launch
    from .messages import Messages
    from .settings import Settings

Part = tuple["list[Iteration] | Iterations", "Sequence[int]"]
"""Iterations of one process, and their indices, which ascend."""


def by_process(events: list[Iteration] | Iterations) -> Iterator[Part]:
    """`events` cut where the index steps back."""
    if isinstance(events, Iterations):
        yield events, events.index
        return
    indices = [e.index for e in events]
    if not any(map(gt, indices, indices[1:])):
        yield events, indices
        return
    backwards = [n for n in range(1, len(indices)) if indices[n] < indices[n - 1]]
    for start, stop in pairwise([0, *backwards, len(indices)]):
        yield events[start:stop], indices[start:stop]


def of_rank(events: list[Iteration], rank: int | None) -> list[Iteration]:
    """Those of `rank`, without the other ranks of the same iterations: they pass at the same pace."""
    return events if {e.rank for e in events} == {rank} else [e for e in events if e.rank == rank]


class Launches:
    """The processes that wrote to one log: what one says, its `messages` and its `settings`, is not the others'.

    Of a source that has one process, or does not tell them apart, there are none.
    """

    def __init__(self, messages: Messages, settings: Settings) -> None:
        self.count = 0
        self.without_iterations = 0
        """How many have ended, as far as anybody knows, before their first iteration."""

        self.newest: Launch | None = None
        """The newest, as long as it has no iteration."""

        self._messages, self._settings = messages, settings

    def begin(self, launch: Launch, hear: Callable[[], None]) -> None:
        """Another one begins. `hear` looks at how the run ended that goes on no more."""
        self._messages.begin_launch(launch.line, hear)
        self.count = max(1, self.count) + 1
        self.without_iterations += 1 + launch.after_none - (self.newest is not None)
        self.newest = launch

    def go_on(self) -> bool:
        """Iterations come: is it the newest launch that has come to its first?

        How the process before it ended is known then, and how long one takes to begin nobody knows.
        """
        if self.newest is None:
            return False
        self._messages.go_on()
        self._settings.begin_launch()
        self.without_iterations -= 1
        self.newest = None
        return True
