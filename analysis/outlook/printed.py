"""What the log itself says is left of the run, beside what is measured here: a witness, and never the judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import CAUSES
from ...words import duration, rounded_duration
from ..findings import PrintedEta
from ..timing.witnesses import SLACK, SLACK_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...events import Iteration
    from ..findings import Eta, Schedule

NEWEST = 5
"""Of so many iterations one must have said it: what is older is no witness of now."""


def said(newest: Sequence[Iteration]) -> float | None:
    """Seconds that are left by the newest word of the log, less what has passed since."""
    passed_s = 0.0
    for one in reversed(newest):
        if one.remaining_s is not None:
            return max(0.0, one.remaining_s - passed_s)
        passed_s += (one.duration_s or 0.0) * one.averaged_over
    return None


def witness(printed_s: float, eta: Eta, to_go: int, mean_s: float) -> PrintedEta:
    """`printed_s` against `eta`: `to_go` iterations are left, and have taken `mean_s` each so far, with stops."""
    ours_s = eta.remaining_s or 0.0
    low_s, high_s = (ours_s if one is None else one for one in (eta.low_s, eta.high_s))
    if _alike(printed_s, ours_s) or low_s <= printed_s <= high_s:
        return PrintedEta(printed_s, agrees=True)
    return PrintedEta(printed_s, agrees=False, why=_why(printed_s, ours_s, eta.schedules, to_go, mean_s))


def alone(printed_s: float) -> PrintedEta:
    """Where nothing else is known."""
    return PrintedEta(printed_s, why="printed by the log; nothing here confirms it")


def _why(printed_s: float, ours_s: float, plan: Sequence[Schedule], to_go: int, mean_s: float) -> str:
    """What would explain the difference, where the figures bear it out."""
    stops = [(s.kind, s.remaining * s.mean_s) for s in plan if s.remaining and s.mean_s]
    stops_s = sum(seconds for _, seconds in stops)
    if stops and _alike(printed_s + stops_s, ours_s):
        kinds = " and ".join(CAUSES[kind].many for kind, _ in stops)
        return f"it leaves out {kinds} to come, {rounded_duration(stops_s)}"
    if to_go and _alike(printed_s, to_go * mean_s):
        return f"it counts with the mean of all iterations so far, {duration(mean_s)}, with all stops in it"
    return "what it counts with is not known: a bar takes its newest steps alone"


def _alike(one_s: float, other_s: float) -> bool:
    return abs(one_s - other_s) <= max(SLACK * other_s, SLACK_S)
