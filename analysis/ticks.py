"""Times taken from a clock that shows whole seconds or minutes: of one row they are wrong by up to a tick, of many
rows together they are right.

Rows 3.4 s apart have stamps 3 or 4 s apart: their median is 12 % short, and every 4 looks slow. So a row that may
have taken as long as the rows before it, for all that such a clock can tell, counts as having done so; what
differs by more than that stands for itself.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

COARSE = 20
"""A row that took more ticks than this is known to 5 % by itself."""

BESIDE = 1.25
"""Times that: what differs from shorter rows by a tick or so is one of them."""

ROUNDED = 1.0
"""Two readings of a clock that cuts off are together wrong by less than one tick."""

NOISE = 0.1
"""Normal iterations differ by so much, beside what the clock hides."""

MOVED = 4
"""So many rows in a row that do not fit, all too long or all too short, begin a new stretch."""

MOST_TICKS = 400.0
"""A stretch forgets what is older than this many ticks: the rows of now are not those of an hour ago."""

TICKS_S = (60.0, 36.0, 6.0, 3.6, 1.0, 0.6, 0.1, 0.06, 0.01)
"""A minute and its parts, hundredths and thousandths of an hour, a second and its parts."""

_PRINTED_S = (*TICKS_S, 0.001)
"""... and what else a time is printed in: `4ms/step`."""

_DECIMAL_S = (1.0, 0.1, 0.01, 0.001)

FEWEST = 10.0
"""So many ticks in all say what a row takes to a tenth."""

SOME = 0.1
"""Of all iterations: where a clock tells the times of fewer, something else tells the others."""

_FEWEST_DIGITS = 3
"""A time of one or two of its last digits is printed so that nobody asks for the difference."""
_TURNS = 3
"""8, 9, 8 and 9 again: one stop alone comes and goes."""

_FIGURES = 9
_NEARLY = 1e-3
_NEAR, _NEAR_MEANS = 12, 64
"""Rows before and after one that show with how many digits times are printed; and of means, whose digit may be of
no unit: `4us/step` of samples is multiplied by those of a batch."""

_MOST = 0.9
"""Of all times: where so many are whole digits, the others were taken otherwise."""

_SURE = 5  # readings, until a clock is taken for one that is coarser than whole seconds
_EXACT = 1e-3  # of a tick: what adding and scaling numbers leaves


def last_digit(near: Sequence[float], own: float) -> float:
    """What the last digit of printed times is worth, in seconds, where it hides what is usual `near`; else 0.

    Times of 8.4 s that are printed whole are 8 and 9 by turns: both are usual, a second more or less says nothing.
    """
    if not is_rounded(own):
        return 0.0
    times_s = (own, *near)
    ticks_s = (tick for tick in _PRINTED_S if min(times_s) >= tick)
    tick_s = next((tick for tick in ticks_s if all(_is_multiple(one, tick) for one in times_s)), 0.0)
    digits = [round(one / tick_s) for one in near] if tick_s else []
    often = [digit for digit, _ in Counter(digits).most_common(2)]
    if len(often) < 2 or abs(often[0] - often[1]) != 1 or not _FEWEST_DIGITS <= often[0] <= COARSE:
        return 0.0
    turns = [digit for digit in digits if digit in often]
    return tick_s if sum(one != other for one, other in pairwise(turns)) >= _TURNS else 0.0


def hidden_digit(times_s: Sequence[float], at: int, process: tuple[int, int], *, means: bool) -> float:
    """What the last digit is worth of the time at position `at`, by those near it in its `process`; else 0."""
    rounded = is_rounded(times_s[at])
    if not rounded and not means:  # then it hides nothing, whatever is near
        return 0.0
    reach = _NEAR if rounded else _NEAR_MEANS
    near = [d for d in times_s[max(process[0], at - reach) : min(process[1], at + reach)] if d == d]
    return last_digit(near, times_s[at]) if rounded else turning_digit(near)


def is_rounded(own_s: float) -> bool:
    """May digits of this time be cut off, as it is one of whole milliseconds?"""
    return own_s == own_s and _is_multiple(own_s, _PRINTED_S[-1])


def digit(times_s: Sequence[float]) -> float:
    """What the last digit is worth of times that are all whole seconds, or tenths and so on of them; else 0.

    Where all are the same, `10.0` may be printed in tenths as well.
    """
    known_s = {one for one in times_s if one == one}
    ticks_s = (tick for tick in _DECIMAL_S if len(known_s) > 1 and min(known_s) >= tick)
    return next((tick for tick in ticks_s if all(_is_multiple(one, tick) for one in known_s)), 0.0)


def turning_digit(times_s: Collection[float]) -> float:
    """What the last digit of times is worth that are few digits' worth each, and come by turns; else 0.

    In any unit: where a time is that of 469 steps, so is its digit.
    """
    often = Counter(round(one, _FIGURES) for one in times_s).most_common(2)
    if len(often) < 2:
        return 0.0
    digit_s = abs(often[0][0] - often[1][0])
    digits = [one / digit_s for one in times_s]
    whole = sum(abs(one - round(one)) < _NEARLY * max(1.0, one) for one in digits)
    largest = round(max(often[0][0], often[1][0]) / digit_s)
    if whole < _MOST * len(digits) or not _FEWEST_DIGITS <= largest <= COARSE:
        return 0.0
    common = [round(one / digit_s) for one, _ in often]
    turns = [round(one) for one in digits if round(one) in common]
    return digit_s if sum(one != other for one, other in pairwise(turns)) >= _TURNS else 0.0


def _is_multiple(seconds: float, tick_s: float) -> bool:
    ticks = seconds / tick_s
    nearest = round(ticks)
    return abs(ticks - nearest) < _EXACT and (nearest != 0 or ticks == 0)  # a millisecond is no minute


class _Row(NamedTuple):
    seconds: float
    steps: int


class Ticks:
    """One clock, and the stretch of like rows that it has shown."""

    def __init__(self) -> None:
        self._possible = list(TICKS_S)  # of which all readings are multiples
        self._readings = 0
        self.told = 0  # iterations whose time was taken from a stretch
        self._shown_s = 0.0
        self.begin()

    def begin(self) -> None:
        """A process begins: nothing of the rows before it counts for its own."""
        self._seconds = self._steps = 0.0
        self._misfits: list[_Row] = []

    def read(self, at_s: float) -> None:
        """A reading of the clock."""
        self._readings += 1
        if self._possible:
            self._possible = [tick for tick in self._possible if _is_multiple(at_s, tick)]

    @property
    def tick_s(self) -> float:
        """How fine the clock is, as its readings show; 0: finer than a hundredth of a second."""
        if not self._readings:
            return 0.0
        return next((tick for tick in self._possible if tick <= 1.0 or self._readings >= _SURE), 0.0)

    def tells(self, iterations: float) -> bool:
        """Has it told the times of more than a few of so many iterations?"""
        return self.told > SOME * iterations

    @property
    def too_few(self) -> bool:
        """Has it shown too few ticks in all to say what a row takes?"""
        return self._shown_s < FEWEST * self.tick_s

    def each(self, seconds: float, steps: int) -> float:
        """What each of the `steps` iterations took that passed within `seconds` on this clock."""
        tick_s = self.tick_s
        if not tick_s or steps <= 0 or not self._hides(seconds, steps, tick_s):
            self._shown_s += seconds
            return seconds / max(steps, 1)
        if not self._fits(seconds, steps, tick_s):
            return self._differs(_Row(seconds, steps))
        self._shown_s += seconds
        self._misfits.clear()
        self._add(seconds, steps, tick_s)
        self.told += steps
        return self._seconds / self._steps

    def _hides(self, seconds: float, steps: int, tick_s: float) -> bool:
        """Is the clock too coarse for `seconds`? Those of 20 and 21 ticks by turns are of one kind, or none is."""
        if seconds <= COARSE * tick_s:
            return True
        return self._steps > 0 and seconds <= BESIDE * COARSE * tick_s and self._fits(seconds, steps, tick_s)

    def _fits(self, seconds: float, steps: int, tick_s: float) -> bool:
        if not self._steps:
            return True
        usual_s = steps * self._seconds / self._steps
        # The level itself is known to a tick over the whole stretch.
        loose_s = tick_s * (ROUNDED + steps / self._steps)
        return abs(seconds - usual_s) <= loose_s + NOISE * usual_s

    def _add(self, seconds: float, steps: float, tick_s: float) -> None:
        self._seconds += seconds
        self._steps += steps
        if self._seconds > MOST_TICKS * tick_s:
            self._seconds, self._steps = self._seconds / 2, self._steps / 2

    def _differs(self, row: _Row) -> float:
        """It stands for itself, unless the rows before it were of its kind: then all of them are a new stretch."""
        level_s = self._seconds / self._steps
        longer = row.seconds / row.steps > level_s
        if self._misfits and (self._misfits[-1].seconds / self._misfits[-1].steps > level_s) != longer:
            self._misfits.clear()
        self._misfits.append(row)
        if len(self._misfits) < MOVED:
            return row.seconds / row.steps
        self._seconds = sum(one.seconds for one in self._misfits)
        self._steps = float(sum(one.steps for one in self._misfits))
        self._misfits.clear()
        return self._seconds / self._steps
