"""What is told of the normal iteration of the newest training: its time, how alike all are, and since when."""

from __future__ import annotations

from itertools import pairwise
from math import log
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from ...events import Witness
from ..findings import Level
from ..findings.speed import CLOCKS
from . import alike, spread
from .founded import NEWEST, founded, is_partly_timed
from .lasting import borne_out, lasting
from .throughout import drift, has_moved, median_of, throughout
from .warmup import SLOW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...events import RunInfo
    from ..findings import Shift
    from ..record.columns import Columns
    from .baseline import Baseline
    from .timing import Timing

CREPT = 1.1
"""A level that is now so far from where it began has moved, in however small steps."""

WIDE = 0.5
"""Times that differ by so much of their median, as those of games do, have no usual one: half of them are farther
than a third of it away."""


def level_of(timing: Timing, columns: Columns, *, settles: bool = True) -> Level:
    """The level as a finding, with what is told of its changes. Its witnesses are the caller's to say.

    Not that it settled where it never `settles`: before the first rows anything may have passed. Nor what is usual
    of `FEW_ROWS` there, which may be anything.
    """
    baseline = founded(timing, columns)
    if baseline is None:
        return Level()
    few = not settles and len(columns) - timing.begun < FEW_ROWS
    if few or is_partly_timed(timing, columns):
        return Level(partly=not few)
    return _told(timing, columns, baseline, settles=settles)


def _told(timing: Timing, columns: Columns, baseline: Baseline, *, settles: bool) -> Level:
    """The same of enough rows that have a time."""
    count, settled = len(baseline.newest()), max(timing.begun, timing.warmup)
    # At the first row nothing was before it.
    lasted = lasting([one for one in timing.shifts if one.position > timing.begun], baseline.level)
    shown = borne_out(lasted, columns, settled)
    first, shifts = throughout(shown, columns, settled)
    left, aside = _is_left(timing, columns, baseline.level), _aside(timing, columns)
    crept = bool(lasted) or abs(log(baseline.level / timing.first_level)) > log(CREPT)
    moved, wide = not shifts and has_moved(timing.first_level, baseline.level), baseline.jitter > WIDE
    since = shifts[-1].position if shifts else len(columns) - alike.NEWEST if crept else 0
    several = _are_several(columns, settled, baseline, aside, was=_is_doubtful(lasted, shown))
    doubtful = not settles or several or _is_of_the_quick(timing, columns, settled, baseline)
    over, coarse = timing.lengths.usual(timing.begun, last := len(columns) - 1), columns.coarse
    stretches = over > 1 and _are_stretches(columns, timing.begun)
    in_range = _range(timing, columns, settled, over) if left or doubtful or wide else NO_RANGE
    strays = alike.strays(columns, max(settled, since), aside, baseline.level)
    if wide and in_range.between is None and strays > ALONE:
        return Level(scattered=True)
    usual_s = _between_ticks(timing, columns, baseline, over)
    p95_s, without, jitter = NO_SPREAD if coarse or stretches else _spread(timing, columns, baseline, usual_s)
    return Level(
        clean_s=None if coarse is not None and coarse.too_few else usual_s,
        p95_s=p95_s,
        p95_without=without,
        jitter=jitter,
        iterations=count,
        averaged_over=columns.usually_averaged(shifts[-1].position, last)[0] if shifts else over,
        **_averages(columns, max(timing.begun, len(columns) - max(count, alike.NEWEST)), stretches=stretches),
        evaluates=timing.within.evaluations > 0,
        evaluated=any(one.within.evaluations for one in timing.over),
        warmup_iterations=(0 if moved else _warmup_iterations(timing, columns)) if settles else None,
        drifted=drift(columns, settled) if moved and in_range.between is None else None,
        left=left,
        **in_range._asdict(),
        strays=max(strays, (away := alike.away(columns, max(settled, since), aside, baseline.level)).share),
        went_away=away.held,
        crept=crept,
        shifts=_with_their_rows(shifts, columns, first),
    )


def _averages(columns: Columns, first: int, *, stretches: bool) -> dict[str, Any]:
    """The fields of `Level` on how many iterations the rows from position `first` on are means of."""
    means = alike.means_of(columns, first)
    return {
        "averaged_differ": len(means) > 1,
        "averaged_unlike": stretches or alike.unlike(columns, first),
        "some_of_one": len(means) > 1 and 1 in means,
    }


class Range(NamedTuple):
    """Where nine in ten of the newest rows lie, where that is more than one time; and what more of them say."""

    between: tuple[float, float, int] | None
    mostly_s: float | None
    half: tuple[float, float] | None


