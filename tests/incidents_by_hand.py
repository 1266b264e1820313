"""Incidents and findings made by hand, as the analysis makes them."""

from __future__ import annotations

from itermon.analysis.findings import Findings, Incident, Progress
from itermon.analysis.incidents.kinds import KINDS


def incident(kind: str, key: str = "", **values: object) -> Incident:
    """One that stands."""
    usual = {"severity": KINDS[kind].severity, "state": f"it is {kind}", "action": "look at it"}
    return Incident(kind, key or f"{kind}:0:7", **{**usual, **values})  # type: ignore[arg-type]


def found(*incidents: Incident, **values: object) -> Findings:
    """Of a run in which these happened."""
    usual = {"progress": Progress(iteration=7, max_iterations=100, wall_s=60.0), "incidents": incidents}
    return Findings(**{**usual, **values})  # type: ignore[arg-type]
