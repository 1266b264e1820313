"""The mean of an epoch's steps so far, printed in whole units: `25ms/step` is 24.5 to 25.5 ms, and over 90 steps that is 90 ms.

The time of the steps between two such means is the difference of two sums, each as wrong as its last digit makes it. Over few
steps that is all there is to see: 23 ms that became 24 ms after 95 of 100 steps are no five steps of 43 ms.
"""

from __future__ import annotations

from collections import Counter
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ....events import CHECKPOINT, DATA, EVALUATION, Iteration, Message, RunInfo
from ..parsing.values import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event

SURE = 0.03
"""Of a time: so much may hide in the last digits of the two sums that it lies between."""

_FEW = 1 / 3
"""Of an epoch: where a stretch is longer, there are about as many first steps as stretches, and no usual row among both."""


class Spent(NamedTuple):
    """Seconds since the epoch began, and by how many of them that may be wrong."""

    seconds: float = 0.0
    unsure_s: float = 0.0


def may_be_means(before: tuple[float, float], now: tuple[float, float]) -> bool:
    """May two losses be means of so many batches each? Those in between cannot have a mean below zero.

    After 100 batches 5.25, and after 105 of them 4.25: that is of one batch each.
    """
    (n, loss), (more, newest) = before, now
    return not 0 < n < more or min(loss, newest) <= 0 or more * newest >= n * loss


class MeansSoFar:
    """Stretches of an epoch that are long enough for their time to be known."""

    def __init__(self) -> None:
        self.told = False  # was the time of a stretch known?
        self.begin()

    def begin(self) -> None:
        """An epoch begins."""
        self.done = self._since = 0.0  # steps whose time was told; and those before the first that means are of
        self._spent = Spent()
        self.first_s: float | None = None  # what the first step took, where no later mean holds it
        self.together = (
            False  # ... and it is told with the others: a row of one step beside one of hundreds is no other row
        )

    def leave_out(self, first_s: float | None, others: Spent) -> bool:
        """Later means are of the steps behind the first one, which took so long, and so is what is `spent`; `None`: they are of all.

        As rough as they are by what `others` took, an epoch has two such stretches at most, or more.
        """
        if first_s is not None:
            rough = others.unsure_s / others.seconds if others.seconds else 0.0
            self.first_s, self.together = first_s, 2 * rough / (SURE + rough) > _FEW
            self.done = self._since = 0.0 if self.together else 1.0
        return first_s is not None

    def since(self, done: float, batches: float, spent: Spent) -> float | None:
        """The seconds from the step where the last such stretch ended up to `done`; `None`: not known (yet).

        All stretches of an epoch are long enough for its last one; that of a whole epoch may be as rough as its mean.
        """
        seconds = spent.seconds - self._spent.seconds
        if done <= self.done or seconds <= 0:
            return None
        rough = spent.unsure_s / spent.seconds
        least = 2 * rough / (SURE + rough) * batches  # steps, at the end of the epoch
        whole = done >= batches and self.done == self._since
        if not whole and (self.together or done - self.done < least or 0 < batches - done < least):
            return None
        self.done, self._spent, self.told = done, spent, True
        return seconds


_AT_ONCE, _EACH = 0.25, 0.03
"""Of the printed time: what is hidden between two rows is more than this, and more than this for each step."""

CERTAIN = 10
"""So many times what the last digits of two means leave open is what is hidden between them."""

_OF_OTHERS = 3
"""So many times what the sums of two processes differ by is hidden, where one's mean may follow the other's."""

EXACT = 0.01
"""Of what the rows between two means took."""


