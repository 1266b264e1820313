"""Rows that are missing: where the index leaps nobody knows what took how long."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..record.processes import SOME

if TYPE_CHECKING:
    from ..intake import Intake


FAR = 10.0
"""Times what the rows behind it took: so long is a silence that may be the missing part of their training."""


def missing_beginnings(run: Intake) -> set[int]:
    """The first rows of trainings that begin in the midst, long after the row before: nobody knows what passed."""
    at, starts = run.columns.at_s, run.repeats.trainings
    if len(at) != len(run.columns):
        return set()
    ends = dict(pairwise([*starts, len(at)]))
    cut = run.repeats.cut_off(run.launches.positions)
    return {n for n in cut if n and at[n] - at[n - 1] >= FAR * (at[ends[n] - 1] - at[n])}


def in_holes(run: Intake, wall_s: float) -> bool:
    """Did so much pass where the index leaps, and rows are missing, that no share of the time means anything?

    There the training went on, and was evaluated and saved: it is no gap, and nobody knows what took how long. So
    it is before the rows of trainings whose beginnings are missing.
    """
    at = run.columns.at_s
    if len(at) != len(run.columns):
        return False
    leaps = run.repeats.jumps | missing_beginnings(run)
    passed_s = sum(max(0.0, at[n] - at[n - 1]) for n in leaps if 0 < n < len(at))
    return bool(leaps) and passed_s >= SOME * wall_s > 0
