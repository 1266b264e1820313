"""Wall time against the iterations' own times: what passed between them, printed or not."""

from __future__ import annotations

from collections import deque
from statistics import fmean, median
from typing import TYPE_CHECKING

from ...events import ClockKind

if TYPE_CHECKING:
    from ..record.columns import Columns

RESOLUTION_S = {ClockKind.HOOK: 0.02, ClockKind.LOG: 1.0, ClockKind.ARRIVAL: 1.0}
"""How exact the time stamps of a source are: stamps of whole seconds; lines that a file system hands on late."""


class Clock:
    """Finds gaps: more time between two time stamps than the iterations between them take.

    An iteration that was never printed (a log of every tenth) takes what the others of its kind take: the
    median over the newest intervals, or the level as long as there are few.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self.first: int | None = None  # position of the first time stamp
        self.last: int | None = None
        self.wall_s = 0.0  # between time stamps
        self.spent_s = 0.0  # of it, in iterations that were printed
        self.gap_s = 0.0  # of it, in gaps
        self.between_s = 0.0  # of it, between iterations, and too little to be a gap
        self.unseen = 0  # iterations that passed in it without a line
        self._each_unseen_s: deque[float] = deque(maxlen=32)
        self._calm_unseen_s: deque[float] = deque(maxlen=32)  # where there was no gap

    @property
    def unseen_s(self) -> float | None:
        """What an iteration without a line takes, gaps apart; `None` before three intervals are known.

        A mean, for stamps of whole seconds have their median up to half a second away from it.
        """
        return fmean(self._calm_unseen_s) if len(self._calm_unseen_s) >= 3 else None

    def tick(self, position: int, level: float, resolution_s: float, *, restarted: bool) -> float:
        """The time at `position` is known: the seconds since the last one that nothing explains, if a gap."""
        before, self.last = self.last, position
        if before is None:
            self.first = position
            return 0.0
        passed_s = self._columns.time_at(position) - self._columns.time_at(before)
        if passed_s < 0:  # the clock was set back, or another machine's clock begins
            return 0.0
        spent_s = self._columns.spent_s(before + 1, position)
        if passed_s + resolution_s < spent_s / 2:  # lines that had waited: faster than they were made
            return 0.0
        unseen = 0 if restarted else self._unseen(before, position)
        rest_s = passed_s - spent_s
        gap_s = max(0.0, rest_s) if restarted else self._gap(rest_s, unseen, level, resolution_s)
        self.wall_s += passed_s
        self.spent_s += spent_s
        self.gap_s += gap_s
        self.unseen += unseen
        if not unseen:
            self.between_s += rest_s - gap_s
        return gap_s

    def _unseen(self, before: int, position: int) -> int:
        columns = self._columns
        return max(0, columns.index[position] - columns.index[before] - columns.passed(before + 1, position))

    def _gap(self, rest_s: float, unseen: int, level: float, resolution_s: float) -> float:
        usual_s = 0.0
        if unseen:
            usual_s = unseen * (median(self._each_unseen_s) if len(self._each_unseen_s) >= 3 else level)
            self._each_unseen_s.append(max(0.0, rest_s) / unseen)
        if rest_s - usual_s > max(resolution_s, (0.25 + 0.03 * unseen) * level):
            return rest_s - usual_s
        if unseen:
            self._calm_unseen_s.append(rest_s / unseen)
        return 0.0
