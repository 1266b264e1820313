"""Least, greatest and median of any stretch of iterations in a few steps, however long the run."""

from __future__ import annotations

from array import array
from itertools import pairwise
from math import nan
from typing import TYPE_CHECKING

from ..medians import median_of_ordered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .columns import Columns

SIZES = (64, 2048, 65_536)
"""Iterations in a block of each level: 32 times the level below. Four numbers a block: 0.5 bytes an iteration."""


class Blocks:
    """One level: arrays with one entry a block. A block without any known time is nan."""

    def __init__(self) -> None:
        self.low = array("d")
        self.high = array("d")
        self.median = array("d")
        self.loss = array("f")

    def add(self, low: float, high: float, medians: Sequence[float], losses: Sequence[float]) -> None:
        """One more block, from `low` to `high`; `medians` (in order) and `losses` of what is below."""
        self.low.append(low)
        self.high.append(high)
        self.median.append(median_of_ordered(medians) if medians else nan)
        self.loss.append(sum(losses) / len(losses) if losses else nan)


class Pyramid:
    """Blocks over the columns, made when somebody looks; nothing that sticks out is ever lost in them."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._levels = [Blocks() for _ in SIZES]

    def _grow(self) -> None:
        base = self._levels[0]
        while (len(base.low) + 1) * SIZES[0] <= len(self._columns):
            start = len(base.low) * SIZES[0]
            durations = sorted(known(self._columns.duration_s[start : start + SIZES[0]])) or [nan]
            base.add(durations[0], durations[-1], durations, known(self._columns.loss[start : start + SIZES[0]]))
            for below, above in pairwise(self._levels):
                if len(below.low) % 32:
                    break
                part = slice(len(below.low) - 32, None)
                extremes = known([*below.low[part], *below.high[part]]) or [nan]
                above.add(min(extremes), max(extremes), sorted(known(below.median[part])), known(below.loss[part]))

    def relearn(self, position: int) -> None:
        """The loss of the iteration at `position` came after a block with it was made."""
        below, part = self._columns.loss, SIZES[0]
        for level, size in zip(self._levels, SIZES, strict=True):
            block = position // size
            if block >= len(level.loss):
                return
            losses = known(below[block * part : (block + 1) * part])
            level.loss[block] = sum(losses) / len(losses) if losses else nan
            below, part = level.loss, 32

    def stretch(self, first: int, last: int) -> tuple[float | None, float | None, float | None, float | None]:
        """Least, greatest and median seconds, and mean loss, of positions `first`..`last` (inclusive).

        All but exact: the median and the mean of a long stretch are those of its blocks.
        """
        if last - first < 2 * SIZES[0]:
            raw = sorted(known(self._columns.duration_s[first : last + 1]))
            return _summary(raw, raw, known(self._columns.loss[first : last + 1]))
        self._grow()
        extremes: list[float] = []
        medians: list[float] = []
        losses: list[float] = []
        for level, start, stop in self._pieces(first, last + 1, len(SIZES) - 1):
            if level < 0:
                raw = sorted(known(self._columns.duration_s[start:stop]))
                if raw:
                    extremes += (raw[0], raw[-1])
                    medians.append(median_of_ordered(raw))
                loss = known(self._columns.loss[start:stop])
                losses += [sum(loss) / len(loss)] if loss else []
            else:
                blocks = self._levels[level]
                extremes += known([min(blocks.low[start:stop]), max(blocks.high[start:stop])])
                medians += known(blocks.median[start:stop])
                losses += known(blocks.loss[start:stop])
        return _summary(extremes, sorted(medians), losses)

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


def _summary(
    extremes: Sequence[float], medians: Sequence[float], losses: Sequence[float]
) -> tuple[float | None, float | None, float | None, float | None]:
    loss = sum(losses) / len(losses) if losses else None
    return (
        (min(extremes), max(extremes), median_of_ordered(medians), loss) if extremes else (None, None, None, loss)
    )


def rounded(step: int) -> int:
    """`step` rounded up to whole blocks where that is 3 % at most: columns of a chart are drawn faster then."""
    size = max((s for s in SIZES if s * 32 <= step), default=1)
    return -(-step // size) * size


def known(values: Sequence[float]) -> Sequence[float]:
    """`values` without nan."""
    total = sum(values)
    return values if total == total else [v for v in values if v == v]
