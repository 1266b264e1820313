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
"""A first stop takes no longer than this, nor than `SILENT` times what the process has run before it."""

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

    def note(self, iteration: int, seconds: float) -> None:
        """After `iteration` it was silent for `seconds`, and went on."""
        if seconds <= LONGER * max((stop.seconds for stop in self._stops), default=FIRST_S):
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
        if self._stops:
            longest_s = max(stop.seconds for stop in self._stops)
            return silent_s <= LONGER * longest_s and self._is_due(run)
        begun_s, heard_s = run.columns.time_at(run.process_start), run.last_at_s
        known = run.labels.periods or any(schedule.mean_s for schedule in f.eta.schedules)
        if known or heard_s is None or begun_s != begun_s:
            return False  # its stops are known, or its age is not
        return silent_s <= min(FIRST_S, SILENT * (heard_s - begun_s))

    def _is_due(self, run: Intake) -> bool:
        """By the distance of the newest stops: where they are equal, only after as many iterations again."""
        before, iteration = run.columns.index[-2:]
        if len(self._stops) < 3:
            return True
        last = [stop.iteration for stop in self._stops[-3:]]
        distance = last[2] - last[1]
        tolerance = max(iteration - before, NEAR * distance, 1)
        if distance <= 0 or abs(last[1] - last[0] - distance) > tolerance:
            return True
        away = (iteration - last[2]) % distance
        return min(away, distance - away) <= tolerance
