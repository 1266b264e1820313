"""Wall time against the iterations' own times: what passed between them, printed or not."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from copy import copy
from math import inf
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from ...events import ClockKind, Witness
from ..ticks import BESIDE, COARSE, NOISE, digit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..record.columns import Columns

RESOLUTION_S = {ClockKind.HOOK: 0.02, ClockKind.LOG: 1.0, ClockKind.ARRIVAL: 1.0}
"""How exact the time stamps of a source are: stamps of whole seconds; lines that a file system hands on late."""

TICKS = 2.0
"""Two readings of a clock may each be nearly a tick late: what lies between them is known to less than two."""

HIDDEN = TICKS + NOISE * BESIDE * COARSE
"""Ticks by which a time that is taken from the rows beside it may differ from what its own two stamps say."""

BACK_S = 60.0
"""A clock that steps back by less is that of several who write at once."""

TWICE = 1.02
"""What is so many times as long as all the time there was has been counted more than once."""

ROOM, MORE_ROOM = 1.25, 2.0
"""Times their usual time that iterations which nobody counted may have taken together: they vary, as others do.
And where no line tells of what took time there: a guess at a stop needs more than slow iterations can be."""

_TELL, _FAR = 8, 5.0
"""So many intervals tell how unlike they are: what differs by so many times their median difference is none."""

_MANY_TICKS = 20
"""Of a clock in the log: what is shorter tells no iteration's time right to 5 %."""

_OWN = 0.05
"""Part of an iteration's own time that its digits may hide: a clock of whole seconds is wrong by one besides."""

_LOOKED_AT = 64  # times, to see how many digits are printed of each

LEAST_S = 1e-6
"""Less is no gap, but what adding and taking away left of one."""


def hidden_s(columns: Columns) -> float:
    """What passed between two rows may be so much more than what they are said to take, and is no gap for that."""
    return (HIDDEN if columns.witness == Witness.STAMPS else TICKS) * columns.tick_s


def unprinted(columns: Columns, before: int, position: int) -> int:
    """How many iterations a process that begins with the row at `position` has made before it without a line.

    So many as lie between two rows of the process before it, of which `before` is the newest row's position; or as
    in that one, which printed no other.
    """
    index = columns.index
    apart = index[before] - index[before - 1] if before else 0
    apart = index[before] if apart <= 0 and index[position] == index[before] else apart
    if not 1 <= index[position] <= apart or columns.averaged_at(position) != 1:
        return 0
    counts_from_0 = index[position] + 1 == apart  # 19, 39, 59
    return index[position] if counts_from_0 else index[position] - 1


def last_unprinted(columns: Columns, before: int, unseen: int) -> int:
    """How many of `unseen` iterations the process that ended behind the row at `before` has made without a line.

    The next process counts on from there: they are fewer than lie between two of its rows, or it had printed one.
    """
    apart = columns.index[before] - columns.index[before - 1] if before else 0
    return unseen if 0 < unseen < apart else 0


def longest(columns: Columns, before: int, position: int) -> float:
    """Seconds that the first iterations of a process took at most, up to that at `position`, by its first line."""
    since_s = columns.time_at(position) - columns.launched.get(position, -inf)
    return since_s if 0 <= since_s <= columns.time_at(position) - columns.time_at(before) else inf


class Interval(NamedTuple):
    """What passed between two time stamps: after the entry at `before`, up to and with the one at `position`."""

    before: int
    position: int
    passed_s: float
    spent_s: float  # in the iterations that were printed
    unseen: int  # iterations without a line
    gap_s: float  # that nothing explains
    untimed_s: float = 0.0  # in iterations without a time, in front of a process's first row too: what is normal
    anew: bool = False  # does another process begin in it?


