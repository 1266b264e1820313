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

_MOST_MEDIANS = 64  # of blocks, behind the median of a long stretch


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
        """Least, greatest and median seconds, and mean loss, of positions `first`..`last` (inclusive)."""
        self._grow()
        extremes: list[float] = []
        medians: list[float] = []
        losses: list[float] = []
        for level, start, stop in self._pieces(first, last + 1):
            if level < 0:
                raw = known(self._columns.duration_s[start:stop])
                if raw:
                    extremes += (min(raw), max(raw))
                    medians += raw if last - first < 2 * SIZES[0] else [median_of_ordered(sorted(raw))]
                loss = known(self._columns.loss[start:stop])
                losses += [sum(loss) / len(loss)] if loss else []
            else:
                blocks = self._levels[level]
                extremes += known([min(blocks.low[start:stop]), max(blocks.high[start:stop])])
                stride = -(-(stop - start) // _MOST_MEDIANS)
                medians += known(blocks.median[start:stop:stride])
                losses += known(blocks.loss[start:stop:stride])
        if not extremes:
            return None, None, None, sum(losses) / len(losses) if losses else None
        loss_mean = sum(losses) / len(losses) if losses else None
        return min(extremes), max(extremes), median_of_ordered(sorted(medians)), loss_mean

    def _pieces(self, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
        """The stretch as pieces (level, first block, end block) of the largest blocks; level -1 is iterations."""
        while start < stop:
            for level in range(len(SIZES) - 1, -1, -1):
                size = SIZES[level]
                end = min(stop // size, len(self._levels[level].low))
                if level + 1 < len(SIZES):  # up to where a larger block begins
                    larger = SIZES[level + 1]
                    if -(-start // larger) < min(stop // larger, len(self._levels[level + 1].low)):
                        end = min(end, -(-start // larger) * larger // size)
                if start % size == 0 and start // size < end:
                    yield level, start // size, end
                    start = end * size
                    break
            else:
                end = min(stop, -(-(start + 1) // SIZES[0]) * SIZES[0])
                yield -1, start, end
                start = end


def rounded(step: int) -> int:
    """`step` rounded up to whole blocks where that is 3 % at most: columns of a chart are drawn faster then."""
    size = max((s for s in SIZES if s * 32 <= step), default=1)
    return -(-step // size) * size


def known(values: Sequence[float]) -> Sequence[float]:
    """`values` without nan."""
    total = sum(values)
    return values if total == total else [v for v in values if v == v]
