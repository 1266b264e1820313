"""What one rank says of itself every few seconds, at little cost: for whoever watches a thousand of them."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import msgspec

from ..events import DATA, FORWARD, SYNC
from .causes.causes import explain
from .medians import median_of_known
from .ranks.leads import Local, own_phases
from .wall_time import after_the_last

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .causes.tally import Sum
    from .intake import Intake


_NEWEST = 128
"""Iterations among which the newest loss is looked for."""


class Pulse(msgspec.Struct, frozen=True, gc=False):
    """The state of one rank. Seconds; `None` is not known, or not yet.

    Args:
        index: the newest iteration, as the trainer counts.
        duration_s: its time.
        usual_s: that of a normal one.
        at_s: when the newest ended, Unix time.
        loss: the newest; nan where it was no finite number.
        local_s: what it usually does without waiting for others, by phase.
        sync_s: what it usually waits for others, and exchanges with them; `None` where that is not measured apart.
        counted: what was lost by cause, as each cause became final: it only grows.
    """

    index: int | None = None
    duration_s: float | None = None
    usual_s: float | None = None
    at_s: float | None = None
    loss: float | None = None
    gradient_norm: float | None = None
    local_s: Mapping[str, float] = msgspec.field(default_factory=dict)
    sync_s: float | None = None
    counted: Mapping[str, Sum] = msgspec.field(default_factory=dict)


def pulse_of(run: Intake) -> Pulse:
    """The state of the rank whose events `run` has taken in."""
    columns = run.columns
    count = len(columns)
    if not count:
        return Pulse(counted=run.final_labels.counted.sums)
    baseline = run.labels.timing.baseline
    local_s, sync_s = _phases(run)
    return Pulse(
        index=columns.index[-1],
        duration_s=_known(columns.duration_s[-1]),
        usual_s=baseline.level if baseline else None,
        at_s=_known(columns.time_at(count - 1)),
        loss=_loss(run),
        gradient_norm=(run.scalars.extremes("gradient_norm") or (None,))[0],
        local_s=local_s,
        sync_s=sync_s,
        counted=run.final_labels.counted.sums,
    )


def count_open(run: Intake, *, over: bool) -> None:
    """Count all causes as they are now; where the run is `over`, also what came after its last iteration.

    Where another process goes on, that is part of the time between the two.
    """
    run.final_labels.count_open()
    if over and len(run.columns):
        run.final_labels.counted.add(explain(after_the_last(run)))


def _known(seconds: float) -> float | None:
    return None if isnan(seconds) else seconds


def _loss(run: Intake) -> float | None:
    """The newest loss: trainers print every tenth."""
    columns = run.columns
    if columns.newest_not_finite == len(columns) - 1:
        return float("nan")
    newest = reversed(columns.loss[-_NEWEST:])
    return next((loss for loss in newest if not isnan(loss)), None)


def _phases(run: Intake) -> tuple[dict[str, float], float | None]:
    """What is local, by phase, and the sync; without the sync a backward pass waits for others inside it."""
    wait_s = median_of_known(iteration.data_wait_s for iteration in run.newest_iterations())
    usual_s = run.gpu_phases.usual_s()
    if SYNC in usual_s:
        return own_phases(Local(wait_s, usual_s)), usual_s[SYNC]
    local_s = {} if wait_s is None else {DATA: wait_s}
    if FORWARD in usual_s:
        local_s[FORWARD] = usual_s[FORWARD]
    return local_s, None
