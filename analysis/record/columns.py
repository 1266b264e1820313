"""The iterations of a run, as columns of numbers: 24 bytes an iteration, 8 more with a clock, 4 for waits."""

from __future__ import annotations

from array import array
from math import nan
from operator import attrgetter
from typing import TYPE_CHECKING

from ...arrays import packed, packed_known
from ...events import Iterations, Witness
from ..stretches import BadLosses
from ..ticks import Ticks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...events import Iteration, PrintedLoss

_index = attrgetter("index")
_at = attrgetter("at_s")
_loss = attrgetter("loss")
_mfu = attrgetter("mfu")
_wait = attrgetter("data_wait_s")
_elapsed = attrgetter("elapsed_s")

BLOCK = 64

_MOST_AT_ONCE = 10_000
"""Lines of one moment: a block of 8 kB has 200."""

_AVERAGES = 256

LEAST_S = 1e-9
"""No clock is finer: a shorter time was not measured."""

MOST_S = 1e10
"""Three hundred years: a longer time was not measured either."""

MORE = 1.1  # times what its iteration took: a longer wait is no part of it, that time is without the data
LAG_S = 2.0
"""A clock that goes back by so little begins nothing anew: it is another rank's, whose line was written late."""

TENTH_S = 0.1  # as far as a clock may be off that shows more than whole seconds


