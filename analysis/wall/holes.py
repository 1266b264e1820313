"""Rows that are missing: where the index leaps nobody knows what took how long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..record.processes import SOME

if TYPE_CHECKING:
    from ..intake import Intake


def in_holes(run: Intake, wall_s: float) -> bool:
    """Did so much pass where the index leaps, and rows are missing, that no share of the time means anything?

    There the training went on, and was evaluated and saved: it is no gap, and nobody knows what took how long.
    """
    at = run.columns.at_s
    if not run.repeats.jumps or len(at) != len(run.columns):
        return False
    passed_s = sum(max(0.0, at[n] - at[n - 1]) for n in run.repeats.jumps if 0 < n < len(at))
    return passed_s >= SOME * wall_s > 0
