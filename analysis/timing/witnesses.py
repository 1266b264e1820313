"""Do the kinds of evidence agree? The time that passed, beside the sum of the iteration times in it.

More may pass than the iterations take: evaluations, checkpoints, lines that were never printed. Less may not.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

from ...events import ClockKind, Witness
from ..findings import TimeWitness

if TYPE_CHECKING:
    from array import array
    from collections.abc import Collection, Sequence

    from ...events import Total
    from ..record.columns import Columns

SLACK = 0.05
"""Witnesses that differ by less agree: bars and stamps are rounded to whole seconds, rates to three digits."""

SLACK_S = 2.0
"""... and so do those that differ by no more than two roundings to a second."""

PART = 0.1
"""Iterations that take less than this of the time that passes are not what the time passes with: another unit, or
a part of the iteration. The heaviest evaluation seen in a real log leaves the iterations 14 %."""

LEAST_S = 10.0
"""A shorter stretch is decided by roundings."""

A_STOP = 1.5
"""From row to row, what takes so many times the median is a stop, and no iteration."""

FEWEST, NEWEST = 8, 64
"""Rows at least, and at most, by which stamps say how long an iteration takes."""

CONFIRMED = 0.1
"""Stamps that say so much more than the printed time tell that something else comes with each."""

SAME = 0.03
"""Stamps that differ by more from the printed time do not confirm it."""

PICKED = 1.2
"""Rows that take so many times what a clock leaves to iterations without one are no picture of those: who prints
each hundredth draws its images, too."""

ANEW = 2
"""So often more than processes begin a clock was not set back by chance."""

SOUGHT = 1_000
"""A moment is looked for in so many entries at each end of a process: most lines have one, or none has."""

OF_CLOCK = {
    ClockKind.HOOK: Witness.HOOKS,
    ClockKind.LOG: Witness.STAMPS,
    ClockKind.ARRIVAL: Witness.ARRIVAL,
}

WORDS = {
    Witness.HOOKS: "the trainer's own clock",
    Witness.PRINTED: "the printed times",
    Witness.RATE: "the printed rates",
    Witness.STAMPS: "the lines' time stamps",
    Witness.BETWEEN: "the time stamps of their first and last lines",
    Witness.ARRIVAL: "the lines' arrival",
    Witness.ELAPSED: "a clock in the log",
    Witness.TOTAL: "the printed total",
    Witness.REMAINING: "the printed remaining time",
}
"""Each witness, for a person."""


class Unseen(NamedTuple):
    """What an iteration without a line takes: `each_s` from position `since` on; before, what printed ones took.

    The level is of the newest training.
    """

    each_s: float
    since: int = 0

    def seconds(self, columns: Columns, first: int, last: int) -> float:
        """Of those that passed from the entry at `first` to the one at `last` of a process."""
        count = _unseen(columns, first, last)
        if not count or first >= self.since:
            return count * self.each_s
        return count * _usual_s(columns, first + 1, last)


def _usual_s(columns: Columns, first: int, last: int) -> float:
    """What one of the printed iterations at `first`..`last` took, slow ones left out: those stand for themselves.

    So does the row before them: the first of a process compiles, and goes on from nowhere; and that of an epoch's
    first iteration, which waits for the loader to begin.
    """
    rows = [d for d in columns.duration_s[max(first, last + 1 - SOUGHT) : last + 1] if d == d]
    limit = A_STOP * median(rows) if rows else 0.0
    return fmean(d for d in rows if d <= limit) if rows else 0.0


def words_of(one: TimeWitness) -> str:
    """`the printed total (train_runtime)`"""
    return WORDS[one.name] + (f" ({one.origin})" if one.origin else "")


def witnesses(
    columns: Columns, starts: Sequence[int], clock: ClockKind | None, totals: Sequence[Total], unseen: Unseen
) -> tuple[TimeWitness, ...]:
    """What speaks of the time that passed, the best first.

    Args:
        columns: the iterations.
        starts: the first position of each process.
        clock: where the times of day come from.
        totals: what the log says that the training took.
        unseen: what iterations without a line take.
    """
    found = [
        _stretch(name, columns, starts, moments, unseen)
        for name, moments in (
            (OF_CLOCK.get(clock) if clock else None, Moments(columns.at_s, columns.timed_from)),
            (
                None if _of_parts(columns, starts) else Witness.ELAPSED,
                Moments(columns.elapsed_s, cut_off_s=columns.cut_off_s),
            ),
        )
        if name is not None and moments.column
    ]
    if totals and len(totals) == len(starts):
        found.append(_total(columns, starts, totals, unseen))
    return tuple(one for one in found if one is not None)


def _of_parts(columns: Columns, starts: Sequence[int]) -> bool:
    """Does the clock in the log begin anew with each epoch? Stamps hold all; it tells of parts alone."""
    return columns.witness == Witness.STAMPS and len(columns.clocks_begun) >= ANEW + len(starts)


class Moments(NamedTuple):
    """When iterations ended, by one clock, in seconds; nan where it was not read."""

    column: array[float]
    begin: int = 0  # position of the iteration that the column begins with
    cut_off_s: float = 0.0  # at most, where it began anew: an epoch's bar ends at 00:01 after 1.9 s

    def at(self, position: int) -> float:
        """The moment at a position."""
        return self.column[position - self.begin]

    def ends(self, start: int, stop: int) -> tuple[int, int] | None:
        """The first and the last position with a moment of the process at `start`..`stop` (exclusive).

        Without a call for each entry: a log of many restarts is asked for all of them in every refresh.
        """
        low, high = max(0, start - self.begin), max(0, stop - self.begin)
        head, tail = self.column[low : min(high, low + SOUGHT)], self.column[max(low, high - SOUGHT) : high]
        first = next((place for place, at_s in enumerate(head, low) if at_s == at_s), None)
        back = next((place for place, at_s in enumerate(reversed(tail), 1) if at_s == at_s), None)
        return None if first is None or back is None else (first + self.begin, stop - back)


def _stretch(
    name: Witness, columns: Columns, starts: Sequence[int], moments: Moments, unseen: Unseen
) -> TimeWitness | None:
    """Between the first and the last moment of each process, added up."""
    seconds = iterations_s = 0.0
    ends: list[int] = []
    for start, stop in pairwise((*starts, len(columns))):
        known = moments.ends(start, stop)
        if known is None:
            continue
        first, last = known
        passed_s = moments.at(last) - moments.at(first)
        if passed_s <= 0:
            continue
        seconds += passed_s
        iterations_s += columns.spent_s(first + 1, last) + unseen.seconds(columns, first, last)
        ends += [first, last]
    if not ends:
        return None
    indices = columns.index[ends[0]], columns.index[ends[-1]]
    others_s = SLACK_S * (len(ends) // 2 - 1)  # each process begins and ends with a rounding of its own
    agree = agrees(seconds, iterations_s, moments.cut_off_s + others_s)
    return TimeWitness(name, seconds, iterations_s, *indices, agrees=agree)


def _total(columns: Columns, starts: Sequence[int], totals: Sequence[Total], unseen: Unseen) -> TimeWitness:
    seconds = sum(total.duration_s for total in totals)
    iterations_s = columns.spent_s(0, len(columns) - 1)
    iterations_s += sum(
        unseen.seconds(columns, start, stop - 1) for start, stop in pairwise((*starts, len(columns)))
    )
    origin = next((total.origin for total in totals if total.origin), "")
    return TimeWitness(Witness.TOTAL, seconds, iterations_s, origin=origin, agrees=agrees(seconds, iterations_s))


def apart_s(columns: Columns, first: int, end: int) -> float | None:
    """Seconds of an iteration by the stamps of the rows from `first` to before `end`, stops left out.

    `None`: fewer than `FEWEST` of them have one.
    """
    each = [
        (columns.time_at(n) - columns.time_at(n - 1)) / steps
        for n in range(first + 1, end)
        if (steps := columns.index[n] - columns.index[n - 1]) > 0
    ]
    known = [one for one in each if one == one]
    if len(known) < FEWEST:
        return None
    limit = A_STOP * median(known)
    return fmean(one for one in known if one <= limit)


def confirmed_by_rows(columns: Columns, begun: int, level_s: float) -> bool:
    """Do the newest rows come, by their stamps, as far apart as `level_s` says? True where nobody can say."""
    rows_s = apart_s(columns, max(begun, len(columns) - NEWEST), len(columns)) if columns.at_s else None
    return rows_s is None or abs(rows_s / level_s - 1) <= SAME


FINE = 100
"""Ticks of a clock, after which it tells what passed to a hundredth."""


HUNDREDTH_S = 0.01
"""A clock that shows parts of a second is taken for no finer than this."""


def clocked_s(columns: Columns, first: int, rows: int, slow: Collection[int]) -> float | None:
    """Seconds of an iteration by the newest clock in the log, `slow` rows left out.

    Over so many of the newest `rows`, and more of them up to `FINE` ticks. `None`: since the row at `first` there
    are fewer, or they are of two bars: what passes between their clocks none of them tells.
    """
    if not columns.elapsed_s:
        return None
    last, tick_s = len(columns) - 1, max(columns.tick_s, 1.0 if columns.of_whole_seconds else HUNDREDTH_S)
    end_s, begun_s, before = columns.elapsed_at(last), columns.clocks_begun[-1], last
    while before > first and not (last - before >= rows and end_s - columns.elapsed_at(before) >= FINE * tick_s):
        before -= 1
    passed_s = end_s - columns.elapsed_at(before)
    if not (passed_s >= FINE * tick_s and columns.elapsed_at(before) >= begun_s and last - before >= rows):
        return None
    stops = [n for n in range(before + 1, last + 1) if n in slow]
    left = columns.index[last] - columns.index[before] - sum(columns.averaged_at(n) for n in stops)
    left_s = passed_s - sum(columns.spent_s(n, n) for n in stops)
    return left_s / left if left > 0 and left_s > 0 else None


def _unseen(columns: Columns, first: int, last: int) -> int:
    passed = columns.index[last] - columns.index[first]
    return max(0, passed - columns.passed(first + 1, last)) if last > first else 0


def agrees(seconds: float, iterations_s: float, cut_off_s: float = 0.0) -> bool | None:
    """Can both be true, if up to `cut_off_s` more passed? `None`: too short to say, or there are no times.

    So it is of a clock that may have cut off more than it shows.
    """
    if seconds < LEAST_S or not iterations_s:
        return None
    shown = iterations_s <= max((1 + SLACK) * seconds, seconds + SLACK_S)
    if not shown and seconds < cut_off_s and iterations_s <= (1 + SLACK) * seconds + SLACK_S + cut_off_s:
        return None
    return PART * seconds <= iterations_s <= max((1 + SLACK) * seconds, seconds + SLACK_S) + cut_off_s