def _range(timing: Timing, columns: Columns, settled: int, over: int) -> Range:
    """The range of the newest rows, what most of them take, and where the middle half of them lies."""
    rows = columns, settled, over, timing.speaks
    between = alike.nine_in_ten(*rows)
    return Range(between, alike.mostly_s(*rows), alike.middle_half(*rows)) if between else NO_RANGE


NO_RANGE = Range(None, None, None)

BESIDE = 0.05
"""Of the level: a mean that is farther away says another figure."""

FAR, MANY = 1.25, 0.25
"""Rows that take so many times the level are no single slow ones where more of the newest than this share do."""

NO_SPREAD: tuple[float | None, int, float | None] = (None, 0, None)

FEW_ROWS = 8
"""Rows of a script that nobody described: what passed between fewer is neither usual nor silent."""

FINE = 0.01
"""Of what a row takes: a clock of finer ticks tells it by itself."""

STRETCHES = 4096
"""Of so many of the newest rows it is looked at how many iterations each stands for."""

ALONE = 0.5
"""A level that more of the rows are far from is none of theirs: it lies between two groups of few, unlike rows."""


def is_from_row_to_row(info: RunInfo, columns: Columns) -> bool:
    """Are times read from a clock, with all that passed from row to row, of a script that nobody described?"""
    return info.undescribed and columns.witness in CLOCKS


def _are_stretches(columns: Columns, begun: int) -> bool:
    """Are times those of a clock's stretches, each as long as it needs to be known? They hide what differs."""
    return columns.witness == Witness.ELAPSED and alike.unlike(columns, max(begun, len(columns) - STRETCHES))


def _between_ticks(timing: Timing, columns: Columns, level: Baseline, over: int) -> float:
    """The level, to more than a tick of its clock: rows of 31 s and 32 s by turns take neither of the two."""
    ticked = columns.witness in CLOCKS and columns.tick_s > FINE * level.level * over
    if not (ticked or _are_stretches(columns, timing.begun)):
        return level.level
    count, slow = len(level.newest()), {*timing.slow.itself[-alike.LOOKED_AT :]}
    first = max(timing.begun, len(columns) - STRETCHES)
    rows = [(n, d) for n, d in enumerate(columns.duration_s[first:], first) if d == d]
    near = [
        (d, columns.averaged_at(n))
        for n, d in rows[-count:]
        if abs(d / level.level - 1) <= alike.NEAR and n not in slow and not timing.stands_apart(n)
    ]
    return sum(d * n for d, n in near) / sum(n for _, n in near) if len(near) >= alike.FEW else level.level


def _spread(
    timing: Timing, columns: Columns, baseline: Baseline, usual_s: float
) -> tuple[float | None, int, float | None]:
    """What hardly one in twenty takes more than, slow ones left out; how many those are; and the jitter.

    None of it where that is less than `usual_s`, by the clock's stretches: then rows are no times of one.
    """
    ordered = sorted(baseline.newest())
    if not spread.is_told(ordered, baseline.level, baseline.jitter):
        return NO_SPREAD
    settled = max(timing.begun, timing.warmup)
    # Of all rows that are not told of one by one: those that made the level leave out what is a little too long.
    newest = range(max(settled, len(columns) - 2 * len(ordered)), len(columns))
    told = {*timing.slow.itself, *(n for n in newest if timing.stands_apart(n, told=True))}
    slow = sorted(told)
    rows = alike.newest(columns, settled, len(ordered), slow)
    without = alike.left_out(columns, newest.start, len(rows), slow)
    rows = rows or ordered
    p95_s = rows[int(0.95 * len(rows))]
    return NO_SPREAD if p95_s < usual_s else (p95_s, without, baseline.jitter)


def _with_their_rows(shifts: Sequence[Shift], columns: Columns, first: int) -> tuple[Shift, ...]:
    """What the rows say of each change, from position `first` on: it was found by the few that came first."""
    starts = [first, *(shift.position for shift in shifts)]
    usual_s = [median_of(columns, *part) for part in pairwise([*starts, len(columns)])]
    made = []
    for number, shift in enumerate(shifts):
        before_s, after_s = usual_s[number] or shift.before_s, usual_s[number + 1] or shift.after_s
        before = columns.duration_s[max(starts[number], shift.position - alike.LOOKED_AT) : shift.position]
        several = alike.near(before, shift.before_s) < alike.MOST_BEFORE
        made.append(
            replace(
                shift,
                before_s=before_s,
                after_s=after_s,
                held=len(columns) - shift.position,
                several_before=several,
            )
        )
    return tuple(made)