class Clock:
    """Finds gaps: more time between two time stamps than the iterations between them take.

    An iteration that was never printed (a log of every tenth) takes what the others of its kind take: the
    median over the newest intervals, or the level as long as there are few. Where most lines leave none out, those
    that do stand behind an epoch's end, beside its evaluation: what passed there tells nothing of an iteration.
    Lines with one and the same time stamp came out in one go: together they are the end of one interval, and say
    nothing of each other.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self.at: Callable[[int], float] = columns.time_at
        self.first: int | None = None  # position of the first time stamp
        self.last: int | None = None
        self.wall_s = 0.0  # between time stamps
        self.spent_s = 0.0  # of it, in iterations that were printed
        self.gap_s = 0.0  # of it, in gaps
        self.between_s = 0.0  # of it, between iterations, and too little to be a gap
        self.unseen = 0  # iterations that passed in it without a line
        self.unmeasured = 0  # ... and in front of a zero of the clock in the log, so that it does not hold them
        self.steps_back = False  # so that some of it may have been counted twice
        self._oldest_s, self._newest_s = inf, -inf
        self._leaving = self._whole = 0  # intervals of this training with such iterations, and without
        self._newest: Interval | None = None
        self._each_unseen_s: deque[float] = deque(maxlen=32)
        self._calm: deque[tuple[float, int]] = deque(maxlen=32)  # seconds of how many, where there was no gap

    def copy(self) -> Clock:
        """Another one that goes on from the same moment."""
        other = copy(self)
        other._each_unseen_s = self._each_unseen_s.copy()
        other._calm = self._calm.copy()
        return other

    def begin_training(self) -> None:
        """Another training begins: what an iteration without a line takes in it is not known yet."""
        self._each_unseen_s.clear()
        self._calm.clear()
        self._leaving = self._whole = 0

    @property
    def unseen_s(self) -> float | None:
        """What an iteration without a line takes, gaps apart; `None` before three intervals are known.

        A mean of all of them, for stamps of whole seconds have their median up to half a second away from it: the
        more iterations lie between two of them, the shorter each seems.
        """
        if len(self._calm) < 3:
            return None
        return sum(rest_s for rest_s, _ in self._calm) / sum(unseen for _, unseen in self._calm)

    @property
    def counts_twice(self) -> bool:
        """Is what it adds up longer than from its oldest time to its newest? Several write at once then."""
        return 0 <= TWICE * (self._newest_s - self._oldest_s) < self.wall_s

    @property
    def most_s(self) -> float:
        """From its oldest time to its newest: more cannot have passed; unknown of two clocks."""
        return inf if self.steps_back or self._oldest_s == -inf else self._newest_s - self._oldest_s

    def read(self, at: Callable[[int], float]) -> None:
        """Take the time from `at`: times of day, or a clock in the log. Between two clocks nothing is measured."""
        if at != self.at:
            self.at, self.last, self._newest = at, None, None
            self._oldest_s = -inf  # of two clocks nobody knows how far they are apart

    def moments(self, clock: ClockKind | None) -> Callable[[int], float] | None:
        """The clock to go by: the trainer's own or its lines' stamps, then a clock in the log, then our own."""
        columns = self._columns
        own = clock in (ClockKind.HOOK, ClockKind.LOG)
        if columns.elapsed_s and not (own and columns.clocked):
            at = columns.elapsed_at
        elif columns.clocked and clock != ClockKind.SUM:
            at = columns.time_at
        else:
            return None
        self.read(at)
        return at

    def stamped(self, first: int, end: int) -> Iterator[int]:
        """The positions from `first` up to `end` at which the time is known; not those that a later mean holds."""
        columns = self._columns
        begin = max(first, columns.timed_from) if self.at == columns.time_at else first
        known = (position for position in range(begin, end) if (at := self.at(position)) == at)
        return filter(columns.averaged_at, known) if columns.averaged_over else known

    def tick(
        self, position: int, level: float, resolution_s: float, *, restarted: bool, told: bool = True
    ) -> float:
        """The time at `position` is known; `told`: a line tells of a stop there.

        Returns:
            Seconds since the last one that nothing explains, if they are a gap; below 0 where a line of the same
                time explains some of the last gap.
        """
        before, at_s = self.last, self.at(position)
        self._oldest_s, self._newest_s = min(self._oldest_s, at_s), max(self._newest_s, at_s)
        if before is None:
            self.first = position if self.first is None else self.first
            self.last = position
            return 0.0
        passed_s = at_s - self.at(before)
        if passed_s == 0 and not restarted:
            return self._join(position, level, resolution_s)
        self.last, self._newest = position, None
        if passed_s < 0:  # the clock was set back, or another machine's clock begins
            self.steps_back = self.steps_back or (passed_s < -BACK_S and self.at == self._columns.time_at)
            return 0.0
        spent_s = self._columns.spent_s(before + 1, position)
        if passed_s + resolution_s < spent_s / 2:  # lines that had waited: faster than they were made
            return 0.0
        unseen, own = self._unprinted(before, position, restarted=restarted)
        if unseen and passed_s < unseen * level / 2 and self.began_anew(before, position):
            self.unmeasured, unseen = self.unmeasured + unseen, 0  # most of them were made before the clock's zero
        rest_s, untimed_s = passed_s - spent_s, 0.0
        if untimed := self._columns.untimed_between(before + 1, position) + own:
            longest_s = longest(self._columns, before, position) if restarted else inf
            coarse = not (spent_s or restarted) and self._is_too_coarse(passed_s)
            untimed_s = min(max(0.0, rest_s), inf if coarse else untimed * level, longest_s)  # what is normal
            rest_s = max(0.0, rest_s - untimed_s)
        uncounted, room = self._columns.uncounted.get(position, 0), ROOM if told else MORE_ROOM
        if restarted:  # those before the end take what is normal, too
            rest_s = min(max(0.0, rest_s - unseen * level), self._since_zero(before, at_s))
            gap_s = rest_s if rest_s > TICKS * self._columns.tick_s else 0.0
        else:
            each_s = self._beside(before, position, level) if unseen else 0.0
            gap_s = self._gap(rest_s, unseen, level, max(resolution_s, room * level * uncounted), each_s)
        if uncounted and not gap_s:  # they took what is left
            untimed_s += max(0.0, rest_s)
        self._newest = Interval(before, position, passed_s, spent_s, unseen, gap_s, untimed_s, restarted)
        self._count(self._newest, 1)
        return gap_s

    def _beside(self, before: int, position: int, level: float) -> float:
        """What an iteration without a row may have taken, by the rows at both ends: all may have been slower."""
        columns = self._columns
        ends_s = (columns.spent_s(at, at) / max(1, columns.passed(at, at)) for at in (before, position))
        return min(max(level, *ends_s), MORE_ROOM * level)

    def _unprinted(self, before: int, position: int, *, restarted: bool) -> tuple[int, int]:
        """Iterations between two rows that no line tells of, and those of them that a process began with."""
        unseen = self._unseen(before, position)
        if not restarted:
            return unseen, 0
        own = unprinted(self._columns, before, position)
        return last_unprinted(self._columns, before, unseen - own), own

    def _is_too_coarse(self, passed_s: float) -> bool:
        """Has a clock in the log ticked too seldom to time the rows since? It shows no gap then."""
        return self.at == self._columns.elapsed_at and passed_s < _MANY_TICKS * self._columns.tick_s

    def _since_zero(self, before: int, at_s: float) -> float:
        """Seconds since a clock in the log began anew behind the row at `before`; until then none ran."""
        if self.at != self._columns.elapsed_at:
            return inf
        zeros = self._columns.clocks_begun
        newest = bisect_right(zeros, at_s) - 1
        return at_s - zeros[newest] if newest >= 0 and zeros[newest] >= self.at(before) else inf

    def began_anew(self, before: int, position: int) -> bool:
        """Did a clock in the log begin anew between two rows? What lay in front of its zero it does not show."""
        if self.at != self._columns.elapsed_at:
            return False
        zeros = self._columns.clocks_begun
        return bisect_left(zeros, self.at(before)) < bisect_left(zeros, self.at(position))

    def _join(self, position: int, level: float, resolution_s: float) -> float:
        """A line of the newest time stamp: it belongs to the interval that ended there."""
        newest, before, self.last = self._newest, self.last, position
        if newest is None:  # before the first interval: it begins here
            self.first = position if self.first == before else self.first
            return 0.0
        if newest.anew and newest.unseen:  # it is told by its first line
            return 0.0
        self._count(newest, -1)
        if newest.unseen:
            self._each_unseen_s.pop()
            if not newest.gap_s and self._calm:
                self._calm.pop()
        spent_s = newest.spent_s + self._columns.spent_s(newest.position + 1, position)
        unseen = self._unseen(newest.before, position)
        gap_s = min(newest.gap_s, self._gap(newest.passed_s - spent_s, unseen, level, resolution_s))
        self._newest = Interval(newest.before, position, newest.passed_s, spent_s, unseen, gap_s)
        self._count(self._newest, 1)
        return gap_s - newest.gap_s

    def _count(self, interval: Interval, sign: int) -> None:
        self.wall_s += sign * interval.passed_s
        self.spent_s += sign * interval.spent_s
        self.gap_s += sign * interval.gap_s
        self.unseen += sign * interval.unseen
        self._leaving += sign * (interval.unseen > 0)
        self._whole += sign * (not interval.unseen)
        if not interval.unseen:
            known_s = interval.spent_s + interval.gap_s + interval.untimed_s
            self.between_s += sign * (interval.passed_s - known_s)

    def _unseen(self, before: int, position: int) -> int:
        columns = self._columns
        return max(0, columns.index[position] - columns.index[before] - columns.passed(before + 1, position))

    def _differ_s(self) -> float:
        """By how much an iteration without a line may take more than the usual: so much the newest differ."""
        each_s = self._each_unseen_s
        if len(each_s) < _TELL:
            return 0.0
        usual_s = median(each_s)
        return _FAR * median(abs(one - usual_s) for one in each_s)

    def _gap(self, rest_s: float, unseen: int, level: float, resolution_s: float, each_s: float = 0.0) -> float:
        """`each_s`: what an iteration without a row may have taken at least."""
        usual_s = differ_s = 0.0
        if unseen:
            differ_s = unseen * self._differ_s()
            resolution_s = max(resolution_s, TICKS * min(resolution_s, 1.0))  # of them all no other line tells
            tells = len(self._each_unseen_s) >= 3 and self._leaving >= self._whole
            usual_s = unseen * max(median(self._each_unseen_s) if tells else level, each_s)
            self._each_unseen_s.append(max(0.0, rest_s) / unseen)
        if rest_s - usual_s > max(resolution_s + _OWN * level, (0.25 + 0.03 * unseen) * level, differ_s):
            return rest_s - usual_s
        if unseen:
            self._calm.append((rest_s, unseen))
        return 0.0


def between_s(columns: Columns, clock: Clock, cut_off_s: float) -> float:
    """What passed between iterations, and is too little for a gap; below 0 where they are said to take longer.

    Not what is left over where times are taken from the rows beside, by a clock that is too coarse for each: it is
    theirs. So it is of a clock in the log that began anew, as with each training, whose last rows have no time.
    """
    own = columns.witness == Witness.ELAPSED and clock.at == columns.elapsed_at and len(columns.clocks_begun) > 1
    if columns.coarse is not None or columns.witness == Witness.STAMPS or own:
        return min(0.0, clock.between_s + cut_off_s)
    if clock.first is not None and clock.last is not None and clock.between_s > 0:
        cut_off = digit(columns.duration_s[-_LOOKED_AT:]) * columns.passed(clock.first + 1, clock.last)
        if clock.between_s <= cut_off:  # 23.9 s, which are printed as 23
            return 0.0
    return clock.between_s + min(cut_off_s, max(0.0, -clock.between_s))
