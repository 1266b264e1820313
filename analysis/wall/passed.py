"""How many iterations passed, with a row or without one."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from ..timing.clock import last_unprinted, unprinted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..intake import Intake
    from ..record.columns import Columns

LOOKED_AT = 256
"""Rows behind a first one without a time, among which a mean is looked for that holds it."""


def passed_since(run: Intake, first: int) -> int:
    """Iterations that passed from the row at position `first` on, with a row or without one."""
    last = len(run.columns) - 1
    passed = run.columns.passed(first, last) + unseen_between(run, first, last) + before_first(run, first)
    return passed - past_the_last(run, first)


def past_the_last(run: Intake, since: int = 0) -> int:
    """Rows behind the last iteration: at the number of all, where a process counts from 0 and prints some."""
    index, total, starts = run.columns.index, run.settings.config.max_iterations, run.starts
    ends = zip(starts, [*starts[1:], len(index)], strict=False)
    from_0 = [end - 1 for n, end in ends if total and since <= n < end - 1 and not index[n]]
    return sum(index[last] == total and index[last] - index[last - 1] > 1 for last in from_0)


def before_first(run: Intake, since: int = 0) -> int:
    """Iterations of each process before its first row, where that is the first of every so many: 100, 200, 300.

    99, 199, 299 count from 0. So it is of a training, or of a process that goes on, that has but one row, among
    others that print so rarely.
    """
    return sum(first - (first + 1 != step) for first, step in _first_of_many(run, since).values())


def _first_of_many(run: Intake, since: int = 0) -> dict[int, tuple[int, int]]:
    """Where such first rows are: how many iterations the process has done then, and how often it prints."""
    index, starts = run.columns.index, run.starts
    rows = [(n, end) for n, end in zip(starts, [*starts[1:], len(index)], strict=False) if n < end]
    usual = max((index[n + 1] - index[n] for n, end in rows if n < end - 1), default=0)
    alone = {n for n, end in rows if n == end - 1 and (n in run.repeats.trainings or _gone_on_from(run, n))}
    steps = ((n, usual if n in alone else _step(index, n, end)) for n, end in rows if n < end - 1 or n in alone)
    single = (one for one in steps if one[0] >= since and run.columns.averaged_at(one[0]) == 1)
    counted = {n: (index[n] - _gone_on_from(run, n), step) for n, step in single}
    many = {n: (first, step) for n, (first, step) in counted.items() if 1 <= first <= step}
    return {n: one for n, one in many.items() if not _is_drawn(run, n)}


def _step(index: Sequence[int], n: int, end: int) -> int:
    """From the row at `n` to the next, or, where an epoch ends there, to the one behind: 100, 147, 247."""
    step = index[n + 1] - index[n]
    return index[n] if n + 2 < end and step < index[n] == index[n + 2] - index[n + 1] else step


def _is_drawn(run: Intake, first: int) -> bool:
    """Is the row at position `first` a first step of its own, and the next the mean of two, as a bar draws them?

    1, 3, 5 may be each second one of who counts from 0, too; but of those none is the mean of all since the last.
    """
    index, columns = run.columns.index, run.columns
    if first + 1 >= len(index) or (index[first], index[first + 1]) != (1, 3):
        return False
    return columns.averaged_at(first + 1) == 2


def _gone_on_from(run: Intake, start: int) -> int:
    """The newest iteration before the process that begins at position `start`, if that goes on behind it."""
    index = run.columns.index
    goes_on = start and start not in run.repeats.trainings and index[start - 1] < index[start]
    return index[start - 1] if goes_on else 0


def unseen_between(run: Intake, first: int, last: int) -> int:
    """Iterations that passed between positions `first` and `last` without a line."""
    columns, starts = run.columns, run.starts
    total, counted = 0, _first_of_many(run)  # who goes on from a row has done what lies behind it
    for n in range(bisect_right(starts, first) - 1, bisect_right(starts, last)):
        begin = max(first, starts[n])
        end = min(last, starts[n + 1] - 1 if n + 1 < len(starts) else last)
        total += max(0, columns.index[end] - _begins_at(columns, begin, end) - columns.passed(begin + 1, end))
        if n + 1 < len(starts) and starts[n + 1] <= last and end > begin and starts[n + 1] not in counted:
            total += last_unprinted(columns, end, _between_processes(columns, end, starts[n + 1]))
    return total


def _begins_at(columns: Columns, begin: int, end: int) -> int:
    """The iteration behind which those begin that rows from `begin` on stand for, the one at `begin` itself aside.

    A later mean may hold that one, too: then it is the one behind which the mean begins.
    """
    if not columns.averaged_over or columns.averaged_at(begin):
        return columns.index[begin]
    mean = next((n for n in range(begin, min(end, begin + LOOKED_AT) + 1) if columns.averaged_at(n)), None)
    if mean is None:
        return columns.index[begin]
    return min(columns.index[begin], columns.index[mean] - columns.averaged_at(mean))


def _between_processes(columns: Columns, before: int, position: int) -> int:
    """Iterations between the last row of a process and the first of the next, which the two have no line of."""
    apart = columns.index[position] - columns.index[before] - columns.passed(position, position)
    return max(0, apart - unprinted(columns, before, position))
