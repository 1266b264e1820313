"""What any stretch of iterations looks like, in a few steps, however long the run.

The slow iterations stand apart: the rest is told by its own low, high and median, and no spike moves these.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import pairwise
from math import inf, nan
from operator import ne
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .columns import Columns

SIZES = (64, 2048, 65_536)
"""Iterations in a block of each level: 32 times the level below. Five numbers a block: 0.6 bytes an iteration."""

OUTLIERS = 20
"""Of so many clean iterations of a block one is left out at each end: its range is that from 5 % to 95 %."""


class Stretch(NamedTuple):
    """Seconds of the clean iterations, those that are not slow; of the slowest of all; and the mean loss.

    `low_s`, `high_s` and `median_s` are times that iterations had. `None`: all were slow, or none has a time.
    """

    low_s: float | None = None
    high_s: float | None = None
    median_s: float | None = None
    slowest_s: float | None = None
    loss: float | None = None


class Blocks:
    """One level: arrays with one entry a block. What is not known changes no least, greatest or median."""

    def __init__(self) -> None:
        self.low = array("d")  # inf where there is none
        self.high = array("d")  # -inf
        self.median = array("d")  # nan
        self.slowest = array("d")  # -inf
        self.loss = array("f")  # nan

    def add(self, low: float, high: float, median: float, slowest: float, loss: float) -> None:
        """One more block."""
        self.low.append(low)
        self.high.append(high)
        self.median.append(median)
        self.slowest.append(slowest)
        self.loss.append(loss)

    def cut(self, count: int) -> None:
        """Keep the first `count` blocks."""
        for column in (self.low, self.high, self.median, self.slowest, self.loss):
            del column[count:]


class Pyramid:
    """Blocks over the columns, made when somebody looks; no spike is ever lost in them."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._levels = [Blocks() for _ in SIZES]
        self._slow: Sequence[int] = array("q")
        self._made_with = array("q")  # those of the slow positions that lie in blocks
        self._changes = 0

    def follow(self, slow: array[int], changes: int) -> None:
        """From now on these positions are the slow ones: blocks that others were made with are made anew.

        `changes` counts what was taken out of them or put between them: near the end of a run as a rule, and all
        of them may be others before the first level is fixed.
        """
        if slow is not self._slow or changes != self._changes or self._within_blocks(slow) != len(self._made_with):
            self._slow, self._changes = slow, changes
            self._forget_from(slow)
        self._grow()
        self._made_with.extend(slow[len(self._made_with) : self._within_blocks(slow)])

    def _within_blocks(self, slow: Sequence[int]) -> int:
        return bisect_left(slow, len(self._levels[0].low) * SIZES[0])

    def _forget_from(self, slow: array[int]) -> None:
        """Drop the blocks from the first position on that is slow now and was not, or the other way round."""
        before = self._made_with
        shorter = min(len(slow), len(before))
        same = next((n for n, differs in enumerate(map(ne, slow, before)) if differs), shorter)
        changed = min((part[same] for part in (slow, before) if same < len(part)), default=None)
        if changed is not None:
            for level, size in zip(self._levels, SIZES, strict=True):
                level.cut(changed // size)
            del before[self._within_blocks(before) :]

    def _grow(self) -> None:
        base = self._levels[0]
        while (len(base.low) + 1) * SIZES[0] <= len(self._columns):
            start = len(base.low) * SIZES[0]
            base.add(*self._block(start, start + SIZES[0]), self._loss(start, start + SIZES[0]))
            for below, above in pairwise(self._levels):
                if len(below.low) % 32:
                    break
                part = slice(len(below.low) - 32, None)
                low, high, slowest = min(below.low[part]), max(below.high[part]), max(below.slowest[part])
                above.add(low, high, _middle(sorted(known(below.median[part]))), slowest, _mean(below.loss[part]))

    def _block(self, start: int, stop: int) -> tuple[float, float, float, float]:
        """Low, high, median and slowest of positions `start` to before `stop`."""
        clean, slowest = self._durations(start, stop)
        if not clean:
            return inf, -inf, nan, slowest
        beyond = len(clean) // OUTLIERS
        return clean[beyond], clean[-1 - beyond], _middle(clean), slowest

    def _durations(self, start: int, stop: int) -> tuple[list[float], float]:
        """Those of the clean iterations, in order, and the slowest of all."""
        times, slow = self._columns.duration_s[start:stop], self._slow
        slowest = max(known(times), default=-inf)
        for place in range(bisect_left(slow, stop) - 1, bisect_left(slow, start) - 1, -1):
            del times[slow[place] - start]
        return sorted(known(times)), slowest

    def _loss(self, start: int, stop: int) -> float:
        return _mean(self._columns.loss[start:stop])

    def relearn(self, position: int) -> None:
        """The loss of the iteration at `position` came after a block with it was made."""
        below, part = self._columns.loss, SIZES[0]
        for level, size in zip(self._levels, SIZES, strict=True):
            block = position // size
            if block >= len(level.loss):
                return
            level.loss[block] = _mean(below[block * part : (block + 1) * part])
            below, part = level.loss, 32

    def stretch(self, first: int, last: int) -> Stretch:
        """Positions `first`..`last` (inclusive), as of the newest `follow`.

        Exact up to two blocks. Of a longer one low and high are the widest of its blocks', each from 5 % to 95 %
        of its iterations, the median is that of the blocks' medians, the loss the mean of their means.
        """
        if last - first < 2 * SIZES[0]:
            clean, slowest = self._durations(first, last + 1)
            ends = (clean[0], clean[-1]) if clean else (inf, -inf)
            return _stretch(*ends, _middle(clean), slowest, self._loss(first, last + 1))
        low, high, slowest = inf, -inf, -inf
        medians: list[float] = []
        losses: list[float] = []
        for level, start, stop in self._pieces(first, last + 1, len(SIZES) - 1):
            if level < 0:
                low_s, high_s, median_s, slowest_s = self._block(start, stop)
                medians.append(median_s)
                losses.append(self._loss(start, stop))
            else:
                blocks = self._levels[level]
                low_s, high_s = min(blocks.low[start:stop]), max(blocks.high[start:stop])
                slowest_s = max(blocks.slowest[start:stop])
                medians += blocks.median[start:stop]
                losses += blocks.loss[start:stop]
            low, high, slowest = min(low, low_s), max(high, high_s), max(slowest, slowest_s)
        return _stretch(low, high, _middle(sorted(known(medians))), slowest, _mean(losses))

    def _pieces(self, start: int, stop: int, level: int) -> Iterator[tuple[int, int, int]]:
        """The stretch as pieces (level, first block, end block) of the largest blocks; level -1 is iterations."""
        if level < 0:
            if start < stop:
                yield level, start, stop
            return
        size = SIZES[level]
        first, end = -(-start // size), stop // size
        if first < end:
            yield from self._pieces(start, first * size, level - 1)
            yield level, first, end
            yield from self._pieces(end * size, stop, level - 1)
        else:
            yield from self._pieces(start, stop, level - 1)


def _stretch(low: float, high: float, median: float, slowest: float, loss: float) -> Stretch:
    """Numbers of blocks as those of a stretch."""
    return Stretch(
        None if low == inf else low,
        None if high == -inf else high,
        None if median != median else median,
        None if slowest == -inf else slowest,
        None if loss != loss else loss,
    )


def _middle(ordered: Sequence[float]) -> float:
    """The median as one of the numbers: of two in the middle the lower; nan of none."""
    return ordered[(len(ordered) - 1) // 2] if ordered else nan


def _mean(values: Sequence[float]) -> float:
    """Of those that are known; nan where none is."""
    values = known(values)
    return sum(values) / len(values) if values else nan


def size_for(step: int) -> int:
    """The largest block of which `step` iterations have 32 or more: columns of whole blocks are drawn faster."""
    return max((s for s in SIZES if s * 32 <= step), default=1)


def known(values: Sequence[float]) -> Sequence[float]:
    """`values` without nan."""
    total = sum(values)
    return values if total == total else [v for v in values if v == v]
