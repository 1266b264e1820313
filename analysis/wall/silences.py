"""Long times without a row: another process may have begun behind one, and no row says what passed."""

from __future__ import annotations

from operator import sub
from statistics import median
from typing import TYPE_CHECKING

from ...events import Witness

if TYPE_CHECKING:
    from ..intake import Intake

LEAST_S, TIMES = 3_600.0, 100.0
"""So long is one, and so many times what usually passes between two rows."""

SOME = 0.1
"""Of the wall time: what silences take from here on is told."""


def silent_s(run: Intake, wall_s: float, witness: Witness | None) -> float | None:
    """What all of them take, where the wall time is that of the rows' stamps and they are some of it.

    Shorter ones may be as well: no less than this is without a row.
    """
    at = run.columns.at_s
    if witness != Witness.STAMPS or len(at) <= 2 or wall_s < LEAST_S / SOME / TIMES:
        return None
    apart = [gap for gap in map(sub, at[1:], at) if gap > 0]
    longest = [gap for gap in apart if gap >= LEAST_S]
    if not longest or sum(longest) < SOME * wall_s:
        return None
    usual_s = median(apart)
    silent = min(wall_s, sum(gap for gap in longest if gap >= TIMES * usual_s))
    return silent if silent >= SOME * wall_s else None


def in_holes(run: Intake, wall_s: float) -> bool:
    """Did so much pass where the index leaps, and rows are missing, that no share of the time means anything?

    There the training went on, and was evaluated and saved: it is no gap, and nobody knows what took how long.
    """
    at = run.columns.at_s
    if not run.repeats.jumps or len(at) != len(run.columns):
        return False
    passed_s = sum(max(0.0, at[n] - at[n - 1]) for n in run.repeats.jumps if 0 < n < len(at))
    return passed_s >= SOME * wall_s > 0