class SoFar:
    """A mean so far beside another time: `Time 0.412 (0.430)`. Two of them tell what the rows between took.

    The first figure is the newest batch's: one that waited between two rows is in the mean alone. Then the row is all
    that it stands for, with their mean; else the figure that was printed. Where that is the median of them all, the mean
    says more as long as it is exact, and no stop is in it: what an evaluation or a save between them took.
    """

    def __init__(self) -> None:
        self._digits = 1  # behind the point, the most that were seen: of `0.4300` a zero says as much
        self._count = 0  # steps up to the newest row, and the mean of them
        self._mean_s: float | None = None
        self._apart_s: float | None = None  # processes print rows side by side: how far apart their sums are

    def again(self, mean: str) -> None:
        """The newest row's place has come once more: another process's, with its own `mean`."""
        mean_s = number(mean)
        if mean_s is None or self._mean_s is None:
            self._apart_s = inf
            return
        self._apart_s = abs(mean_s - self._mean_s) * self._count

    def begin(self, *, known: bool = False) -> None:
        """Means begin anew; `known`: with the next step, else nobody knows with which."""
        self._mean_s, self._count = (0.0 if known else None), 0

    def between(
        self, count: int, mean: str, printed_s: float, *, of_all: bool = False, most: int = 0
    ) -> tuple[float, int] | None:
        """What a step took of those since the row before, and how many they are, where `printed_s` does not stand for them.

        Args:
            count: steps that the mean is of.
            mean: as it was printed.
            printed_s: the time that the row shows of a step; `of_all`: as a median of those between two rows.
            most: steps that a mean of the epoch may be of; 0: not known. Where the digits are enough even then, each row
                is told by the means: one rule for all rows of an epoch. Where it is not known, as long as they are.
        """
        self._digits = max(self._digits, len(mean.partition(".")[2]))
        before, since = self._mean_s, self._count
        self._mean_s, self._count = number(mean), count
        steps = count - since
        if before is None or self._mean_s is None or steps <= 1 or (of_all and self._apart_s is not None):
            return None
        spent_s = count * self._mean_s - since * before
        hidden_s, unsure_s = abs(spent_s - steps * printed_s), 0.5 * 10.0**-self._digits * (count + since)
        least_s = (_AT_ONCE + _EACH * steps) * printed_s
        hides = hidden_s > max(least_s, CERTAIN * unsure_s, _OF_OTHERS * (self._apart_s or 0.0))
        exact = hidden_s <= least_s and unsure_s <= EXACT * spent_s
        fine = 10.0**-self._digits * most <= EXACT * steps * self._mean_s if most else unsure_s <= SURE * spent_s
        told = self._apart_s is None and (count <= most or not most) and fine and not of_all
        return (spent_s / steps, steps) if 0 < spent_s < inf and (exact if of_all else hides or told) else None

    def each(self, count: int, mean: str, allowed_s: float) -> float | None:
        """What a step took of those since the row before, where that is wrong by no more than `allowed_s`."""
        self._digits = max(self._digits, len(mean.partition(".")[2]))
        before, since = self._mean_s, self._count
        self._mean_s, self._count = number(mean), count
        if before is None or self._mean_s is None or count <= since or self._apart_s is not None:
            return None
        each_s = (count * self._mean_s - since * before) / (count - since)
        unsure_s = 0.5 * 10.0**-self._digits * (count + since) / (count - since)
        return max(0.0, each_s) if unsure_s <= allowed_s and each_s >= -allowed_s else None


_LOOKED_AT = 256
"""Rows, at the beginning: later ones hardly move a mean so far."""

_FEWEST, _TIMES, _MOSTLY = 4, 4, 0.5
"""So many stretches fit as means so far, as many times as fit as they stand, and as many of those that tell."""

_NEARLY = 0.8
"""Of the rows: those that are means of as many, in a log that prints every tenth."""

_TICK_S, _CLOSE, _CLEARLY = 0.05, 0.02, 3.0
"""How late a line is, by stamps that are no whole seconds; of what passed; how much farther apart two readings are."""

SAID = "the printed time is the mean of all iterations so far: what each took is told by the lines' time stamps"


