"""Where a loss stands against the best it was: grown far beyond it, or fallen to exactly nothing.

One loss says little, and so does the mean of a few: a level is the median of a stretch of the run.
"""

from __future__ import annotations

from itertools import pairwise
from math import gcd, sqrt
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from ..record.pyramid import known as known_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..record.columns import Columns

STRETCHES = 32
"""Of a run at most, and so many losses of each: what is looked at is bounded, however long the run is."""

LEAST_LOSSES = 8
"""In a stretch."""

FEWEST_STRETCHES = 5

STAYED = 0.1
"""Of the run, at its end: a loss that has grown for less may come back."""

GROWN = 2.0
"""Times the best level. Losses that jump do so by a tenth, those that diverge by several times."""

REGAINED = 0.5
"""... and of what had been won since the beginning, so much is lost again: 0.01 that becomes 0.03 is no matter."""

STANDARD_ERROR = 1.86
"""Of a median of normal values, times their median distance from it, by the root of their number."""

SURE = 3.0
"""Standard errors of both: the least of 32 stretches lies two below what all of them are."""

EACH = 2_048
"""Losses of a run that are all looked at: of more they are single batches', which jump."""

FALLS, FAR = 0.9, 10.0
"""Behind a jump to another loss so many of the rows fall, and all are so many times above those before it."""

COLLAPSED_FROM = 0.05
"""A loss that falls to nothing in small steps has only learnt all of its data."""

LEARNT = 0.05
"""Of the losses before: where so many were 0 already, it has a margin, and is 0 for each batch that keeps it."""


class LossLevels(NamedTuple):
    """What the stretches say; `None` where they do not."""

    best: float | None = None
    best_at: int | None = None  # iteration
    grown_to: float | None = None
    zero_since: int | None = None  # iteration
    best_over: int = 0  # losses, where it has grown: of the stretch at its best,
    grown_over: int = 0  # ... and of the newest ones


def loss_levels(columns: Columns, start: int) -> LossLevels:
    """Of the process that began at position `start`."""
    count = len(columns) - start
    if count < FEWEST_STRETCHES * LEAST_LOSSES:
        return LossLevels()
    bounds, step = _stretches(start, count)
    known: list[tuple[int, float, float]] = []
    for begin, end in pairwise(bounds):
        losses = [loss for loss in columns.loss[begin:end:step] if loss == loss]
        if losses:
            known.append((begin, *level_of(losses)))
    if len(known) < FEWEST_STRETCHES:
        return LossLevels()
    found = _levels([columns.index[at] for at, *_ in known], [level for _, level, _ in known])
    if found.zero_since is not None and _was_often_zero(columns, [at for at, *_ in known], found.zero_since):
        return LossLevels()
    if (
        found.grown_to is None
        or not _is_sure(known)
        or _is_another(known_of(columns.loss[start : start + EACH + 1]))
    ):
        return found._replace(grown_to=None)
    return _of_all_losses(columns, known, found)


def _of_all_losses(columns: Columns, known: Sequence[tuple[int, float, float]], found: LossLevels) -> LossLevels:
    """`found`, with the medians of all losses of its stretches, for anybody can count those."""
    begins, best = [begin for begin, *_ in known], min(known, key=lambda one: one[1])[0]
    end = next((begin for begin in begins if begin > best), len(columns))
    then, now = known_of(columns.loss[best:end]), known_of(columns.loss[begins[-_newest(len(begins))] :])
    return found._replace(best=median(then), best_over=len(then), grown_to=median(now), grown_over=len(now))


def level_of(losses: Sequence[float]) -> tuple[float, float]:
    """The median, and its standard error, by how far the losses lie from it."""
    level = median(losses)
    return level, STANDARD_ERROR * median(abs(loss - level) for loss in losses) / sqrt(len(losses))


def _is_sure(known: Sequence[tuple[int, float, float]]) -> bool:
    """Is the lowest of many stretches no chance? Losses of single samples scatter by more than they change."""
    _, best, best_error = min(known, key=lambda one: one[1])
    newest = known[-_newest(len(known)) :]
    return min(level for _, level, _ in newest) - best >= SURE * (best_error + median(e for *_, e in newest))


def _is_another(losses: Sequence[float]) -> bool:
    """Is it another loss from one row on, which cannot be compared with what came before?

    It learns; then one row is above all before it, those of the untrained model too; and it falls in each row from
    there on: a new part of the loss, another weight, harder data. A training that breaks grows over several rows,
    wavers, or comes back to what it began with.
    """
    first = max(range(len(losses)), key=losses.__getitem__)
    before, behind, soon = losses[:first], losses[first:], losses[first : first + LEAST_LOSSES]
    if len(losses) > EACH or len(before) < 2 or len(behind) < 2 * LEAST_LOSSES:
        return False
    falls = all(now < last for last, now in pairwise(soon)) and behind[-1] < soon[-1] <= GROWN * min(behind)
    if GROWN * before[-1] > max(before):  # how well it learns does not show before: it has to show behind
        fallen = sum(now < last for last, now in pairwise(behind))
        falls = falls and fallen >= FALLS * (len(behind) - 1) and FAR * max(before) < min(behind)
    return falls and max(before) < min(behind)


def _was_often_zero(columns: Columns, begins: Sequence[int], since: int) -> bool:
    """Was the loss 0 now and then well before? In the last stretch of other losses it may have begun to be."""
    place = next(n for n, at in enumerate(begins) if columns.index[at] == since)
    losses = known_of(columns.loss[begins[max(0, place - 2)] : begins[place - 1]])
    return LEARNT * len(losses) <= losses.count(0.0) < len(losses)


def _newest(stretches: int) -> int:
    return max(3, round(STAYED * stretches))


def zero_since(columns: Columns, start: int) -> int | None:
    """The same as `loss_levels` has it; where the newest stretch is no 0, for a fraction of the cost."""
    count = len(columns) - start
    if count < FEWEST_STRETCHES * LEAST_LOSSES:
        return None
    bounds, step = _stretches(start, count)
    newest = [loss for loss in columns.loss[bounds[-2] : bounds[-1] : step] if loss == loss]
    return None if newest and median(newest) != 0.0 else loss_levels(columns, start).zero_since


def _stretches(start: int, count: int) -> tuple[list[int], int]:
    """The bounds of the stretches, and of how many losses in one of them one is looked at."""
    stretches = min(STRETCHES, count // LEAST_LOSSES)
    step = count // stretches // STRETCHES
    while (
        gcd(step, 210) > 1
    ):  # 0 is none, and a loss that is printed with every tenth iteration is met all the same
        step += 1
    return [start + count * n // stretches for n in range(stretches + 1)], step


def _levels(at: Sequence[int], levels: Sequence[float]) -> LossLevels:
    place = min(range(len(levels)), key=lambda n: levels[n])
    zeros = next((n for n, level in enumerate(reversed(levels)) if level != 0.0), len(levels))
    if 2 <= zeros < len(levels):
        before = levels[: len(levels) - zeros][-2:]
        if max(before) >= COLLAPSED_FROM:
            return LossLevels(zero_since=at[len(levels) - zeros])
    best, newest = levels[place], levels[-_newest(len(levels)) :]
    least = max(GROWN * best, best + REGAINED * (levels[0] - best))
    if best > 0 and min(newest) >= least:
        return LossLevels(best, at[place], median(newest))
    return LossLevels(best, at[place])
