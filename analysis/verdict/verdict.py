"""The verdict: the first rule that holds, from what ends a run to what is merely not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .alarms import AT_ONCE, WRONG_NUMBERS
from .facts import Facts
from .health import HEALTH, little_known, too_early
from .troubles import TROUBLES

if TYPE_CHECKING:
    from ...events import RunInfo
    from ..findings import Findings, Verdict

RULES = (*AT_ONCE, too_early, *WRONG_NUMBERS, *TROUBLES, *HEALTH)
"""Strongest first."""


def judge(findings: Findings, info: RunInfo) -> Verdict:
    """The verdict on a run with these findings. It never promises more than the floor allows."""
    facts = Facts(findings, info)
    for rule in RULES:
        verdict = rule(facts)
        if verdict is not None:
            return verdict
    return little_known(facts)
