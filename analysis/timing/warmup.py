"""Where warm-up ends: the first iteration from which the times no longer fall."""

from __future__ import annotations

from itertools import pairwise
from operator import mul
from statistics import median
from typing import TYPE_CHECKING

from ..ticks import last_digit

if TYPE_CHECKING:
    from collections.abc import Sequence

SLOW = 1.2
"""An iteration is slow, whatever the noise, from this multiple of the normal time."""

LONGEST_S = 1_800.0
"""Compilers, caches and clocks take minutes. More than `FEW_ROWS` rows that took longer are none."""

FEW_ROWS = 2

OF_SEVERAL, NOISE = 5, 1.05
"""Rows beyond `FEW_ROWS`, each a mean of so many iterations, are a warm-up where none is longer than the last."""

ALIKE, MOSTLY = 1.1, 0.75
"""Several beginnings of which so many lie within this factor of their median are one level, and no warm-up."""

_BLOCK, _AFTER = 8, 24  # the median of 8 against that of the 16 after them
_FIRST, _RISE = 3, 3.0  # compilers may begin with the second; later one does not rise to so many times the others


def warmup_length(durations: Sequence[float], *, spread: float = 0.0) -> int:
    """How many of the first `durations` (seconds, oldest first) come before the level settles.

    Settled: the median of 8 lies within max(3 %, 2·spread/√8) of the median of the 16 after them, and the
    first of the 8 is itself not slow. A single slow iteration later on is a spike, not warm-up.
    """
    count = len(durations)
    if count and (digit_s := last_digit(durations, durations[0])):  # times of 8 and 9 whole seconds do not fall
        usual_s = median(durations)
        return next((n for n, d in enumerate(durations) if d <= usual_s + 1.5 * digit_s), 0)
    if count <= _AFTER:
        return _leading_slow(durations)
    near = max(0.03, 2 * spread / _BLOCK**0.5)
    for i in range(count - _AFTER):
        after = median(durations[i + _BLOCK : i + _AFTER])
        if durations[i] <= SLOW * after and abs(median(durations[i : i + _BLOCK]) / after - 1) <= near:
            return i
    return count - _AFTER


def warmup_of_rows(durations: Sequence[float], over: Sequence[int]) -> int:
    """The same of rows that are means `over` so many iterations each.

    Where one of them is all there is behind a warm-up of several, nobody knows that the times no longer fall: then
    the first alone is one.
    """
    length, means = warmup_length(durations), over[0] >= OF_SEVERAL
    spent_s = sum(map(mul, durations[:length], over))
    if length > FEW_ROWS and (spent_s > LONGEST_S or (means and not falls(durations[:length]))):
        return 0
    return min(length, 1) if means and length == len(durations) - 1 else length


def _leading_slow(durations: Sequence[float]) -> int:
    length = 0
    while length < len(durations) - 1 and durations[length] > SLOW * median(durations[length + 1 :]):
        length += 1
    if length > FEW_ROWS:
        behind_first = durations[1:length]
        usual = median(behind_first)
        alike = sum(usual / ALIKE <= d <= ALIKE * usual for d in behind_first)
        half = len(behind_first) // 2
        comes_down = median(behind_first[:half]) > ALIKE * median(behind_first[half:])
        if alike >= MOSTLY * len(behind_first) and not comes_down:  # a level, and another one came behind it
            return int(durations[0] > SLOW * usual)
    return length


def coming_down(durations: Sequence[float], warmup: int, limit_s: float) -> int:
    """How many of the first `warmup` of `durations` are warm-up: what is slow there is so from the first one on.

    `limit_s`: above it one is slow. One that is slow after normal ones, or much longer than all before it, is no
    beginning that comes down: only what was slow before counts, where that is most of it; an outlier never does.
    """
    slow = 0
    while slow < warmup and durations[slow] > limit_s and not _rises(durations, slow):
        slow += 1
    later = [d for d in durations[slow:warmup] if d > limit_s]
    if not later:
        return warmup
    return slow if len(later) <= slow and max(later) <= _RISE * max(durations[:slow]) else 0


def falls(durations: Sequence[float]) -> bool:
    """Does none take clearly longer than the one before it?"""
    return all(now <= NOISE * before for before, now in pairwise(durations))


def _rises(durations: Sequence[float], at: int) -> bool:
    return at >= _FIRST and durations[at] > _RISE * max(durations[:at])
