"""What the attempts of one training cost together: each is read once, one after another."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ...analysis.causes.attempts import Attempt, work_of
from ...analysis.run import Run
from ..runs import source_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.causes.attempts import Work
    from ...collectors.runs.listing import KnownRun


def work_of_attempts(attempts: Sequence[KnownRun], among: Sequence[KnownRun]) -> Work | None:
    """Of these, oldest first; `None` where one of them holds no iteration, or cannot be read.

    Args:
        attempts: of one training.
        among: all runs that are known: the ranks of each are looked for in them.
    """
    run, parts = Run(), list[Attempt]()
    for attempt in attempts:
        begun = len(run.columns)
        for batch in source_of(attempt, follow=False, among=among).batches(threading.Event()):
            if not batch.preview:
                run.apply(batch.events)
        if len(run.columns) == begun:
            return None
        parts.append(Attempt(begun, run.info.started_at_s, run.intake.last_at_s))
    return work_of(run.columns, parts, run.findings().ledger)
