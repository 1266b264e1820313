"""What iterations without a line took, and waited for data, by those that were printed.

A mean so far shows that a stretch was slow, and then its row stands for all of the stretch; elsewhere a row is the
newest iteration's alone. A few slow stretches say nothing of the iterations beside the others.
"""

from __future__ import annotations

from collections import Counter, deque
from itertools import pairwise
from math import isnan
from statistics import median, median_low
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..record.columns import Columns

_LONG_WAIT = 5.0
"""Times the usual wait."""
_NEWEST_WAITS = 4_096
_FEWEST_EPOCHS, _REGULAR = 4, 0.8
"""So many long waits, and such a part of the distances between them the same, are those of epochs."""

_FEW = 1 / 16
"""Of the printed iterations: fewer long waits say nothing of those between them."""

_BEFORE = 8
"""Rows whose waits are known stand for the next ones whose waits are not: as many as tell what is usual there."""

_SAMPLE = 1 / 8
"""Of the rows that are means: fewer that stand alone are those that no mean fits, not like the others."""

_COUNTS = 0.05
"""Of what was waited: if so much may be missing, the rest is a bound."""

_MOST_OF_ALL, _HARDLY = 0.5, 0.05
"""Of the time: no more than this is said to be waited by a few rows, where the usual one waits less than that."""


_USUAL, _FIRST = 65, 17
"""The usual wait is the median of so many rows, up to the one in question; or, of the first ones, which wait until
workers have begun, that of so many at the beginning."""

_FAR_SLOWER = 5.0
"""Times the median of those beside it: a row of that says nothing of the iterations without one."""

_HARDLY_ANY = 1 / 16
"""Of what rows stand for: one of fewer iterations does not say what is usual."""


def _of_most(rows: list[int], columns: Columns) -> list[int]:
    """Without those that stand for next to no iterations, as the first row of an epoch that has but two."""
    steps = [max(1, columns.index[n] - columns.index[n - 1]) if n else 1 for n in rows]
    least = _HARDLY_ANY * sum(steps) / len(steps)
    many = [n for n, one in zip(rows, steps, strict=True) if one >= least]
    return many if 4 * len(many) > len(rows) else rows


def _are_alike(waits_s: Sequence[float]) -> bool:
    """Are most of them like their median? What rounded means differ by scatters by more than that."""
    usual_s = median(waits_s)
    return 2 * sum(abs(one - usual_s) <= usual_s / 2 for one in waits_s) > len(waits_s)


def waits_at(columns: Columns, position: int) -> tuple[float | None, float, float | None, bool]:
    """Seconds that a row waited for data, as was measured, what was usual, the usual rest; is it usual indeed?"""
    waits = columns.data_wait_s
    if not waits or isnan(waits[position]):
        return None, 0.0, None, False
    over = columns.averaged_at(position)
    first, end = max(0, position + 1 - _USUAL), max(position + 1, _FIRST)
    rows = _of_most([n for n in range(first, min(end, len(waits))) if waits[n] == waits[n]], columns)
    rests = [columns.duration_s[n] - waits[n] for n in rows if n != position]
    works = [rest for rest in rests if rest == rest]
    waits_s = [waits[n] for n in rows]
    alike = over == 1 or _are_alike(waits_s)
    return over * waits[position], over * median(waits_s), over * median_low(works) if works else None, alike


def waited_by_all(columns: Columns, first: int, last: int, unseen: int) -> float:
    """Seconds that the iterations at positions `first`..`last` waited, and `unseen` others between them.

    Those wait as the printed ones, but for what comes once an epoch. Where few rows show a wait, they are not like
    the others: nothing is said of all then. What a process waited that is over is worked out once.
    """
    if last >= columns.process_from:
        return _waited_by_all(columns, first, last, unseen)
    asked = first, last, unseen
    if asked not in columns.waited_by_all_s:
        columns.waited_by_all_s[asked] = _waited_by_all(columns, first, last, unseen)
    return columns.waited_by_all_s[asked]


def _waited_by_all(columns: Columns, first: int, last: int, unseen: int) -> float:
    waited_s = columns.waited_s(first, last)
    if not waited_s or _only_beginnings(columns, rows := _rows(columns, first, last)):
        return waited_s
    waited_s += _untold_s(columns, first, last)
    if not unseen:
        return waited_s
    usual = _usual_wait(columns, first, last)
    if usual is None:
        return 0.0
    if (wait_s := _unseen_wait_s(columns, rows)) is not None:
        return waited_s + unseen * wait_s
    passed = max(1, columns.passed(first, last))
    each_s = (
        waited_s * (1 - max(share_of_epochs(columns, last, first), _share_of_few(columns, first, last))) / passed
    )
    spent_s = columns.spent_s(first, last) / passed * (passed + unseen)
    most = waited_s + each_s * unseen > _MOST_OF_ALL * spent_s
    return waited_s + unseen * (usual.seconds if most and usual.share < _HARDLY else each_s)


