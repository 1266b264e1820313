"""The kinds of incidents: one row each."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ...events import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..findings import Incident

FINISHED = "finished"
FAILED = "failed"
INTERRUPTED = "interrupted"
STOPPED = "stopped"
SILENT = "silent"
HANG = "hang"
NOT_FINITE = "loss-not-finite"
COLLAPSED = "loss-collapsed"
GROWN = "loss-grown"
SLOWED = "slowed-down"
POWER = "power-limit"
HEAT = "heat-limit"
DATA = "data-bound"
MEMORY = "memory-full"
DISK = "disk-full"
STRAGGLER = "straggler"
BUDGET = "over-budget"
DEADLINE = "past-deadline"


class Kind(NamedTuple):
    """What an incident can be."""

    name: str
    severity: Severity  # the screen's colour follows it
    title: str
    meaning: str
    ends_the_run: bool = False


_E, _W, _I = Severity.ERROR, Severity.WARNING, Severity.INFO

KINDS = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            Kind(FINISHED, _I, "finished", "It came to its end.", ends_the_run=True),
            Kind(FAILED, _E, "failed", "It ended with an error, or was killed.", ends_the_run=True),
            Kind(INTERRUPTED, _W, "interrupted", "Somebody, or the queue, ended it early.", ends_the_run=True),
            Kind(
                STOPPED,
                _W,
                "stopped",
                "It is over before its end, and no line that itermon can read says why.",
                ends_the_run=True,
            ),
            Kind(HANG, _E, "hang", "Its ranks wait for each other."),
            Kind(SILENT, _W, "silent", "Nothing new for far longer than is usual at this moment."),
            Kind(NOT_FINITE, _E, "loss NaN", "The loss is NaN or infinite."),
            Kind(COLLAPSED, _E, "loss zero", "The loss fell to exactly 0."),
            Kind(GROWN, _E, "loss grew", "The loss jumped up and stays there, or grows on."),
            Kind(SLOWED, _W, "slower", "A normal iteration takes longer than before, and stays so."),
            Kind(POWER, _W, "power limit", "The power limit holds the clock of a GPU down."),
            Kind(HEAT, _W, "heat limit", "Heat holds the clock of a GPU down."),
            Kind(DATA, _W, "data-bound", "The GPUs wait for their data."),
            Kind(MEMORY, _E, "memory", "Memory fills up, and will be full before the end."),
            Kind(DISK, _E, "disk", "The disk fills up, and will be full before the end."),
            Kind(STRAGGLER, _W, "straggler", "One rank comes late, and the others wait for it."),
            Kind(BUDGET, _W, "budget", "It costs more than was planned."),
            Kind(DEADLINE, _W, "deadline", "It will be done later than was planned."),
        )
    }
)
"""By name, what ends a run first."""

ENDS = tuple(kind.name for kind in KINDS.values() if kind.ends_the_run)
"""The names of what ends a run."""

_AHEAD = (MEMORY, DISK)
"""What these warn of can no longer come once the run is over."""


def serious(incidents: Iterable[Incident], *, over: bool) -> tuple[Incident, ...]:
    """Those for which a run is not healthy: errors that it is in; `over`: that it ended with."""
    errors = (one for one in incidents if one.severity == Severity.ERROR and not one.over)
    return tuple(one for one in errors if not (over and one.kind in _AHEAD))
