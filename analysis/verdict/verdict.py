"""The verdict: the first rule that holds, from what ends a run to what is merely not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import EndReason
from ..findings import Verdict
from . import filling, gpus, ranks
from . import sentences as say
from .alarms import AT_ONCE, WRONG_NUMBERS, uncounted
from .diagnosis import counted_in
from .endings import goes_on_behind, how_it_ended, last_lines, short_of_its_end
from .facts import Facts
from .health import HEALTH, too_early
from .losses import overfits, overfits_untimed
from .troubles import TROUBLES
from .unknowable import unknowable

if TYPE_CHECKING:
    from ...events import RunInfo
    from ..findings import Findings
    from .diagnosis import Diagnosis

RULES = (
    *AT_ONCE,
    uncounted,
    filling.filling_up,
    overfits_untimed,
    too_early,
    *WRONG_NUMBERS,
    overfits,
    *TROUBLES,
    gpus.starved,
    *HEALTH,
)
"""Strongest first; the last one always holds."""


def judge(findings: Findings, info: RunInfo) -> Verdict:
    """The verdict on a run with these findings. It never promises more than the floor allows.

    Args:
        findings: all of them but the verdict.
        info: the source, and what is known of its clock.
    """
    return verdict_of(Facts(findings, info))


def verdict_of(facts: Facts) -> Verdict:
    """The same of facts at hand."""
    return _completed(next(d for rule in RULES if (d := rule(facts)) is not None), facts)


def _last_lines(facts: Facts, diagnosis: Diagnosis) -> list[str]:
    """How the log ends, of a run that stopped early and did not say why, or of which nothing else is known."""
    over = facts.findings.ending
    if over is None or diagnosis.kind == "failed" or over.words:
        return []
    nothing = facts.findings.progress.iteration is None
    return last_lines(over) if nothing or over.writer_gone or short_of_its_end(facts) else []


def _behind(facts: Facts, diagnosis: Diagnosis) -> list[str]:
    """What begins behind the newest row of a run of which another sentence says how it ended."""
    over = facts.findings.ending
    if (
        over is None
        or diagnosis.kind == "failed"
        or over.reason not in (EndReason.FINISHED, EndReason.INTERRUPTED)
    ):
        return []
    return [say.sentence(f"behind its newest row: {said}")] if (said := goes_on_behind(over)) else []


def _completed(diagnosis: Diagnosis, facts: Facts) -> Verdict:
    """The verdict: its gain limited by the floor, and what this source does not contain."""
    low, high = diagnosis.gain or (None, None)
    unit = facts.findings.progress.unit
    return Verdict(
        kind=diagnosis.kind,
        headline=counted_in(unit, diagnosis.headline),
        evidence=tuple(counted_in(unit, said) for said in _evidence(diagnosis, facts)),
        next_step=counted_in(unit, diagnosis.next_step, advice=True),
        unknowable=tuple(counted_in(unit, said) for said in (*unknowable(facts), *gpus.unknowable(facts))),
        healthy=False if short_of_its_end(facts) else diagnosis.healthy,
        gain_low=None if low is None else facts.gain(low),
        gain_high=None if high is None else facts.gain(high),
        gain_limit=facts.limit,
        ending=how_it_ended(facts),
    )


def _evidence(diagnosis: Diagnosis, facts: Facts) -> tuple[str, ...]:
    """What speaks for it, and what else is to be said."""
    return (
        *diagnosis.evidence,
        *say.evidence(
            facts,
            say.slow_place(facts),
            ranks.beside(facts, diagnosis.kind),
            say.drained(facts),
            *filling.beside(facts, diagnosis.kind),
        ),
        *gpus.evidence(facts),
        *_last_lines(facts, diagnosis),
        *_behind(facts, diagnosis),
    )