def _untold_s(columns: Columns, first: int, last: int) -> float:
    """What rows waited that are means of several, and have too few digits for their waits, late in a long epoch.

    As much of their time as of those before them. Where those are less than half of all that, nobody knows.
    """
    waits, known_s, untold_s, all_s = columns.data_wait_s, 0.0, 0.0, 0.0
    if not columns.averaged_over or not isnan(sum(waits[first : last + 1])):
        return 0.0
    before: deque[tuple[float, float]] = deque()
    wait_s = spent_s = 0.0  # of these
    parts = columns.averaged_over, columns.duration_s, waits
    for over, seconds, wait in zip(*(part[first : last + 1] for part in parts), strict=False):
        if over < 2 or seconds != seconds:
            continue
        all_s += (spent := over * seconds)
        if wait == wait:
            known_s += spent
            before.append((over * wait, spent))
            wait_s, spent_s = wait_s + over * wait, spent_s + spent
            if len(before) > _BEFORE:
                oldest = before.popleft()
                wait_s, spent_s = wait_s - oldest[0], spent_s - oldest[1]
        elif spent_s > 0.0:
            untold_s += spent * wait_s / spent_s
    return untold_s if 2 * known_s >= all_s else 0.0


def known_of_few(columns: Columns) -> bool:
    """Do most of the newest rows say nothing of a wait, and some do? What all of them waited nobody knows then."""
    newest = columns.data_wait_s[-_NEWEST_WAITS:]
    known = sum(wait_s == wait_s for wait_s in newest)
    return 0 < 2 * known <= len(newest)


class _Wait(NamedTuple):
    seconds: float
    share: float  # of its iteration


def _usual_wait(columns: Columns, first: int, last: int) -> _Wait | None:
    """What the usual printed iteration waits; `None` where few rows show it: they are not like the others."""
    first = max(first, last + 1 - _NEWEST_WAITS)
    times = zip(columns.data_wait_s[first : last + 1], columns.duration_s[first : last + 1], strict=False)
    both = [(wait_s, duration_s) for wait_s, duration_s in times if wait_s == wait_s and duration_s > 0]
    if 2 * len(both) <= last - first + 1:
        return None
    waits_s = [wait_s for wait_s, _ in both]
    return _Wait(median(waits_s), median([wait_s / duration_s for wait_s, duration_s in both]))


def _share_of_few(columns: Columns, first: int, last: int) -> float:
    """Which part of what the newest printed iterations waited did a few of them wait: the first of a run, say?

    They stand for themselves: nobody knows whether any that was not printed waited so long.
    """
    first = max(first, last + 1 - _NEWEST_WAITS)
    waits_s = [wait_s for wait_s in columns.data_wait_s[first : last + 1] if wait_s == wait_s]
    usual_s = median(waits_s) if waits_s else 0.0
    long_s = [wait_s for wait_s in waits_s if wait_s > _LONG_WAIT * usual_s]
    few = long_s and len(long_s) <= max(1.0, _FEW * len(waits_s))
    return (sum(long_s) - len(long_s) * usual_s) / sum(waits_s) if few else 0.0


def share_of_epochs(columns: Columns, last: int, first: int = 0) -> float:
    """Which part of what the newest printed iterations, from `first` on, waited comes back after as many?

    A loader's workers begin anew at each epoch, whose first iteration is printed, and few of the others.
    """
    first = max(first, last + 1 - _NEWEST_WAITS)
    waits = [
        (n, wait_s) for n, wait_s in enumerate(columns.data_wait_s[first : last + 1], first) if wait_s == wait_s
    ]
    usual_s = median([wait_s for _, wait_s in waits]) if waits else 0.0
    long = [(columns.index[n], wait_s) for n, wait_s in waits if wait_s > _LONG_WAIT * usual_s]
    apart = Counter(later - before for (before, _), (later, _) in pairwise(long))
    if len(long) < _FEWEST_EPOCHS or max(apart.values()) < _REGULAR * sum(apart.values()):
        return 0.0
    return sum(wait_s for _, wait_s in long) / sum(wait_s for _, wait_s in waits)


