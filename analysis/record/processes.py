"""Iterations by process: a trainer that begins again counts from a lower index."""

from __future__ import annotations

from itertools import pairwise
from operator import gt
from typing import TYPE_CHECKING

from ...events import Iterations

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...events import Iteration

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
