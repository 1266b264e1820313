"""Incidents in words: what it was, when, and what helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ... import words
from ...analysis.incidents.kinds import BUDGET, DATA, DEADLINE, KINDS, NOT_FINITE
from ...events import Severity

if TYPE_CHECKING:
    from ...analysis.findings import Findings, Incident

SHOWN = 20
"""In a report, the newest; `--json` has all that are kept."""


class IncidentRow(NamedTuple):
    """One of them. `said` are the sentences: what it is, the evidence, what to do while it lasts."""

    title: str
    when: str
    said: tuple[str, ...]
    severity: Severity
    over: bool


def incident_rows(found: Findings) -> list[IncidentRow]:
    """Oldest first."""
    return [_row(one, ended=found.ending is not None) for one in found.incidents]


def incident_sentences(found: Findings) -> list[str]:
    """One a line, for reports: how it ended stands above them, in the verdict."""
    told = [one for one in found.incidents if not (KINDS[one.kind].ends_the_run and not one.over)]
    rows = [_row(one, ended=found.ending is not None) for one in told[-SHOWN:]]
    cut = [f"the newest {SHOWN} of {len(told):,}; --json lists them all"] if len(told) > SHOWN else []
    return [*cut, *(f"{row.title}, {row.when}: {' '.join(row.said)}" for row in rows)]


def gravest(found: Findings) -> Incident | None:
    """The one that is worth a place on the screen while it lasts: an error before a warning, then the newest."""
    open_ = [one for one in found.incidents if not one.over and one.severity != Severity.INFO]
    return max(reversed(open_), key=lambda one: one.severity == Severity.ERROR, default=None)


def _row(one: Incident, *, ended: bool) -> IncidentRow:
    """What to do is said of what lasts, in a run that goes on: the verdict says what helps afterwards."""
    kind = KINDS[one.kind]
    action = (one.action,) if one.action and not (one.over or ended) else ()
    return IncidentRow(kind.title, when(one), (one.state, *one.evidence, *action), one.severity, one.over)


def when(one: Incident) -> str:
    """`since iteration 50`, `training 3, iterations 50 to 83, 2 m 10 s`, `after iteration 99`."""
    if one.kind in (BUDGET, DEADLINE):
        return "of the whole run"
    return _at(one) if one.training is None else f"training {one.training}, {_at(one)}"


def _at(one: Incident) -> str:
    if one.began_iteration is None:
        return "before the first iteration"
    began = f"{one.began_iteration:,}"
    if KINDS[one.kind].ends_the_run:
        return f"after iteration {began}"
    if not one.over:  # a wait for data may have been as long from the beginning
        return f"seen at iteration {began}" if one.kind == DATA else f"since iteration {began}"
    lasted = ""
    if one.began_at_s is not None and one.ended_at_s is not None and one.ended_at_s > one.began_at_s:
        lasted = f", {words.rounded_duration(one.ended_at_s - one.began_at_s)}"
    if one.ended_iteration is None or one.ended_iteration <= one.began_iteration:
        if one.kind == NOT_FINITE:
            return f"at iteration {began}"
        return f"after iteration {began}{lasted}"
    return f"iterations {began} to {one.ended_iteration:,}{lasted}"