def may_have_waited_more(columns: Columns, first: int, last: int, unseen: int) -> bool:
    """May `unseen` iterations hold waits like the few long ones that were printed, and that stand for themselves?

    Not the first row: a training waits for its first batch once. Nor where epochs begin with a row out of turn:
    then each of them has one. Where rows come at equal distances, it is chance of which epochs they show the first
    iteration.
    """
    rows = _rows(columns, first, last)
    if _only_beginnings(columns, rows):
        return unseen > _COUNTS * columns.passed(first, last)
    if not unseen or _unseen_wait_s(columns, rows) is not None:
        return False
    alone = max(share_of_epochs(columns, last, first), _share_of_few(columns, first, last))
    first = max(first, last + 1 - _NEWEST_WAITS)
    printed = enumerate(columns.data_wait_s[first : last + 1], first)  # none where no row prints one
    waits = [(n, wait_s) for n, wait_s in printed if wait_s == wait_s]
    usual_s = median([wait_s for _, wait_s in waits]) if waits else 0.0
    apart = Counter(columns.index[n] - columns.index[n - 1] for n in range(first + 1, last + 1))
    ((turn, _),) = apart.most_common(1) or [(0, 0)]
    long_s = [
        wait_s - usual_s
        for n, wait_s in waits
        if n > first and wait_s > _LONG_WAIT * usual_s and columns.index[n] - columns.index[n - 1] == turn
    ]
    more_s = sum(long_s) / len(waits) * unseen if waits else 0.0
    return alone > 0 and more_s > _COUNTS * waited_by_all(columns, first, last, unseen)


def may_hide_waits(columns: Columns, first: int, last: int, usual_s: float, known_s: float) -> bool:
    """Do rows whose waits nobody knows take so much more than is usual that it counts beside `known_s`?

    The means that tell of several iterations have too few digits for their waits, late in a long epoch.
    """
    waits = columns.data_wait_s
    if not waits or not known_s:
        return False
    more_s = (
        (columns.duration_s[n] - usual_s) * columns.averaged_at(n)
        for n in range(first, min(last + 1, len(waits)))
        if waits[n] != waits[n] and columns.duration_s[n] > usual_s
    )
    return sum(more_s) > _COUNTS * known_s


class _Rows(NamedTuple):
    """Of the newest rows behind the first, by their positions."""

    beside: list[int]  # behind iterations without one, where others are the mean of several
    whole: list[int]  # the mean of all iterations since the row before


def _rows(columns: Columns, first: int, last: int) -> _Rows:
    """Those at `first`..`last`. A few beside others are no sample of the iterations that none is of.

    In one loop over two arrays: it is asked of each process of a log, again and again.
    """
    first = max(first, last + 1 - _NEWEST_WAITS)
    over, index = columns.averaged_over[first + 1 : last + 1], columns.index[first : last + 1]
    alone: list[int] = []
    whole: list[int] = []
    for n, (held, before, now) in enumerate(zip(over, index, index[1:], strict=False), first + 1):
        if 0 < held < now - before:
            alone.append(n)
        elif 1 < held == now - before:
            whole.append(n)
    means = len(over) - over.count(0) - over.count(1)
    return _Rows(alone if means and len(alone) >= _SAMPLE * means else [], whole)


def unseen_s(columns: Columns, first: int, last: int) -> float | None:
    """What an iteration without a row took, by rows of its kind; `None`: all rows are of one kind.

    Each row speaks for as many as are behind it: the last of an epoch, which drains what is loaded, for a few.
    """
    beside = _rows(columns, first, last).beside
    each = [(d, _steps(columns, n) - columns.averaged_at(n)) for n in beside if (d := columns.duration_s[n]) == d]
    limit = _FAR_SLOWER * median([d for d, _ in each]) if each else 0.0
    near = [one for one in each if one[0] <= limit]
    return sum(d * unseen for d, unseen in near) / sum(unseen for _, unseen in near) if near else None


def _unseen_wait_s(columns: Columns, rows: _Rows) -> float | None:
    """... and what it waited for data.

    Where a mean begins anew with each epoch, that of its first iterations has in it what waits once an epoch.
    Those without a row are the last ones, which wait as the others do. A loader that waits now and then makes most
    rows wait less than their mean; a row far slower than the others, an epoch's first, says nothing of them.
    """
    beside, whole = rows
    means = sum(columns.averaged_at(n) > 1 for n in beside)
    like = whole if beside and means == len(beside) <= 2 * len(whole) else beside
    both = [(columns.data_wait_s[n], columns.duration_s[n], _steps(columns, n)) for n in like]
    waits = [(w, d, steps) for w, d, steps in both if w == w and d == d]
    limit_s = _FAR_SLOWER * median([d for _, d, _ in waits]) if waits else 0.0
    near = [(w * steps, steps) for w, d, steps in waits if d <= limit_s]
    return sum(w for w, _ in near) / sum(steps for _, steps in near) if near else None


def _only_beginnings(columns: Columns, rows: _Rows) -> bool:
    """Is each row the mean of the first iterations of its epoch, and are the others of each without one?

    What waits once an epoch, for workers to begin, is in each of them then: nobody knows what the others waited.
    """
    beside, whole = rows
    if not beside or 2 * len(whole) >= len(beside):
        return False
    means = [n for n in beside if columns.averaged_at(n) > 1]
    begins = sum((columns.index[n] - columns.averaged_at(n)) % _steps(columns, n) == 0 for n in means)
    return begins >= _REGULAR * len(beside)


def _steps(columns: Columns, n: int) -> int:
    return columns.index[n] - columns.index[n - 1]
