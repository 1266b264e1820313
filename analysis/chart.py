"""Iterations for a chart: any stretch of a run as a few columns."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from .record.pyramid import rounded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .causes.labels import Labels
    from .intake import Intake

NOTHING: Mapping[str, int] = MappingProxyType({})


class ChartColumn(msgspec.Struct, frozen=True, gc=False):
    """Some neighbouring iterations, for one column of a chart: nothing that sticks out is lost in it."""

    first: int  # positions, both included
    last: int
    first_index: int
    last_index: int
    low_s: float | None
    high_s: float | None
    median_s: float | None
    spikes: int = 0
    causes: tuple[str, ...] = ()  # of the slowest iteration in it first
    counts: Mapping[str, int] = NOTHING  # of its iterations with each cause
    loss: float | None = None  # mean


def chart_columns(run: Intake, first: int, last: int, columns: int) -> list[ChartColumn]:
    """Positions `first`..`last` (inclusive) as at most `columns` columns of equal numbers of iterations."""
    last = min(last, len(run.columns) - 1)
    if last < first or columns < 1:
        return []
    step = rounded(-(-(last - first + 1) // columns))
    labels = run.labels
    return [_column(run, labels, p, min(p + step - 1, last)) for p in range(first, last + 1, step)]


def _column(run: Intake, labels: Labels, first: int, last: int) -> ChartColumn:
    low_s, high_s, median_s, loss = run.pyramid.stretch(first, last)
    positions = labels.timing.slow.position
    start, stop = bisect_left(positions, first), bisect_right(positions, last)
    return ChartColumn(
        first=first,
        last=last,
        first_index=run.columns.index[first],
        last_index=run.columns.index[last],
        low_s=low_s,
        high_s=high_s,
        median_s=median_s,
        spikes=stop - start,
        causes=labels.main_causes(start, stop) if start < stop else (),
        counts=labels.counts(start, stop) if start < stop else NOTHING,
        loss=loss,
    )
