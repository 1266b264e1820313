"""Which iterations were slow, against which level, and when the level itself moved."""

from __future__ import annotations

from bisect import bisect_left
from copy import copy
from math import isnan, nan
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import ClockKind
from ..findings import Shift
from ..findings.speed import CLOCKS
from .alike import Lengths
from .baseline import FEW, LEAST_CHANGE, VERIFY, Baseline, begin
from .clock import RESOLUTION_S, Clock, hidden_s
from .lasting import PASSING, is_back, lately
from .slow import Slow
from .trainings import Over, Within, holding, within
from .warmup import SLOW, coming_down, warmup_of_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..record.columns import Columns
    from ..record.spans import Spans

FIRST = 64
"""Iterations before the level is fixed: until then everything is measured anew each time, from few numbers."""

FAR = 1.25
"""A level that moved by less leaves the stops before it comparable with those after it."""

_GIVE_UP = 24
"""Iterations after an alarm: by then a change shows, or it was none."""


class Timing:
    """Goes through the columns once, in order. What it finds depends on positions only, not on batches.

    Each training of a source has a level of its own: that of another model, or of other settings, says nothing.
    """

    def __init__(self, columns: Columns, spans: Spans, starts: Sequence[int]) -> None:
        self._columns, self._spans = columns, spans
        self.starts = starts  # first positions of each process
        self.slow = Slow()
        self.shifts: list[Shift] = []
        self.clock, self.lengths = Clock(columns), Lengths(columns)
        self.baseline: Baseline | None = None
        self.begun = 0  # the first position of the newest training: level, warm-up and alarms are its own
        self.over: list[Over] = []  # the trainings before it
        self.warmup = 0  # the position at which its level had settled
        self.done = 0  # positions gone through
        self.within = Within()
        self._next_try = FIRST
        self._settled = 0  # position of the newest change of level
        self._levels: list[tuple[int, float]] = []  # every level, and from which position on
        self._gap_at = 0  # the position of the newest gap
        self._alarm: int | None = None  # the position of one that is neither confirmed nor given up

    def advance(self, clock: ClockKind | None) -> None:
        """Go through what is new. `clock`: where the times of day come from (`RunInfo.clock`)."""
        end = len(self._columns)
        if self.baseline is None:
            while self._next_try <= end and self.baseline is None:
                self._begin(self._next_try)
                self._next_try *= 2
            if self.baseline is None:
                return
        self._go(self.baseline, end, clock)

    def early(self, clock: ClockKind | None) -> Timing:
        """What there is before the level is fixed: a throw-away, from the iterations of this training so far."""
        young = copy(self)
        young.slow, young.clock = self.slow.copy(), self.clock.copy()
        young.shifts = [*self.shifts]
        young._make_do(clock)
        return young

    def begin_training(self, clock: ClockKind | None) -> None:
        """Another training begins with the iteration that comes next."""
        end = len(self._columns)
        if self.baseline is None:
            self._make_do(clock, over=True)
        self.clock.begin_training()
        self.over.append(Over(self.begun, self.warmup, self.within))
        self.begun = self.warmup = self.done = self._settled = end
        self.baseline, self._alarm, self._levels, self.within = None, None, [], Within()
        self._next_try = end + FIRST

    def _make_do(self, clock: ClockKind | None, *, over: bool = False) -> None:
        """With the iterations that this training has, however few; of one that is over no more will come."""
        end = len(self._columns)
        self._begin(end, fewest=1)
        if self.baseline is not None:
            self._go(self.baseline, end, clock)
            return
        if not self._columns.spent_s(self.begun, end - 1):
            self._note_spans()
        if (over or self.over) and self.clock.moments(clock):  # a training of one line lies between others
            self._tick(self.done, end, 0.0, RESOLUTION_S.get(clock or ClockKind.ARRIVAL, 1.0))

    def _note_spans(self) -> None:
        """No iteration has a time, yet the seconds that the log gives for evaluations are known."""
        positions = self._spans.positions
        for position in positions[bisect_left(positions, self.begun) :]:
            if any(note.duration_s and not note.inside for note in self._spans.by_position[position]):
                self.slow.add(position, nan, 0.0)

    def comparable(self) -> int:
        """The position from which on the level was about what it is now, troubles that soon passed included."""
        since = end = len(self._columns)
        now = self.baseline.level if self.baseline else 0.0
        for position, level in reversed(self._levels):
            if now / FAR <= level <= now * FAR:
                since = position
            elif end - position >= PASSING:
                break
            end = position
        return since

    @property
    def drifts(self) -> bool:
        """Has the level of this training gone down, in several steps, far below where it was at its beginning?"""
        levels = [level for _, level in self._levels]
        falls = len(levels) > 2 and levels == sorted(levels, reverse=True)
        return falls and levels[-1] * FAR < levels[0]

    @property
    def change(self) -> tuple[int, float] | None:
        """The position of the newest change of this training's level, and the level before it."""
        return (self._settled, self._levels[-2][1]) if len(self._levels) > 1 else None

    @property
    def first_level(self) -> float:
        """Where the level of this training was at its beginning. There is a level."""
        return self._levels[0][1]

    def _begin(self, end: int, fewest: int = FEW) -> None:
        """Fix warm-up and level from positions before `end`: of at most the newest few hundred with a time."""
        start = max(self.begun, end - 4 * FIRST * FIRST)  # where few have one, the latest were not usual
        times = enumerate(self._columns.duration_s[start:end], start)
        timed = [(p, d) for p, d in times if d == d][-4 * FIRST :]
        plain = [(p, d) for p, d in timed if not (self._holds(p) or self._is_too_often(p))]
        self.within, by_clock = Within(), self._columns.witness in CLOCKS  # then all from row to row is in a time
        if len(plain) < (FEW if by_clock else max(fewest, 2)) and len(plain) <= len(timed) // 8:
            self.within = within([self._holds(p) for p, _ in timed], by_clock=by_clock)
            plain = [(p, d) for p, d in timed if self.within.holds(self._holds(p))]
        if len(plain) < fewest:
            return
        durations = [d for _, d in plain]
        warmup = warmup_of_rows(durations, [self._columns.averaged_at(p) for p, _ in plain])
        baseline = begin(durations, warmup)
        fewer = coming_down(durations, warmup, SLOW * baseline.level)
        settles = fewer > 0 or not warmup
        if fewer < warmup:
            warmup, baseline = fewer, begin(durations, fewer)
        self.baseline, self._levels = baseline, [(self.begun, baseline.level)]
        self.warmup = plain[warmup][0] if warmup else self.begun
        first, took_s = timed[0]
        self.warmup += settles and self.warmup == self.begun == first and took_s > SLOW * baseline.level

    def _go(self, baseline: Baseline, end: int, clock: ClockKind | None) -> None:
        durations, marks, moments = self._columns.duration_s, self._spans.positions, self.clock.moments(clock)
        resolution_s = max(RESOLUTION_S.get(clock or ClockKind.ARRIVAL, 1.0), hidden_s(self._columns))
        often = self._apart(self.done, end)
        mark = bisect_left(marks, self.done)
        while self.done < end:
            while mark < len(marks) and marks[mark] < self.done:
                mark += 1
            position, level, apart = self.done, baseline.level, often[0] if often else end
            if mark < len(marks) and marks[mark] == position and self.is_usual(position):
                mark += 1
            if mark < len(marks) and marks[mark] == position:
                self.slow.add(position, durations[position], level, itself=durations[position] > baseline.limit)
                self.done += 1
                self._take_marked(baseline, position)
                if self._alarm is not None:
                    self._watch(baseline, self._alarm)
            elif self._alarm is not None or position < self.warmup or position == apart:
                self._look_at(baseline, position)
            else:
                room = baseline.room if moments else end  # moments are judged by the level of then
                stop = min(end, position + room, marks[mark] if mark < len(marks) else end, apart)
                taken = baseline.take(durations[position:stop].tolist())
                self.done += taken
                if baseline.alarmed:
                    self._alarm = self.done
                elif self.done < stop:
                    self._look_at(baseline, self.done)
            often = often[1:] if apart < self.done else often
            if moments:
                self._tick(position, self.done, level, resolution_s)

    def speaks(self, position: int) -> bool:
        """Does its own time speak of the level? Where each row has an evaluation beside it, that must."""
        marked = self._spans.by_position
        if position not in marked:
            return not self._is_too_often(position)
        return self.is_usual(position) if self._holds(position) else position - 1 in marked

    def _apart(self, first: int, end: int) -> list[int]:
        """Positions from `first` up to `end` whose times are like no others."""
        uncounted = self._columns.uncounted
        few = range(first, end) if end - first < len(uncounted) else uncounted
        often = {p for p in few if first <= p < end and p in uncounted and self._is_too_often(p)}
        return sorted(often.union(self.lengths.short(self.begun, first, end)))

    def _is_too_often(self, position: int) -> bool:
        """Is it like none: an epoch's first, printed each time, where many are in no count, or of too few?"""
        often = 2 * self._columns.averaged_at(position) < self._columns.uncounted.get(position, 0)
        return often or bool(self.lengths.short(self.begun, position, position + 1))

    def stands_apart(self, position: int, *, told: bool = False) -> bool:
        """Is in its time what is in few of the others (`told`: of a known time), or is it printed too often?"""
        known = not told or all(one.duration_s for one in self._spans.by_position.get(position, ()))
        apart = known and bool(self._holds(position)) and not self.is_usual(position)
        return apart or self._is_too_often(position)

    def _holds(self, position: int) -> list[str]:
        """What is inside its own time."""
        return [note.kind for note in self._spans.by_position.get(position, ()) if note.inside]

    def is_usual(self, position: int) -> bool:
        """Is what is inside its time, and no more of it, inside each one's? Then the level contains it."""
        of = self.within if position >= self.begun else holding(self.over, position).within
        return of.holds(self._holds(position))

    def settled_at(self, position: int) -> int:
        """The position at which the level of the training had settled that holds `position`."""
        return (self if position >= self.begun else holding(self.over, position)).warmup

    def _take_marked(self, baseline: Baseline, position: int) -> None:
        """The own time of an iteration beside which something was reported."""
        duration_s = self._columns.duration_s[position]
        if position < self.warmup or not duration_s > 0 or not self.speaks(position):
            return
        if duration_s > baseline.limit:
            baseline.slow()
        else:
            baseline.take((duration_s,))
        if baseline.alarmed and self._alarm is None:
            self._alarm = self.done

    def _look_at(self, baseline: Baseline, position: int) -> None:
        """One iteration that may be slow, or whose time is not known."""
        duration = self._columns.duration_s[position]
        self.done = position + 1
        if duration > baseline.limit and not self._may_hold_more(position, duration, baseline.level):
            self.slow.add(position, duration, baseline.level, itself=True)
            if position >= self.warmup and self._alarm is None:
                baseline.slow()
                if baseline.alarmed:
                    self._alarm = self.done
        if self._alarm is not None and duration == duration:
            self._watch(baseline, self._alarm)

    def _may_hold_more(self, position: int, duration_s: float, level_s: float) -> bool:
        """Is what it took too much no more than iterations that nobody counted may have taken?"""
        uncounted = self._columns.uncounted.get(position)
        if not uncounted:
            return False
        return (duration_s - level_s) * self._columns.averaged_at(position) <= uncounted * level_s

    def _watch(self, baseline: Baseline, alarm: int) -> None:
        """Has the level changed for good, or was the alarm nothing?"""
        since, newest = lately(self._columns.duration_s, max(self.warmup, self._settled), self.done)
        times, marks = list(newest), self._spans.positions
        beside = marks[bisect_left(marks, since) : bisect_left(marks, self.done)]
        silent = {p for p in (*beside, *self._apart(since, self.done)) if not self.speaks(p)}
        whole = not (silent or isnan(sum(times)))  # as nearly always
        durations = times if whole else [d for p, d in enumerate(times, since) if d == d and p not in silent]
        found = baseline.shifted(durations) if len(durations) >= VERIFY else None
        if found is None and sum(d == d for d in times[alarm - since :]) < _GIVE_UP:
            return
        recent = [(p, d) for p, d in enumerate(times, since) if d == d and p not in silent]
        if found is not None:
            count, level = found
            self._shift(baseline, recent[-count:], level)
        else:
            self._alarm, marked = None, self._spans.by_position
            baseline.calm([d for p, d in recent if p >= alarm and p not in marked and d <= baseline.limit])

    def _shift(self, baseline: Baseline, after: Sequence[tuple[int, float]], level: float) -> None:
        """The level moved: begin a new baseline, and forget the spikes that were none."""
        change = after[0][0]
        self._alarm, self._settled = None, change
        before_s = baseline.level
        baseline.rebase([d for _, d in after if d <= 1.5 * level])
        self._levels.append((change, baseline.level))
        at_s = self._columns.time_at(change)
        moment = at_s if at_s == at_s else None
        shift = Shift(self._columns.index[change], before_s, baseline.level, position=change, at_s=moment)
        first = change if self._is_another_process(change) else self._add_shift(shift)
        between = enumerate(self._columns.duration_s[first:change], first)
        for position, duration_s in (*between, *after):  # what was usual for the old level may be slow now
            if duration_s > baseline.limit and not self._may_hold_more(position, duration_s, baseline.level):
                self.slow.judge(position, duration_s, baseline.level)
        for place in range(len(self.slow) - 1, -1, -1):  # what was slow for the old level is normal now
            position = self.slow.position[place]
            if position < change:
                break
            normal = self._columns.duration_s[position] <= baseline.limit
            if normal and not self.slow.gap_s[place] and position not in self._spans.by_position:
                self.slow.drop(place)
            else:
                self.slow.level_s[place] = baseline.level
                self.slow.note(position, itself=not normal)

    def _add_shift(self, shift: Shift) -> int:
        """Note a change of level, unless it creeps; from which position on rows are judged by it."""
        first = shift.position  # but from the one before, where that lasted few rows and the level is back
        if self.shifts and shift.position - self.shifts[-1].position < VERIFY:  # it corrects the last one
            passed = self.shifts.pop()
            shift = replace(shift, before_s=passed.before_s)
            first = passed.position if is_back(passed, shift) else first
        if abs(shift.after_s / shift.before_s - 1) >= 0.6 * LEAST_CHANGE:
            self.shifts.append(shift)
        return first

    def _is_another_process(self, change: int) -> bool:
        """Did a process begin where the level changed? Its settings may be others: nothing "became" slower."""
        place = bisect_left(self.starts, max(1, change - VERIFY))
        return place < len(self.starts) and self.starts[place] < self.done

    def _tick(self, first: int, end: int, level: float, resolution_s: float) -> None:
        for position in self.clock.stamped(first, end):
            before = self.clock.last
            start = bisect_left(self.starts, (before or 0) + 1)
            restarted = start < len(self.starts) and self.starts[start] <= position
            told = position in self._spans.by_position
            gap_s = self.clock.tick(position, level, resolution_s, restarted=restarted, told=told)
            if gap_s > 0:
                self._gap_at = self._place_of_gap(before or 0, position)
                rows = position - (before or 0) if self._gap_at == position else 1
                self.slow.add(self._gap_at, self._columns.duration_s[self._gap_at], level, gap_s, rows=rows)
            elif gap_s < 0:
                self.slow.shorten_gap(self._gap_at, -gap_s, level, told=self._gap_at in self._spans.by_position)

    def _place_of_gap(self, before: int, position: int) -> int:
        """A gap belongs before the iteration that a span was joined to, if one of these has one."""
        outside = self._spans.by_position
        places = range(before + 1, position)
        return next((at for at in places if any(not n.inside for n in outside.get(at, ()))), position)