class Columns:
    """Parallel arrays, one entry per iteration seen, in the order seen. Not measured is nan here.

    A *position* counts entries from 0; an `index` is the trainer's own number, which can have gaps (a log
    that prints every tenth) and step back (a resumed run). `data_wait_s`, `elapsed_s` and `averaged_over` stay
    empty until an iteration has them; `at_s` begins with the first that has one, at position `timed_from`.
    """

    def __init__(self) -> None:
        self.index = array("q")
        self.duration_s = array("d")
        self.at_s = array("d")
        self.timed_from = 0
        self.process_from = 0  # the position at which the newest process begins
        self.elapsed_s = array("d")
        self.witness: Witness | None = None  # of the newest iteration's time
        self.loss = array("f")
        self.logged_mfu = array("f")
        self.data_wait_s = array("f")
        self.averaged_over = array("I")
        self.untimed = self.not_finite = 0  # without a printed time; losses that were no finite number
        self.launched: dict[int, float] = {}  # by position: when the process began whose first it is, by its line
        self.uncounted: dict[int, int] = {}  # by position: iterations before it, at most, that are in no count
        self.newest_not_finite: int | None = None  # its position: a later process counts from a lower index
        self.bad_losses = BadLosses()
        self._shown_s = self._shown_before_s = self._shown_at_mean_s = 0.0
        self.of_whole_seconds = True
        self._stamps, self._elapsed = Ticks(), Ticks()
        self.clocks_begun = [0.0]  # where clocks in the log began: one, or each epoch's
        self.cut_off_s = 0.0  # at most, by a clock in the log of whole seconds that began anew
        self.cut_off_first_s = 0.0  # ... of it by the first row, whose own printed time stands for it
        # Up to each multiple of BLOCK, of waits for data, and of iterations: sums never depend on batches.
        self._spent_s, self._waited_s, self._passed = (array("d", [0.0]) for _ in range(3))
        self.waited_by_all_s: dict[tuple[int, int, int], float] = {}  # of processes that are over, see `waits`

    def __len__(self) -> int:
        return len(self.index)

    def extend(self, iterations: list[Iteration] | Iterations) -> None:
        """Append `iterations`, oldest first."""
        if isinstance(iterations, Iterations):
            self._extend_plain(iterations)
        elif iterations:
            self._extend(iterations)
        self._add_up(self._spent_s, self._sum)
        self._add_up(self._waited_s, self._sum_of_waits, 0 if not self.data_wait_s else None)
        self._add_up(self._passed, self._count, BLOCK if not self.averaged_over else None)

    def _add_up(self, sums: array[float], part: Callable[[int, int], float], each: int | None = None) -> None:
        """The sums up to the blocks that are whole now; `each` block's, where it is known."""
        while len(sums) * BLOCK <= len(self.index):
            end = len(sums) * BLOCK
            sums.append(sums[-1] + (part(end - BLOCK, end) if each is None else each))

    def _extend_plain(self, iterations: Iterations) -> None:
        self.index.extend(iterations.index)
        self.duration_s.extend(packed("d", _possible(iterations.duration_s)))
        self.loss.extend(packed("f", iterations.loss))
        self.logged_mfu.extend(packed("f", iterations.mfu))
        for column in (self.at_s, self.data_wait_s, self.elapsed_s):
            column.extend([nan] * len(iterations) if column else ())
        self.averaged_over.extend([1] * len(iterations) if self.averaged_over else ())

    def _extend(self, iterations: Sequence[Iteration]) -> None:
        before = len(self.index)
        self.index.extend(map(_index, iterations))
        printed_s = list(map(self._printed, iterations))
        self.duration_s.extend(packed("d", _possible(packed_known("d", printed_s))))
        self.untimed += printed_s.count(None) - sum(not i.averaged_over for i in iterations)
        times_s = list(map(_at, iterations))
        if self.at_s or times_s.count(None) < len(times_s):
            self.timed_from = before - len(self.at_s)
            self.at_s.extend(packed_known("d", times_s))
        self.uncounted |= {n: i.uncounted for n, i in enumerate(iterations, before) if i.uncounted}
        losses = list(map(_loss, iterations))
        self.loss.extend(packed_known("f", losses))
        if losses.count(None):
            self._note_bad([position for position, i in enumerate(iterations, before) if i.bad_loss])
        self.logged_mfu.extend(packed_known("f", list(map(_mfu, iterations))))
        waits = list(map(_wait, iterations))
        if self.data_wait_s or waits.count(None) < len(waits):
            waits = [None if w and d and w > MORE * d else w for w, d in zip(waits, printed_s, strict=True)]
            self.data_wait_s.extend([nan] * (before - len(self.data_wait_s)))
            self.data_wait_s.extend(packed_known("f", waits))
        if timed := next((one for one in reversed(iterations) if one.duration_s is not None), None):
            self.witness = timed.witness
        shown = list(map(_elapsed, iterations))
        if self.elapsed_s or shown.count(None) < len(shown):
            self.elapsed_s.extend([nan] * (before - len(self.elapsed_s)))
            spent_s = [(d or 0.0) * i.averaged_over for d, i in zip(printed_s, iterations, strict=True)]
            held = [not i.averaged_over for i in iterations]
            self.elapsed_s.extend(map(self._onwards, shown, spent_s, held))
        means = [1 if i.witness == Witness.STAMPS else i.averaged_over for i in iterations]
        if None in printed_s and times_s.count(None) < len(times_s):
            alone = (i.witness == Witness.STAMPS and i.duration_s is None for i in iterations)
            self._derive(before, means, {n for n, apart in enumerate(alone, before) if apart})
        if self.averaged_over or means.count(1) < len(means):
            self.averaged_over.extend([1] * (before - len(self.averaged_over)))
            self.averaged_over.extend([min(n, 2**32 - 1) for n in means])  # an epoch may have 70,000

    def _printed(self, one: Iteration) -> float | None:
        """What the log says that an iteration took; what its stamps say is worked out from them all."""
        if one.witness == Witness.ELAPSED and one.duration_s is not None and one.elapsed_s is not None:
            self._elapsed.read(one.elapsed_s)
            return self._elapsed.each(one.duration_s * one.averaged_over, one.averaged_over)
        return None if one.witness == Witness.STAMPS else one.duration_s

    def begin_process(self) -> None:
        """What comes now is another process's: its times are its own."""
        self.process_from = len(self.index)
        self._stamps.begin()
        self._elapsed.begin()

    def begin_training(self) -> None:
        """What comes now is another training's: whether its losses are numbers is its own, too."""
        self.bad_losses.begin_training(len(self.index), self.not_finite)

    @property
    def coarse(self) -> Ticks | None:
        """The clock that is too coarse for one row, so that times are those of a stretch; `None`: it is not."""
        clocks = [one for one in (self._stamps, self._elapsed) if one.told]
        return clocks[0] if clocks and clocks[0].tells(self.passed(0, len(self) - 1)) else None

    @property
    def tick_s(self) -> float:
        """How fine the clock in the log is, as far as it shows: 0 for finer than a hundredth of a second."""
        return self._elapsed.tick_s if self.elapsed_s else self._stamps.tick_s

    def _onwards(self, shown_s: float | None, spent_s: float, held: bool) -> float:  # noqa: FBT001 - mapped
        """A clock in the log that begins anew, as each epoch's bar does, goes on from where it was.

        Of bars that are seen at their ends alone the clock need not go back: it shows what the iterations took.
        `held`: the mean of a later entry holds this one, which began where the last mean ended.
        """
        if shown_s is None:
            return nan
        moved_s = shown_s - self._shown_s
        self.of_whole_seconds = self.of_whole_seconds and shown_s == int(shown_s)
        tick_s = 1.0 if self.of_whole_seconds else TENTH_S
        at_its_end = abs(shown_s - spent_s) <= tick_s + 0.05 * spent_s
        whole = at_its_end and spent_s > 2 * (shown_s - self._shown_at_mean_s) + 2 * tick_s
        if -LAG_S <= moved_s < 0 and shown_s > 2 * LAG_S and not at_its_end:
            return self._shown_before_s + self._shown_s
        if moved_s < 0 or (whole and self._shown_s):
            self._shown_before_s += self._shown_s
            self._shown_at_mean_s = 0.0
            self.clocks_begun.append(self._shown_before_s)
            self.cut_off_s += 1.0 if self.of_whole_seconds else 0.0
        elif self.of_whole_seconds and at_its_end and spent_s >= 0.95 * shown_s:  # 00:01, 00:01: who saw it begin?
            self.cut_off_s += (more_s := max(0.0, spent_s - moved_s))
            self.cut_off_first_s += more_s * (self._shown_s == self._shown_before_s == 0)
        self._shown_s = shown_s
        if not held:
            self._shown_at_mean_s = shown_s
        return self._shown_before_s + shown_s

    def _derive(self, before: int, means: list[int], apart: set[int]) -> None:
        """Times that the source does not print, from its time stamps; not `apart`, behind nobody knows how many.

        Lines with one stamp came out in one go and say nothing of each other: what passed between the first
        lines of two moments is the mean of all iterations in it, at the second of them.
        """
        first = self._moment_before(before)
        for position in range(before, len(self.index)):
            at_s = self.time_at(position)
            if at_s != at_s or not means[position - before]:
                continue
            self._stamps.read(at_s)
            first = None if position in apart else first
            passed = 0 if first is None else self.index[position] - self.index[first]
            seconds = 0.0 if first is None else at_s - self.time_at(first)
            if passed > 0 and seconds == 0.0:
                continue
            if first is not None and passed > 0 and seconds > 0 and self._unknown(first + 1, position):
                self.duration_s[position] = self._stamps.each(seconds, passed)
                means[position - before] = passed
                self._stand_for_none(range(first + 1, position), before, means)
                self.witness = Witness.STAMPS
            first = position

    def _moment_before(self, end: int) -> int | None:
        """The position of the first line of the newest moment of this process before `end`."""
        first: int | None = None
        earliest = max(self.timed_from, self.process_from, end - _MOST_AT_ONCE)
        for position in range(end - 1, earliest - 1, -1):
            at_s = self.time_at(position)
            if first is not None and (at_s != self.time_at(first) or self.index[position] >= self.index[first]):
                if at_s == at_s:
                    break
            elif at_s == at_s:
                first = position
        return first

    def _unknown(self, first: int, last: int) -> bool:
        """Is no time printed at `first`..`last` (inclusive)?"""
        return all(d != d for d in self.duration_s[first : last + 1])

    def _stand_for_none(self, positions: range, before: int, means: list[int]) -> None:
        """These entries are in the mean of a later one."""
        for position in positions:
            if position >= before:
                means[position - before] = 0
                continue
            self.averaged_over.extend([1] * (before - len(self.averaged_over)))
            self.averaged_over[position] = 0
            del self._passed[position // BLOCK + 1 :]  # added up anew

    def set_loss(self, position: int, event: PrintedLoss) -> bool:
        """The loss of the iteration at `position`, printed after it; `False` if it has one or none was printed."""
        if self.loss[position] == self.loss[position] and (not event.newer or event.loss is None):
            return False
        if event.bad_loss:
            self._note_bad([position])
        if event.loss is None:
            return False
        self.loss[position] = event.loss
        return True

    def _note_bad(self, positions: list[int]) -> None:
        self.not_finite += len(positions)
        for position in positions:
            before = self.newest_not_finite
            self.bad_losses.add(position, self.loss)
            self.newest_not_finite = position if before is None else max(before, position)

    def passed(self, first: int, last: int) -> int:
        """How many iterations the entries at `first`..`last` (inclusive) stand for."""
        if first == last and not self.averaged_over:  # asked of each time stamp: a tenth of all reading
            return 1
        return int(self._between(self._passed, self._count, first, last))

    @property
    def clocked(self) -> bool:
        """Is the time of day of any iteration known?"""
        return bool(self.at_s)

    def time_at(self, position: int) -> float:
        """The Unix time at which the iteration at `position` ended; nan where it is not known."""
        return self.at_s[position - self.timed_from] if self.at_s and position >= self.timed_from else nan

    def elapsed_at(self, position: int) -> float:
        """What a clock in the log shows at the end of the iteration at `position`; nan where there is none."""
        return self.elapsed_s[position] if self.elapsed_s else nan

    def averaged_at(self, position: int) -> int:
        """How many iterations the time at `position` is the mean of."""
        return self.averaged_over[position] if self.averaged_over else 1

    def usually_averaged(self, first: int, last: int) -> tuple[int, bool]:
        """Of how many iterations the newest times at `first`..`last` (inclusive) are means; are nine in ten so?"""
        newest = self.averaged_over[max(first, last + 1 - _AVERAGES) : last + 1]
        backwards = map(self.averaged_at, range(last, first - 1, -1))
        known = sorted(filter(None, newest)) or [next(filter(None, backwards), 1)]
        usual = known[len(known) // 2]
        return usual, known.count(usual) >= 0.9 * len(known)

    def spent_s(self, first: int, last: int) -> float:
        """Seconds in the iterations at `first`..`last` (inclusive), where they are known."""
        if first == last and not self.averaged_over:
            duration_s = self.duration_s[first]
            return duration_s if duration_s == duration_s else 0
        return self._between(self._spent_s, self._sum, first, last)

    def untimed_between(self, first: int, last: int) -> int:
        """How many entries at `first`..`last` (inclusive) have no time, and are in no later one's mean."""
        if not self.untimed:
            return 0
        times_s = enumerate(self.duration_s[first : last + 1], first)
        return sum(d != d and self.averaged_at(n) > 0 for n, d in times_s)

    def waited_s(self, first: int, last: int) -> float:
        """Seconds that the iterations at `first`..`last` (inclusive) waited for data, as hooks measured."""
        return self._between(self._waited_s, self._sum_of_waits, first, last)

    def _sum_of_waits(self, start: int, stop: int) -> float:
        waits_s = self.data_wait_s[start:stop]
        if self.averaged_over:
            return sum(w * n for w, n in zip(waits_s, self.averaged_over[start:stop], strict=False) if w == w)
        return sum(wait_s for wait_s in waits_s if wait_s == wait_s)

    @staticmethod
    def _between(sums: array[float], part: Callable[[int, int], float], first: int, last: int) -> float:
        """The sum of `first`..`last` (inclusive): by whole blocks, and what is before and behind them."""
        low, high = -(-first // BLOCK), min((last + 1) // BLOCK, len(sums) - 1)
        if high <= low:
            return part(first, last + 1)
        return sums[high] - sums[low] + (part(first, low * BLOCK) + part(high * BLOCK, last + 1))

    def _count(self, start: int, stop: int) -> float:
        return sum(self.averaged_over[start:stop]) if self.averaged_over else max(0, stop - start)

    def _sum(self, start: int, stop: int) -> float:
        durations = self.duration_s[start:stop]
        if self.averaged_over:
            return sum(d * n for d, n in zip(durations, self.averaged_over[start:stop], strict=True) if d == d)
        total = sum(durations)
        return total if total == total else sum(d for d in durations if d == d)


def _possible(durations: Sequence[float]) -> Sequence[float]:
    """`durations` without what no iteration can have: no time at all, a negative or an infinite one."""
    if not durations or (sum(durations) < MOST_S and min(durations) >= LEAST_S):
        return durations
    return [d if LEAST_S <= d < MOST_S else nan for d in durations]