class _Shown(NamedTuple):
    """What a row shows of a mean, the newest, and of how many steps it would be one so far."""

    place: int
    steps: int
    seconds: float
    at_s: float
    wait_s: float | None
    printed_s: float  # before it was divided by the steps since the row before

    def sums_since(self, before: _Shown) -> tuple[float, float]:
        """What the steps since `before` took by two sums, if what both show, or show as it was printed, is a mean so far."""
        shown_s = self.steps * self.seconds - before.steps * before.seconds
        return shown_s, self.steps * self.printed_s - before.steps * before.printed_s


class PrintedMeans:
    """Is the time that each row prints the mean of all steps since the process or its epoch began? Of any format.

    Two sums tell what the rows between took; so do the stamps. Where a log begins slowly, that is another time than the
    printed one. Where most such stretches fit the sums, no row's printed time is its own: the stamps give it.
    """

    def __init__(self, *, ahead: bool = False) -> None:
        self._ahead = ahead  # are rows only looked at, to be read `again`?
        self._newest: _Shown | None = None
        self._first: Iteration | None = None  # of the process, until a second row shows how far they are apart
        self._steps = 0  # from row to row, at the beginning
        self._rows = self._told = self._so_far = self._plain = 0
        # Where a stretch begins that does not tell yet, and the sum of the times that its rows print.
        self._base: tuple[_Shown, float] | None = None
        self._waits = self._falls = 0  # stretches, and those whose waits cannot be means so far
        self._index: int | None = None  # of the newest row, whatever it shows
        self._said = self._idle = False  # was the finding told of? Is there nothing to be done any more?
        self._apart, self._singles = Counter[int](), 0  # rows that are means of all since the one before; others
        self._digits, self._over = 1, False  # behind the point; is the first process over, whose rows tell that?

    @property
    def are_so_far(self) -> bool:
        """Is it proven?"""
        return self._so_far >= max(_FEWEST, _TIMES * self._plain, _MOSTLY * self._told)

    def again(self) -> None:
        """What was looked at to learn comes once more."""
        self._newest = self._first = self._index = None
        self._ahead = False
        self._rows = _LOOKED_AT if self._told else self._rows

    def of(self, events: Sequence[Event]) -> Sequence[Event]:
        """The events of a line, with the times that are the rows' own."""
        if self._idle or not any(isinstance(event, Iteration | RunInfo) for event in events):
            return events
        if self._rows < _LOOKED_AT and not self._said:
            for event in events:
                self._see(event)
        else:
            self._idle = not (self._ahead or self.are_so_far or self._regular)
        if self._ahead or not self.are_so_far:
            return [self._of_all_before(event) for event in events]
        rows = [self._row(event) for event in events]
        said, self._said = self._said, self._said or any(isinstance(event, Iteration) for event in events)
        return [*rows, Message(SAID)] if self._said and not said else rows

    def _see(self, event: Event) -> None:
        if isinstance(event, RunInfo):
            self._newest = self._first = self._base = None
            self._over = self._over or self._rows > 0
        if not isinstance(event, Iteration):
            return
        self._rows += 1
        if not self._over and self._index is not None and (steps := event.index - self._index) > 0:
            means = event.averaged_over == steps > 1 and event.witness is None
            self._apart[steps] += means
            self._singles += not means
        if event.duration_s is None or event.at_s is None or event.witness is not None:
            self._newest = self._first = None
        elif self._newest is None and self._first is None:
            self._first = event
        else:
            self._compare(event, event.duration_s, event.at_s)

    def _compare(self, row: Iteration, mean_s: float, at_s: float) -> None:
        """A row with the one before it: which of two readings is what passed between their stamps?"""
        self._digits = max(self._digits, _digits(mean_s * row.averaged_over))
        if self._newest is None and (first := self._first) is not None:
            self._steps = self._steps or max(0, row.index - first.index)
            count = first.index - _begun(first.index, row.index - first.index)
            seconds = first.duration_s or 0.0
            self._newest = _Shown(first.index, count, seconds, first.at_s or 0.0, first.data_wait_s, seconds)
            self._digits = max(self._digits, _digits(first.duration_s or 0.0))
        before = self._newest
        assert before is not None  # noqa: S101 - for the type checker
        steps = row.index - before.place
        printed_s = round(mean_s * row.averaged_over, 9)  # of one step, for all that any reader knew of it
        here = _Shown(row.index, before.steps + steps, mean_s, at_s, row.data_wait_s, printed_s)
        unsure_s = self._unsure_s(here, before)
        began = max(here.sums_since(before)) < -unsure_s  # anew, with an epoch
        self._newest = here._replace(steps=steps) if began else here
        if steps <= 0 or began or at_s < before.at_s or row.averaged_over not in (1, steps):
            self._base = None
            return
        if row.data_wait_s is not None and before.wait_s is not None:
            self._waits += 1
            self._falls += here.steps * row.data_wait_s < before.steps * before.wait_s - 2 * unsure_s
        base, plain_s = self._base or (before, 0.0)
        self._base = self._told_by(here, base, plain_s + steps * mean_s)

    def _told_by(self, here: _Shown, base: _Shown, plain_s: float) -> tuple[_Shown, float] | None:
        """The stretch from `base` to here, whose rows print `plain_s` in all: it goes on until the readings differ clearly."""
        passed_s = here.at_s - base.at_s
        allowed_s = (1.0 if not passed_s % 1 else _TICK_S) + self._unsure_s(here, base) + _CLOSE * passed_s
        sums_s = [one for one in here.sums_since(base) if one >= -allowed_s]  # no steps take less than nothing
        clear = [one for one in sums_s if abs(one - plain_s) > _CLEARLY * allowed_s]
        if not clear:
            return base, plain_s
        self._told += 1
        self._so_far += any(abs(one - passed_s) <= allowed_s for one in clear)
        self._plain += abs(plain_s - passed_s) <= allowed_s
        return None

    def _unsure_s(self, here: _Shown, base: _Shown) -> float:
        return 0.5 * 10.0**-self._digits * (here.steps + base.steps)

    @property
    def _regular(self) -> int:
        """Iterations that each row is the mean of, all since the row before it; 0 where that is not so of nearly all."""
        ((steps, rows),) = self._apart.most_common(1) or [(0, 0)]
        return steps if rows >= max(_FEWEST - 1, _NEARLY * (self._apart.total() + self._singles)) else 0

    def _of_all_before(self, event: Event) -> Event:
        """The first row of a process is the mean of as many as the others, where it stands as far behind its beginning."""
        if not isinstance(event, Iteration):
            self._index = None if isinstance(event, RunInfo) else self._index
            return event
        before, self._index, steps = self._index, event.index, self._regular
        first = before is None and steps > 0 and event.index > 0 and event.averaged_over == 1
        if not first or event.duration_s is None or event.witness is not None or event.elapsed_s is not None:
            return event
        return replace(event, averaged_over=steps) if event.index % steps in (0, steps - 1) else event

    def _row(self, event: Event) -> Event:
        """A row without the mean that it shows; but for a process's first one, which that is of."""
        if isinstance(event, RunInfo):
            self._index = None
            return replace(event, time_includes=(EVALUATION, CHECKPOINT, DATA))
        if not isinstance(event, Iteration):
            return event
        before, self._index = self._index, event.index
        if event.duration_s is None or event.witness is not None or event.at_s is None:
            return event
        if not self._falls:
            event = replace(event, data_wait_s=None)
        if before is None and self._steps:
            count = event.index - _begun(event.index, self._steps)
            return replace(event, averaged_over=max(1, count))
        return replace(event, duration_s=None, averaged_over=1)


def _begun(first: int, steps: int) -> int:
    """The step before the first that a process has made, whose first row is `first`, and the next one `steps` later."""
    if first >= steps:
        return first - max(steps, 1)
    return -1 if first in (0, steps - 1) else 0


def _digits(seconds: float) -> int:
    """Behind the point, as they were printed."""
    return len(f"{seconds:.9f}".rstrip("0").partition(".")[2])