def _is_doubtful(lasted: Sequence[Shift], told: Sequence[Shift]) -> bool:
    """Does it rest on a change that the rows on both sides do not show? Then several levels come in turns."""
    return (
        bool(lasted) and lasted[-1] not in told and abs(log(lasted[-1].after_s / lasted[-1].before_s)) > log(CREPT)
    )


def _are_several(columns: Columns, settled: int, level: Baseline, aside: Sequence[int], *, was: bool) -> bool:
    """Are the newest rows, those `aside` left out, of several levels? A median of two groups is neither of them.

    It `was` so by what came before: that does not matter where nearly all of the newest rows lie near the level.
    """
    if alike.are_of_one(columns, settled, aside, level.level):
        return False
    if alike.is_between_two(columns, settled, aside):
        return True
    if was or level.jitter >= alike.ALIKE:
        return was
    newest = max(settled, len(columns) - alike.NEWEST)
    return 1 - alike.strays(columns, newest, aside, level.level) < alike.AS_IT_SAYS


def _is_beside_the_mean(timing: Timing, columns: Columns, settled: int, level_s: float) -> bool:
    """By a coarse clock: is what the newest rows took on average elsewhere, those told of one by one left out?

    Then they differ by more than the clock hides, and the level is that of the fast ones.
    """
    if columns.coarse is None:
        return False
    first, slow = max(settled, len(columns) - alike.NEWEST), {*timing.slow.itself[-alike.LOOKED_AT :]}
    rows = [n for n in range(first, len(columns)) if n not in slow and not timing.stands_apart(n)]
    known = [(columns.duration_s[n], columns.averaged_at(n)) for n in rows]
    timed = [(d * of, of) for d, of in known if d == d and of]
    mean_s = sum(d for d, _ in timed) / max(1, sum(of for _, of in timed))
    return len(timed) >= alike.NEWEST // 2 and abs(mean_s / level_s - 1) > BESIDE


def _is_of_the_quick(timing: Timing, columns: Columns, settled: int, level: Baseline) -> bool:
    """Is it a level of the quick rows alone, in what all of them take or by how many take far longer?"""
    beside = _is_beside_the_mean(timing, columns, settled, level.level)
    return beside or _are_many_slow(timing, columns, settled, level)


def _are_many_slow(timing: Timing, columns: Columns, settled: int, level: Baseline) -> bool:
    """Do many of the newest rows take far longer without a stop, and the others hardly differ?

    Then the level is that of the quick ones alone, and so is its jitter.
    """
    first, most_s = max(settled, len(columns) - alike.NEWEST), FAR * level.level
    rows = [d for n, d in enumerate(columns.duration_s[first:], first) if d == d and timing.speaks(n)]
    many = len(rows) >= alike.FEW and sum(d > most_s for d in rows) > MANY * len(rows)
    return many and level.jitter < FAR - 1


def _aside(timing: Timing, columns: Columns) -> list[int]:
    """Positions that say nothing of the level: what was slow in its own time, and newest rows of a few."""
    first = max(timing.begun, len(columns) - alike.LOOKED_AT)
    return sorted({*timing.slow.itself, *timing.lengths.short(timing.begun, first, len(columns))})


def _is_left(timing: Timing, columns: Columns, level_s: float) -> bool:
    """Is the median of the newest times far from the level, which is measured more rarely?"""
    first = max(timing.begun, len(columns) - NEWEST)
    short = {*timing.lengths.short(timing.begun, first, len(columns))}
    newest = [d for n, d in enumerate(columns.duration_s[first:], first) if d == d and n not in short]
    return len(newest) > NEWEST // 2 and abs(log(median(newest) / level_s)) > log(CREPT)


def _warmup_iterations(timing: Timing, columns: Columns) -> int:
    """Iterations of the newest training before its level settled (it has not, if it goes on to fall far)."""
    begun, entries = timing.begun, timing.warmup - timing.begun
    slow = timing.slow.itself
    if not entries or timing.drifts or not alike.settled(columns, timing.warmup, slow, timing.first_level):
        return 0
    first_s = columns.duration_s[begun : timing.warmup]
    if not any(d > SLOW * timing.first_level for d in first_s):  # noise alone may move a median of eight
        return 0
    return max(entries, columns.index[timing.warmup - 1] - columns.index[begun] + columns.averaged_at(begun))
