"""The attempts of one training as one run: what they cost together. Each is read once, one after another."""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import TYPE_CHECKING

from ...analysis.causes.attempts import Attempt, work_of
from ...analysis.run import Run

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from ...analysis.causes.attempts import Work
    from ...collectors.runs.listing import KnownRun
    from ...events import Batch
    from .found import Place


class Joined:
    """The attempts so far, oldest first."""

    def __init__(self) -> None:
        self._run, self._parts = Run(), list[Attempt]()

    def begin(self) -> None:
        """What comes now is of another attempt."""
        self._parts.append(Attempt(len(self._run.columns)))

    def take(self, batch: Batch) -> None:
        """A batch of the newest one."""
        if not batch.preview:
            self._run.apply(batch.events)
            known = self._run.info.started_at_s, self._run.intake.last_at_s
            self._parts[-1] = Attempt(self._parts[-1].position, *known)

    @property
    def count(self) -> int:
        """Of attempts."""
        return len(self._parts)

    def work(self) -> Work | None:
        """What all of them cost; `None` where one of them holds no iteration, or cannot be read."""
        positions = [*(part.position for part in self._parts), len(self._run.columns)]
        if any(begin == end for begin, end in pairwise(positions)):
            return None
        return work_of(self._run.columns, self._parts, self._run.findings().ledger)


def joined(attempts: Sequence[Place], among: Sequence[KnownRun]) -> Generator[None, None, Joined]:
    """These, oldest first, a part of them read at a time.

    Args:
        attempts: of one training.
        among: all runs that are known: the ranks of each are looked for in them.
    """
    found = Joined()
    for attempt in attempts:
        found.begin()
        for batch in attempt.source(follow=False, among=among).batches(threading.Event()):
            found.take(batch)
            yield
    return found
