"""Which iterations were slow, against which level, and when the level itself moved."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import TYPE_CHECKING

from .baseline import FEW, WINDOW, Baseline, begin
from .clock import RESOLUTION_S, Clock
from .findings import Shift
from .warmup import SLOW, warmup_length

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .columns import Columns
    from .spans import Spans

FIRST = 64
"""Iterations before the level is fixed: until then everything is measured anew each time, from few numbers."""

_VERIFY, _GIVE_UP = 10, 32  # iterations since an alarm: enough to believe a change; too many for one


class Slow:
    """The slow or labelled iterations, and the gaps before some: parallel arrays, by position."""

    def __init__(self) -> None:
        self.position = array("q")
        self.duration_s = array("d")
        self.level_s = array("d")
        self.gap_s = array("d")

    def __len__(self) -> int:
        return len(self.position)

    def add(self, position: int, duration_s: float, level_s: float, gap_s: float = 0.0) -> None:
        """Record one; a gap joins the record of its iteration."""
        if self.position and self.position[-1] >= position:
            place = bisect_left(self.position, position)
            if self.position[place] == position:
                self.gap_s[place] += gap_s
                return
        else:
            place = len(self.position)
        self.position.insert(place, position)
        self.duration_s.insert(place, duration_s if duration_s == duration_s else 0.0)
        self.level_s.insert(place, level_s)
        self.gap_s.insert(place, gap_s)

    def drop(self, place: int) -> None:
        """Forget the record at `place`."""
        for column in (self.position, self.duration_s, self.level_s, self.gap_s):
            column.pop(place)


class Timing:
    """Goes through the columns once, in order. What it finds depends on positions only, not on batches."""

    def __init__(self, columns: Columns, spans: Spans) -> None:
        self._columns = columns
        self._spans = spans
        self.slow = Slow()
        self.shifts: list[Shift] = []
        self.clock = Clock(columns)
        self.baseline: Baseline | None = None
        self.warmup = 0  # iterations at the beginning, before the level settled
        self.done = 0  # positions gone through
        self._next_try = FIRST
        self._settled = 0  # position of the newest change of level
        self._starts: Sequence[int] = ()  # first positions of each process
        self._change: int | None = None  # position of a change of level that is not confirmed yet

    def advance(self, starts: Sequence[int], marks: Sequence[int], clock: str | None) -> None:
        """Go through what is new. `starts`: first positions of each process; `marks`: positions with spans."""
        self._starts = starts
        end = len(self._columns)
        if self.baseline is None:
            while self._next_try <= end and self.baseline is None:
                self._begin(self._next_try)
                self._next_try *= 2
            if self.baseline is None:
                return
        self._go(self.baseline, end, starts, marks, clock)

    def early(self, starts: Sequence[int], marks: Sequence[int], clock: str | None) -> Timing:
        """What there is before the level is fixed: a throw-away, from the iterations so far."""
        if self.baseline is not None:
            return self
        young = Timing(self._columns, self._spans)
        young._starts = starts
        young._begin(len(self._columns), fewest=1)
        if young.baseline is not None:
            young._go(young.baseline, len(self._columns), starts, marks, clock)
        return young

    def _begin(self, end: int, fewest: int = FEW) -> None:
        """Fix warm-up and level from positions before `end`: at most the newest few hundred of them."""
        start = max(0, end - 4 * FIRST)
        inside = self._spans.by_position
        plain = [
            (p, d)
            for p, d in enumerate(self._columns.duration_s[start:end], start)
            if d == d and not any(n.inside for n in inside.get(p, ()))
        ]
        if len(plain) < fewest:
            return
        durations = [d for _, d in plain]
        warmup = warmup_length(durations)
        self.baseline = baseline = begin(durations, warmup)
        self.warmup = plain[warmup][0] if warmup else 0
        if not self.warmup and start == 0 and self._columns.duration_s[0] > SLOW * baseline.level:
            self.warmup = 1

    def _go(
        self, baseline: Baseline, end: int, starts: Sequence[int], marks: Sequence[int], clock: str | None
    ) -> None:
        durations = self._columns.duration_s
        timed = self._columns.clocked and clock != "sum"
        mark = bisect_left(marks, self.done)
        while self.done < end:
            while mark < len(marks) and marks[mark] < self.done:
                mark += 1
            position, level = self.done, baseline.level
            if mark < len(marks) and marks[mark] == position:
                self.slow.add(position, durations[position], level)
                self.done += 1
                if self._change is not None:
                    self._watch(baseline)
            elif self._change is not None or position < self.warmup:
                self._look_at(baseline, position)
            else:
                stop = min(end, position + baseline.room, marks[mark] if mark < len(marks) else end)
                taken = baseline.take(durations[position:stop])
                self.done += taken
                if baseline.alarmed:
                    self._suspect(baseline)
                elif self.done < stop:
                    self._look_at(baseline, self.done)
            if timed:
                self._tick(position, self.done, level, starts, RESOLUTION_S.get(clock or "", 1.0))

    def _look_at(self, baseline: Baseline, position: int) -> None:
        """One iteration that may be slow, or whose time is not known."""
        duration = self._columns.duration_s[position]
        self.done = position + 1
        if duration > baseline.limit:
            self.slow.add(position, duration, baseline.level)
            if position >= self.warmup and self._change is None:
                baseline.slow()
                if baseline.alarmed:
                    self._suspect(baseline)
        if self._change is not None:
            self._watch(baseline)

    def _suspect(self, baseline: Baseline) -> None:
        since = max(self.warmup, self._settled, self.done - WINDOW)
        self._change = since + baseline.change_point(self._columns.duration_s[since : self.done])

    def _watch(self, baseline: Baseline) -> None:
        """Has the level changed for good since `_change`, or was it nothing?"""
        assert self._change is not None  # noqa: S101 - for the type checker
        marked = self._spans.by_position
        after = [
            (p, d)
            for p, d in enumerate(self._columns.duration_s[self._change : self.done], self._change)
            if d == d and p not in marked
        ]
        for since in (after, after[-_VERIFY:]):  # the second: what raised the alarm was something before
            level = baseline.shifted([d for _, d in since]) if len(since) >= _VERIFY else None
            if level is not None:
                self._shift(baseline, level)
                return
        if self.done - self._change >= _GIVE_UP:
            baseline.calm()
            self._change = None

    def _shift(self, baseline: Baseline, level: float) -> None:
        """The level moved: date it, begin a new baseline, and forget the spikes that were none."""
        change = self._date(baseline.level, level)
        self._change, self._settled = None, change
        marked = self._spans.by_position
        since = enumerate(self._columns.duration_s[change : self.done], change)
        after = [d for p, d in since if d == d and p not in marked and d <= 1.5 * level]
        after = after or [level]  # dated to the very last: that median is all there is yet
        before_s = baseline.level
        baseline.rebase(after)
        at_s = self._columns.at(change)
        shift = Shift(
            index=self._columns.index[change],
            before_s=before_s,
            after_s=baseline.level,
            position=change,
            at_s=at_s if at_s == at_s else None,
        )
        if not self._is_another_process(change):
            self.shifts.append(shift)
        for place in range(len(self.slow) - 1, -1, -1):  # what was slow for the old level is normal now
            position = self.slow.position[place]
            if position < change:
                break
            normal = self._columns.duration_s[position] <= baseline.limit
            if normal and not self.slow.gap_s[place] and position not in self._spans.by_position:
                self.slow.drop(place)
            else:
                self.slow.level_s[place] = baseline.level

    def _date(self, before_s: float, after_s: float) -> int:
        """The position from which the times are nearer to the new level than to the old one."""
        first = max(self.warmup, self._settled, (self._change or 0) - _GIVE_UP)
        middle_s, reach = (before_s + after_s) / 2, abs(after_s - before_s)
        direction = 1 if after_s > before_s else -1
        best, change, total = 0.0, self.done - 1, 0.0
        for position in range(self.done - 1, first - 1, -1):
            d = self._columns.duration_s[position]
            if d == d and position not in self._spans.by_position:
                total += max(-reach, min(reach, (d - middle_s) * direction))
                if total > best:
                    best, change = total, position
        return change

    def _is_another_process(self, change: int) -> bool:
        """Did a process begin where the level changed? Its settings may be others: nothing "became" slower."""
        place = bisect_left(self._starts, max(1, change - _VERIFY))
        return place < len(self._starts) and self._starts[place] < self.done

    def _tick(self, first: int, end: int, level: float, starts: Sequence[int], resolution_s: float) -> None:
        for position, at_s in enumerate(self._columns.at_s[first:end], first):
            if at_s == at_s:
                before = self.clock.last
                start = bisect_left(starts, (before or 0) + 1)
                restarted = start < len(starts) and starts[start] <= position
                gap_s = self.clock.tick(position, level, resolution_s, restarted=restarted)
                if gap_s:
                    where = self._place_of_gap(before or 0, position)
                    self.slow.add(where, self._columns.duration_s[where], level, gap_s)

    def _place_of_gap(self, before: int, position: int) -> int:
        """A gap belongs before the iteration that a span was joined to, if one of these has one."""
        outside = self._spans.by_position
        for place in range(before + 1, position + 1):
            if any(not n.inside for n in outside.get(place, ())):
                return place
        return position
