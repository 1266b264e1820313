"""One run as one line of a list: of its report so few figures that a hundred runs stand together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..analysis.findings import Activity
from ..events import EndReason, Severity
from ..words import clipped

if TYPE_CHECKING:
    from ..analysis.causes.attempts import Work
    from ..analysis.findings import Findings, Incident

RUNNING, SILENT, STARTING, END_UNKNOWN = "running", "silent", "starting", "end unknown"
_MOST_SAID = 200  # characters


class RunLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a list says of a run; `None` and "" are not known. Each figure is the one of the findings.

    state: `running`, `silent`, `starting`, or how it has ended.
    iteration_s: of a normal iteration.
    loss: the newest of the training; of an evaluation where only these print one.
    cost: so far.
    said: the incident that it is in, else the verdict.
    severity: of what is said.
    attempts: of one training, of which this is the newest; of all of them together are the figures that follow,
        see `analysis.causes.attempts.Work`.
    """

    state: str = ""
    source_format: str = ""
    iteration: int | None = None
    max_iterations: int | None = None
    fraction: float | None = None
    remaining_s: float | None = None
    finish_at_s: float | None = None
    iteration_s: float | None = None
    loss: float | None = None
    cost: float | None = None
    said: str = ""
    severity: Severity = Severity.INFO
    attempts: int = 1
    lost_iterations: int | None = None
    lost_s: float | None = None
    attempts_s: float | None = None
    gaps_s: float | None = None
    goodput: float | None = None


def with_work(line: RunLine, attempts: int, work: Work | None) -> RunLine:
    """The line of the newest of several attempts, with what all of them cost, where that is known."""
    if work is None:
        return msgspec.structs.replace(line, attempts=attempts)
    return msgspec.structs.replace(
        line,
        attempts=attempts,
        lost_iterations=work.lost_iterations,
        lost_s=work.lost_s,
        attempts_s=work.wall_s,
        gaps_s=work.gaps_s,
        goodput=work.goodput,
    )


def run_line(found: Findings) -> RunLine:
    """The line of a run, at the time of `found`."""
    progress, losses, incident = found.progress, found.losses, _gravest(found)
    return RunLine(
        state=_state(found),
        source_format=found.source_format,
        iteration=progress.iteration,
        max_iterations=progress.max_iterations,
        fraction=progress.fraction,
        remaining_s=found.eta.remaining_s,
        finish_at_s=found.eta.finish_at_s,
        iteration_s=found.level.clean_s,
        loss=losses.validation if losses.train is None else losses.train,
        cost=found.eta.cost_so_far,
        said=clipped(incident.state if incident else next(iter(found.verdict.opening), ""), _MOST_SAID),
        severity=incident.severity if incident else Severity.INFO,
    )


def _state(found: Findings) -> str:
    if found.ended:
        return END_UNKNOWN if found.ended == EndReason.UNKNOWN else found.ended
    silent = found.now.activity == Activity.SILENT
    return SILENT if silent else STARTING if found.progress.iteration is None else RUNNING


def _gravest(found: Findings) -> Incident | None:
    """The worst incident that it is in; of several the newest."""
    ranks = {Severity.WARNING: 1, Severity.ERROR: 2}
    standing = [one for one in found.incidents if not one.over and ranks.get(one.severity)]
    return max(reversed(standing), key=lambda one: ranks[one.severity], default=None)
