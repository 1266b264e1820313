"""Iterations for a chart: any stretch of a run as a few columns."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from .causes.labels import NOTHING
from .record.pyramid import size_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from .intake import Intake


class ChartColumn(msgspec.Struct, frozen=True, gc=False):
    """Some neighbouring iterations, for one column of a chart: nothing that sticks out is lost in it.

    Low, high and median are times of iterations that were not slow themselves, whatever stood before them: robust
    ones where the column holds many (`Pyramid.stretch`), `None` where all were slow or none has a time.
    """

    first: int  # positions, both included
    last: int
    first_index: int
    last_index: int
    low_s: float | None
    high_s: float | None
    median_s: float | None
    slowest_s: float | None = None  # of all its iterations
    spikes: int = 0  # how many of them were slow, or something stood before them
    causes: tuple[str, ...] = ()  # of the slowest of these first
    counts: Mapping[str, int] = NOTHING  # of its iterations with each cause
    loss: float | None = None  # mean


def chart_columns(run: Intake, first: int, last: int, columns: int) -> list[ChartColumn]:
    """Positions `first`..`last` (inclusive) as at most `columns` columns of equal numbers of iterations.

    Where these are many, the first column is the shorter for the sake of whole blocks in all others.
    """
    last = min(last, len(run.columns) - 1)
    if last < first or columns < 1:
        return []
    labels = run.labels
    slow = labels.timing.slow
    run.pyramid.follow(slow.itself, slow.changes)
    edges = _edges(first, last + 1, columns)
    places = [bisect_left(slow.position, position) for position in edges]
    parts = zip(pairwise(edges), pairwise(places), labels.along(places), strict=True)
    return [_column(run, begin, end - 1, high - low, found) for (begin, end), (low, high), found in parts]


def unlabelled(columns: Sequence[ChartColumn]) -> list[ChartColumn]:
    """The times alone, of a run of which nobody knows why one took longer."""
    return [msgspec.structs.replace(column, spikes=0, causes=(), counts=NOTHING) for column in columns]


def not_resumed(columns: Sequence[ChartColumn]) -> bool:
    """Is no iteration in them done again?"""
    return all(before.last_index < after.first_index for before, after in pairwise(columns))


def finder(columns: Sequence[ChartColumn]) -> Callable[[int], int | None]:
    """What gives the number of the column that has an iteration; of one done again the last time counts."""
    stretches = [*_ascending(columns)][::-1]

    def find(index: int) -> int | None:
        for start, lasts in stretches:
            number = bisect_left(lasts, index)
            if number < len(lasts) and columns[start + number].first_index <= index:
                return start + number
        return None

    return find


def _ascending(columns: Sequence[ChartColumn]) -> Iterator[tuple[int, list[int]]]:
    """The stretches between two restarts, oldest first: the number of its first column, the last index of each."""
    start, lasts = 0, list[int]()
    for number, column in enumerate(columns):
        if lasts and column.last_index <= lasts[-1]:
            yield start, lasts
            start, lasts = number, []
        lasts.append(column.last_index)
    yield start, lasts


def _edges(first: int, stop: int, columns: int) -> list[int]:
    """Where each column begins, and the end of the last one."""
    size = size_for(-(-(stop - first) // columns))
    start = first // size * size
    step = -(-(stop - start) // (columns * size)) * size
    return [first, *range(start + step, stop, step), stop]


def _column(
    run: Intake, first: int, last: int, spikes: int, found: tuple[tuple[str, ...], Mapping[str, int]]
) -> ChartColumn:
    """The column of positions `first` to `last`, so many of them slow, for these causes."""
    causes, counts = found
    low_s, high_s, median_s, slowest_s, loss = run.pyramid.stretch(first, last)
    return ChartColumn(
        first=first,
        last=last,
        first_index=run.columns.index[first],
        last_index=run.columns.index[last],
        low_s=low_s,
        high_s=high_s,
        median_s=median_s,
        slowest_s=slowest_s,
        spikes=spikes,
        causes=causes,
        counts=counts,
        loss=loss,
    )
