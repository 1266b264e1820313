"""Whether rows speak of one level: what must hold of them before anything is said of it as a whole."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import groupby
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from ..medians import median_of_ordered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..record.columns import Columns

NEAR = 0.10
"""Of the level: what lies so near to it is of it."""

TURNS = 0.05
"""Of the middle time: where the middle half of the rows reaches farther on both sides, most do not take it."""

STRAYS = 0.05
"""Of the rows, at most, that may lie farther from a steady level."""

MOST = 0.90
"""Of the rows behind a warm-up that must be near the level that it is said to have settled at."""

MOST_BEFORE = 0.75
"""Of the rows before a change that must be near a level, before it is said that one took so long until then."""

BEHIND, FEWEST = 32, 4
"""So many rows behind a warm-up are looked at; fewer than `FEWEST` speak against nothing."""

AS_IT_SAYS, ALIKE = 0.75, 0.08
"""Of the newest rows so many must be near a level whose spread is less than `ALIKE`: else there are several."""

OF_ONE = 0.85
"""Of the newest rows: where so many lie near their median, that is usual, whatever was before."""

MIDDLE, ALONE = 0.5, 0.05
"""Of how far half of the rows lie from their median at most: within this part of it lie a quarter of the rows
where they are of one level. Where it is no more than so many, it is the middle between two groups of them."""

LOOKED_AT = 1_024
"""So many of the newest rows, at most: a change further back would have been told as one."""

ALL, STRETCHES, ROWS = 8_192, 32, 256
"""All rows are looked at up to so many; of more so many stretches of so many rows, from the first to the last."""

RUN, RUN_SHARE = 16, 0.005
"""So many far rows in a row, and this share of all that are looked at, are another level that held for a while."""

LEFT_OUT_OF = 20
"""Of so many times one is left out of a range, on either side."""

SEVERAL = 12
"""... and of so many, too: one row of four times as long makes no range of fifteen others. Of fewer none."""

FEW_OTHERS = 0.1
"""Of the rows that are means: fewer of another number of iterations, as a first row or one at an epoch's end is,
do not make them unlike."""

UNLIKE = 3
"""A mean of so many times fewer iterations than the usual ones is another kind of figure: one iteration and the
mean of 490, where a trainer prints rows 1, 2 ... 10, 500, 1000, do not speak alike."""

SHORT = 0.25, 2 / 3
"""Of the rows, from where to where so many are short: fewer hardly move a median, as one at each epoch's end;
where more are, the long ones are those between which rows are missing."""

BLOCK = 64
"""So many rows tell what is usual for those behind them, and the first ones for themselves."""

NEWEST, FEW = 64, 9
"""So many rows a range is told of, and of fewer than so many none."""


def near(durations: Sequence[float], level_s: float) -> float:
    """The share of the times that are known of `durations` that lie near `level_s`; 1.0 of none."""
    known = [d for d in durations if d == d]
    least, most = (1 - NEAR) * level_s, (1 + NEAR) * level_s
    return sum(least <= d <= most for d in known) / len(known) if known else 1.0


def strays(columns: Columns, first: int, slow: Sequence[int], level_s: float) -> float:
    """The share of the rows from position `first` on that are far from the level, those of `slow` left out.

    `slow`: positions whose time is told of one by one, oldest first.
    """
    return 1 - near(_without(columns, max(first, len(columns) - LOOKED_AT), len(columns), slow), level_s)


class Away(NamedTuple):
    """Of the rows since a level holds: the share that is far from it, and whether another one held for a while."""

    share: float
    held: bool


def away(columns: Columns, first: int, slow: Sequence[int], level_s: float) -> Away:
    """The same of all rows from position `first` on, and not of the newest alone; and many of them in a row."""
    count = len(columns) - first
    begins, rows = [first], count
    if count > ALL:
        apart = (count - ROWS) / (STRETCHES - 1)
        begins, rows = [first + round(n * apart) for n in range(STRETCHES)], ROWS
    stretches = [[d for d in _without(columns, at, at + rows, slow) if d == d] for at in begins]
    known, least, most = sum(map(len, stretches)), (1 - NEAR) * level_s, (1 + NEAR) * level_s
    sides = (groupby((d > most) - (d < least) for d in stretch) for stretch in stretches)
    runs = [sum(1 for _ in run) for stretch in sides for side, run in stretch if side]
    held = max(runs, default=0) >= max(RUN, RUN_SHARE * known)
    return Away(sum(runs) / known if known else 0.0, held)


def newest(columns: Columns, first: int, count: int, slow: Sequence[int]) -> list[float]:
    """What so many of the newest rows took, from position `first` on and without those of `slow`: sorted."""
    rows = _without(columns, max(first, len(columns) - 2 * count), len(columns), slow)
    return sorted([d for d in rows if d == d][-count:])


def left_out(columns: Columns, first: int, count: int, slow: Sequence[int]) -> int:
    """How many of `slow` stand among so many of the newest rows that are not, from position `first` on.

    A row behind iterations that nobody counted is none of them: those may be what it took longer for.
    """
    told, found, kept = {*slow}, 0, 0
    for n in range(len(columns) - 1, first - 1, -1):
        if n in told:
            found += n not in columns.uncounted
        elif n not in columns.uncounted and columns.duration_s[n] == columns.duration_s[n]:
            kept += 1
        if kept == count:
            break
    return found if kept else 0


def are_of_one(columns: Columns, first: int, slow: Sequence[int], level_s: float) -> bool:
    """Do nearly all of the newest rows lie near one time, their median, and is that the level that is told?"""
    rows = newest(columns, first, NEWEST, slow)
    if len(rows) < FEW:
        return False
    usual_s = median_of_ordered(rows)
    return near([usual_s], level_s) == 1.0 and near(rows, usual_s) >= OF_ONE


def is_between_two(columns: Columns, first: int, slow: Sequence[int]) -> bool:
    """Do hardly any of the newest rows take what half of them take more than, and half of them less?

    Then rows of two levels are looked at, as many of the one as of the other, and their median is of neither.
    """
    rows = newest(columns, first, NEWEST, slow)
    if len(rows) < FEW:
        return False
    usual_s = median_of_ordered(rows)
    far_s = sorted(abs(d - usual_s) for d in rows)
    half_s = median_of_ordered(far_s)
    middle = sum(d <= MIDDLE * half_s for d in far_s)
    return half_s > NEAR / 2 * usual_s and middle <= ALONE * len(rows)


def settled(columns: Columns, at: int, slow: Sequence[int], level_s: float) -> bool:
    """Are the rows from position `at` on, behind a warm-up, of one level? Those of `slow` are left out."""
    behind = [d for d in _without(columns, at, at + BEHIND, slow) if d == d]
    return len(behind) < FEWEST or near(behind, level_s) >= MOST


def means_of(columns: Columns, first: int) -> set[int]:
    """The numbers of iterations that times from position `first` on are means of; a row without one has none."""
    rows = zip(columns.averaged_over[first:], columns.duration_s[first:], strict=False)  # or none are means
    return {number for number, duration_s in rows if number and duration_s == duration_s}


def unlike(columns: Columns, first: int) -> bool:
    """Are they, and not but a few of them?"""
    means = Counter(columns.averaged_over[first:])
    del means[0]
    ((_, most),) = means.most_common(1) or [(0, 0)]
    return means.total() - most > FEW_OTHERS * means.total()


def _without(columns: Columns, first: int, end: int, slow: Sequence[int]) -> list[float]:
    """What the rows took that are neither told of nor hold iterations that nobody counted."""
    told = {*slow[bisect_left(slow, first) : bisect_left(slow, end)]}
    rows = enumerate(columns.duration_s[first:end], first)
    return [d for n, d in rows if n not in told and n not in columns.uncounted]


def nine_in_ten(
    columns: Columns, first: int, over: int, speaks: Callable[[int], bool]
) -> tuple[float, float, int] | None:
    """The range that nine in ten of the newest times lie in, and how many they are; from position `first` on.

    Of rows that are means of half of `over` iterations at least, and that `speaks` says hold no stop.
    `None` where it is so narrow that they are near one level.
    """
    known = _known(columns, first, over, speaks)
    if len(known) < FEW:
        return None
    cut = max(len(known) // LEFT_OUT_OF, int(len(known) >= SEVERAL))
    least_s, most_s = known[cut], known[-1 - cut]
    return (least_s, most_s, len(known)) if most_s > (1 + NEAR) * least_s else None


def _known(columns: Columns, first: int, over: int, speaks: Callable[[int], bool]) -> list[float]:
    rows = enumerate(columns.duration_s[max(first, len(columns) - NEWEST) :], max(first, len(columns) - NEWEST))
    return sorted(d for n, d in rows if d == d and 2 * columns.averaged_at(n) >= over and speaks(n))


def mostly_s(columns: Columns, first: int, over: int, speaks: Callable[[int], bool]) -> float | None:
    """What most of the newest rows take, of those that a range is told of; `None`: no one time is that of most."""
    known = _known(columns, first, over, speaks)
    usual_s = median_of_ordered(known) if known else 0.0
    if len(known) < FEW or near(known, usual_s) < MOST_BEFORE:
        return None
    # Between two times that rows take in turns lies the median, and hardly a row.
    least_s, most_s = known[len(known) // 4], known[-1 - len(known) // 4]
    return usual_s if usual_s - least_s <= TURNS * usual_s or most_s - usual_s <= TURNS * usual_s else None


def middle_half(
    columns: Columns, first: int, over: int, speaks: Callable[[int], bool]
) -> tuple[float, float] | None:
    """Where the middle half of the newest rows lies, of those that a range is told of."""
    known = _known(columns, first, over, speaks)
    return (known[len(known) // 4], known[-1 - len(known) // 4]) if len(known) >= FEW else None


def pace_s(columns: Columns, first: int, over: int, speaks: Callable[[int], bool]) -> float | None:
    """The mean of those newest times that lie in their range: what an iteration takes at the newest pace.

    `None` where they are near one level: that says it.
    """
    between = nine_in_ten(columns, first, over, speaks)
    if between is None:
        return None
    return fmean([d for d in _known(columns, first, over, speaks) if between[0] <= d <= between[1]])


def least_of(averaged_over: Sequence[int]) -> float:
    """Means of fewer iterations than this stand beside others that hold most of them; 0.0: none do."""
    known = sorted(n for n in averaged_over if n)
    if not known or UNLIKE * known[0] >= known[-1]:
        return 0.0
    held, half = 0, sum(known) / 2
    for usual in known:
        held += usual
        if held >= half:
            break
    least = usual / UNLIKE
    return least if SHORT[0] <= sum(n < least for n in known) / len(known) <= SHORT[1] else 0.0


class Lengths:
    """Which rows of the training that begins at `begun` are means of far fewer iterations than is usual there."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._least: dict[tuple[int, int], float] = {}  # by training and block, of those that are full

    def short(self, begun: int, first: int, end: int) -> list[int]:
        """Those of the positions from `first` up to `end` that are."""
        over = self._columns.averaged_over
        if not over or first < begun:
            return []
        found: list[int] = []
        while first < end:
            block = (first - begun) // BLOCK
            stop = min(end, begun + (block + 1) * BLOCK)
            if least := self._least_in(begun, block):
                found += [n for n, of in enumerate(over[first:stop], first) if 0 < of < least]
            first = stop
        return found

    def usual(self, begun: int, last: int) -> int:
        """Of how many iterations the newest rows up to `last` are means, those of too few left out."""
        first = max(begun, last + 1 - BLOCK)
        short = {*self.short(begun, first, last + 1)}
        if not short:
            return self._columns.usually_averaged(begun, last)[0]
        rows = range(first, last + 1)
        known = sorted(over for n in rows if n not in short and (over := self._columns.averaged_at(n)))
        return known[len(known) // 2]

    def _least_in(self, begun: int, block: int) -> float:
        """The least length of those that are taken together in one block, by those of the block before it."""
        start = begun + max(0, block - 1) * BLOCK
        known = self._least.get((begun, start))
        if known is not None:
            return known
        least = least_of(self._columns.averaged_over[start : start + BLOCK])
        if start + BLOCK <= len(self._columns):
            self._least[begun, start] = least
        return least
