"""The incidents that a run is in at one moment, by its silence or its end: they need the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import EndReason
from ..findings import Incident
from ..verdict.alarms import silent
from ..verdict.diagnosis import Diagnosis, counted_in
from ..verdict.endings import failed, how_it_ended
from ..verdict.hangs import hung
from .kinds import DATA, FAILED, FINISHED, HANG, INTERRUPTED, KINDS, SILENT, SLOWED, STOPPED

if TYPE_CHECKING:
    from ..verdict.facts import Facts

_SAME = {HANG: SILENT, STOPPED: SILENT}
"""A silence in which more is learnt is the same incident: it is said once."""


def standing(f: Facts, process: int, *, patient: bool = False) -> tuple[Incident, ...]:
    """How the run ended, or that nothing is heard of it. `process` is the number of the one that runs.

    `patient`: a silence may be a stop that nobody announces, and is none yet.

    That ranks hang is said beside the error that came of it: the one says who, the other how it ended.
    """
    hang = _made(f, HANG, process, hung(f))
    if f.findings.ending is not None:
        end = _ended(f, process)
        return (*((hang,) if hang else ()), *((end,) if end else ()))
    found = hang or (None if patient else _made(f, SILENT, process, silent(f)))
    return (found,) if found else ()


def in_its_words(incidents: tuple[Incident, ...], unit: str) -> tuple[Incident, ...]:
    """The same in what the log counts."""
    if unit == "iteration":
        return incidents
    return tuple(
        replace(
            one,
            state=counted_in(unit, one.state),
            evidence=tuple(counted_in(unit, said) for said in one.evidence),
            action=counted_in(unit, one.action, advice=True),
        )
        for one in incidents
    )


_OF_TIMES = frozenset((DATA, SILENT, SLOWED))
"""Kinds that rest on what lies between rows."""


def without_times(incidents: tuple[Incident, ...], *, silences: bool = False) -> tuple[Incident, ...]:
    """`incidents` without those that are over and rest on times nobody can be sure of; `silences` may stay."""
    kept = {SILENT} if silences else set()
    return tuple(one for one in incidents if not (one.over and one.kind in _OF_TIMES - kept))


def _ended(f: Facts, process: int) -> Incident | None:
    over = f.findings.ending
    if over is None or not over.reason:
        return None
    diagnosis = failed(f)
    if over.reason == EndReason.INTERRUPTED:
        kind = INTERRUPTED
    elif diagnosis is not None:
        kind = FAILED
    else:
        kind = FINISHED if over.reason == EndReason.FINISHED else STOPPED
    said = Diagnosis(kind, how_it_ended(f) or KINDS[kind].meaning, (), "", healthy=None)
    return _made(f, kind, process, diagnosis or said)


def _culprit(f: Facts) -> int | None:
    suspects = f.findings.hang.suspects if f.findings.hang else ()
    return suspects[0].rank if len(suspects) == 1 else None


def _made(f: Facts, kind: str, process: int, diagnosis: Diagnosis | None) -> Incident | None:
    """An incident that began with the newest word of the run, in the words of the verdict."""
    if diagnosis is None:
        return None
    progress = f.findings.progress
    at = "start" if progress.iteration is None else progress.iteration
    return Incident(
        kind=kind,
        key=f"{_SAME.get(kind, kind)}:{process}:{at}",
        severity=KINDS[kind].severity,
        began_at_s=progress.last_event_at_s,
        began_iteration=progress.iteration,
        state=diagnosis.headline,
        evidence=diagnosis.evidence,
        action=diagnosis.next_step,
        rank=_culprit(f) if kind == HANG else None,
    )
