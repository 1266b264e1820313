"""Stops that nobody announces: an evaluation of which a log says nothing looks like a silence.

Who has seen a run survive a stop knows how long one takes. Before the first nobody does: then a silence may be
one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..outlook.now import LONG_SILENCE_S, SILENT

if TYPE_CHECKING:
    from ..findings import Findings
    from ..intake import Intake

YOUNG = 3
"""Lines of a process: before them come its compilation and its first batches, and no time is usual yet."""

FIRST_S = 900.0
"""A first stop takes no longer than this, ..."""

SHARE = 0.5
"""... nor than this part of what the process has run before it: in 119 real logs none took more than 0.47. After a
round number of iterations, where somebody may have asked for it, it may take `SILENT` times all that."""

TOLD = 3
"""A log that has told of so many stops of a kind, at equal distances, tells of all."""

LONGER = SILENT
"""Times the longest stop that was survived: a stop may take as much, for an evaluation and a checkpoint may fall
together."""

NEAR = 0.02
"""Of the distance between two stops: the next one comes at about the same distance."""

MOST = 32


class Stop(NamedTuple):
    """After which iteration it came, and how long it took."""

    iteration: int
    seconds: float


class Unannounced:
    """The stops that the run has survived, the newest of each process."""

    def __init__(self) -> None:
        self._stops: list[Stop] = []

    def note(self, iteration: int, seconds: float, *, announced: bool = False) -> None:
        """After `iteration` it was silent for `seconds`, and went on; `announced`: a line had said what comes."""
        first_s = LONG_SILENCE_S if announced else FIRST_S
        if seconds <= LONGER * max((stop.seconds for stop in self._stops), default=first_s):
            self._stops = [*self._stops[1 - MOST :], Stop(iteration, seconds)]

    def may_explain(self, run: Intake, f: Findings) -> bool:
        """May the silence of now be such a stop?"""
        silent_s = f.now.elapsed_s
        if silent_s is None or run.spans.by_hooks:
            return False  # hooks announce their stops
        if run.heard_at < len(run.columns):
            return True  # iterations without a time came since: how long it was silent nobody knows
        lines = len(run.columns) - run.process_start
        if lines < YOUNG:
            return silent_s <= LONG_SILENCE_S
        longest_s = max((stop.seconds for stop in self._stops), default=0.0)
        if longest_s > SILENT * (f.now.usual_s or 0.0):  # by the times of now it was a stop
            return silent_s <= LONGER * longest_s and self._is_due(run)
        return self._may_be_the_first(run, f, silent_s)

    def _may_be_the_first(self, run: Intake, f: Findings, silent_s: float) -> bool:
        """Before any was survived: where the log tells of its stops, only where one of those is due."""
        begun_s, heard_s = run.columns.time_at(run.process_start), run.heard_s
        known = run.labels.periods or any(schedule.mean_s for schedule in f.eta.schedules)
        if known or heard_s is None or begun_s != begun_s:
            return False  # its stops are known, or its age is not
        before, iteration = run.columns.index[-2:]
        comes, last = iteration + max(1, iteration - before), f.progress.max_iterations
        told = [plan.next_iteration for plan in f.eta.schedules if plan.interval and plan.seen >= TOLD]
        if told:
            share = SILENT if any(at is not None and at <= comes for at in told) else 0.0
        elif last and iteration - run.columns.index[run.process_start] >= last / 2 and comes < last - 1:
            share = 0.0  # what has not come in the first half does not come again and again
        else:
            share = SILENT if _is_round(iteration, comes) else SHARE
        return silent_s <= min(FIRST_S, share * (heard_s - begun_s))

    def _is_due(self, run: Intake) -> bool:
        """By the distance of the newest stops: where they are equal, only after as many iterations again."""
        before, iteration = run.columns.index[-2:]
        last = [stop.iteration for stop in self._stops[-3:]]
        if len(last) == 2 and run.columns.index[run.process_start] <= max(1, iteration - before):
            last = [0, *last]  # the first came as far from the beginning
            if _is_round(iteration, 2 * iteration - before):
                return True  # for another reason than they
        if len(last) < 3:
            return True
        distance = last[2] - last[1]
        tolerance = max(iteration - before, NEAR * distance, 1)
        if distance <= 0 or abs(last[1] - last[0] - distance) > tolerance:
            return True
        away = (iteration - last[2]) % distance
        is_behind = away <= tolerance and not 0 < iteration - last[2] <= tolerance  # the newest stop is over
        return is_behind or distance - away <= tolerance


def _is_round(iteration: int, comes: int) -> bool:
    """Is there a number with but two digits that are not 0, or a small one that ends with 5 or 0, from `iteration`
    to the one behind `comes`? Some count from 0."""
    unit = max(5, int(10 ** (len(str(abs(iteration))) - 2)))
    return (comes + 1) // unit > (iteration - 1) // unit
