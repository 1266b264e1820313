"""What is worth waking somebody for: with a beginning, an end and evidence."""

from __future__ import annotations

from ...events import Severity
from .finding import Finding


class Incident(Finding, frozen=True):
    """Something that happened to the run, or that it is in now.

    `kind` is a word of `analysis.incidents.kinds`. `key` names this incident among all of its run, the same live,
    attached and replayed: one message an incident goes by it. It began after `began_iteration`, or in it, and is
    `over` once it has passed; times are Unix times, `None` where the source has no clock. `state`, `evidence` and
    `action` are sentences, said when it was newest. `rank` is the one that is to blame, where a single one is.
    """

    kind: str
    key: str
    severity: Severity = Severity.WARNING
    began_at_s: float | None = None
    began_iteration: int | None = None
    ended_at_s: float | None = None
    ended_iteration: int | None = None
    over: bool = False
    state: str = ""
    evidence: tuple[str, ...] = ()
    action: str = ""
    rank: int | None = None
    training: int | None = None  # its number, from 1, where the source has several
