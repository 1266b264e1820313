"""Does the log's own clock agree with the clock on the wall?

A trainer that does not wait for the GPU times how long it takes to hand over the work, not to do it. nanoGPT does
so for every iteration that it does not print: with small models in bf16 its times are too short by any factor.
"""

from __future__ import annotations

from itertools import groupby, pairwise
from statistics import median
from typing import TYPE_CHECKING

from ...events import CHECKPOINT, EVALUATION

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ...events import Iteration, RunInfo

FEWEST_MARKS = 6
SHORTEST_S = 10.0
"""Below this the resolution of time stamps (often a second) decides, and not the run."""


def wall_over_logged(info: RunInfo, newest: Collection[Iteration]) -> float | None:
    """Wall-clock time over the printed times of `newest`: 1 where they agree; `None` where it is not known.

    Lines that arrive together (a buffer that was emptied) count as one mark. Only for sources whose times
    contain evaluations and checkpoints: elsewhere the wall clock rightly shows more. The median between marks
    leaves out pauses.
    """
    if not info.clock or not {EVALUATION, CHECKPOINT} <= {*info.time_includes}:
        return None
    timed = [i for i in newest if i.duration_s and i.averaged_over == 1]
    bursts = _up_to_each_mark(timed)
    if len(bursts) < FEWEST_MARKS or (bursts[-1][-1].at_s or 0.0) - (bursts[0][-1].at_s or 0.0) < SHORTEST_S:
        return None
    usual_s = median(i.duration_s or 0.0 for i in timed)
    ratios = [r for one, other in pairwise(bursts) if (r := _ratio(one[-1], other, usual_s)) is not None]
    return median(ratios) if len(ratios) >= FEWEST_MARKS - 1 else None


def _up_to_each_mark(timed: Sequence[Iteration]) -> list[list[Iteration]]:
    """The iterations up to each time stamp, those without one, frames of a bar between two lines, included."""
    at_s, marks = None, []
    for one in reversed(timed):
        at_s = at_s if one.at_s is None else one.at_s
        marks.append((at_s, one))
    stamped = [(mark_s, one) for mark_s, one in reversed(marks) if mark_s is not None]
    return [[one for _, one in lines] for _, lines in groupby(stamped, key=lambda mark: mark[0])]


def _ratio(before: Iteration, burst: list[Iteration], usual_s: float) -> float | None:
    """Wall over printed time from `before` to the end of `burst`; what was not printed counts as usual."""
    last = burst[-1]
    unseen = last.index - before.index - len(burst)
    if unseen < 0 or before.at_s is None or last.at_s is None:  # the trainer began again
        return None
    return (last.at_s - before.at_s) / (sum(i.duration_s or 0.0 for i in burst) + unseen * usual_s)
