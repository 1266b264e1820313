"""What the chart of the page is drawn from: columns of numbers, and the words for each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ... import words
from ...events import CAUSES
from ..evidence import change_of_level
from ..rows.ledger import by_size, kinds_of
from ..scale import band_around
from .curves import curves, rounded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.chart import ChartColumn
    from ...analysis.findings import Findings
    from ...analysis.run import Run

_ROWS = 9
"""The values of the vertical axis are so far apart as if it had so many rows."""


def chart_data(run: Run, found: Findings, columns: Sequence[ChartColumn]) -> dict[str, Any]:
    """Numbers and words of the columns of `run`, as JSON takes them; no times where a clock contradicts them."""
    if found.contradicted:
        columns = [replace(c, low_s=None, median_s=None, high_s=None, slowest_s=None, causes=()) for c in columns]
    return {
        "first": [c.first_index for c in columns],
        "last": [c.last_index for c in columns],
        "low": rounded(c.low_s for c in columns),
        "median": rounded(c.median_s for c in columns),
        "high": rounded(c.high_s for c in columns),
        "said": [_times(c) for c in columns],
        "slowest": rounded(c.slowest_s for c in columns),
        "tops": {n: words.duration(c.slowest_s) for n, c in enumerate(columns) if c.causes},
        "hues": [_hue(c) for c in columns],
        "band": _band(columns, found),
        "moved": _moved(columns, found),
        "causes": _causes(columns, found),
        "curves": curves(run, found, columns),
    }


def _times(column: ChartColumn) -> str:
    """`21.0 s`, of several `21.0 s (20.9 s to 21.2 s)`, with the slowest of all where one was slow."""
    slowest = words.duration(column.slowest_s)
    if column.first == column.last or column.median_s is None:
        return slowest
    low, middle, high = (words.duration(value) for value in (column.low_s, column.median_s, column.high_s))
    clean = middle if low == middle == high else f"{middle} ({low} to {high})"
    return f"{clean}, slowest {slowest}" if column.spikes else clean


def _hue(column: ChartColumn) -> str:
    """The colour of its slowest iteration's cause; "" for a column without a slow one."""
    cause = CAUSES.get(column.causes[0]) if column.causes else None
    return cause.colour if cause else ""


def _band(columns: Sequence[ChartColumn], found: Findings) -> dict[str, Any] | None:
    """The range of the clean iterations, which has most of the height; what is above it stands above a break."""
    band = band_around(columns, found.level.clean_s)
    if band is None:
        return None
    most = max((c.slowest_s for c in columns if c.slowest_s is not None), default=band.high)
    step_s, ticks = band.ticks(_ROWS)
    marks = [(value, words.axis_duration(value, step_s or value, band.high)) for _, value in ticks]
    top = most if most > band.high else 0.0
    return {"low": band.low, "high": band.high, "top": top, "marks": marks, "most": words.duration(most)}


def _moved(columns: Sequence[ChartColumn], found: Findings) -> list[tuple[int, str]]:
    """Where the level moved, and by how much."""
    shifts = found.level.shifts[-20:]
    places = ((column_of(columns, shift.position), change_of_level(shift)) for shift in shifts)
    return [(place, said) for place, said in places if place is not None]


def column_of(columns: Sequence[ChartColumn], position: int) -> int | None:
    """The column in which the iteration at `position` stands."""
    return next((number for number, c in enumerate(columns) if c.first <= position <= c.last), None)


def _causes(columns: Sequence[ChartColumn], found: Findings) -> dict[str, list[tuple[int, int]]]:
    """Of each cause the columns in which it happened, and how often."""
    lanes = {}
    for row in by_size(found.ledger):
        kinds = kinds_of(row.cause, found.ledger)
        counts = (sum(column.counts.get(kind, 0) for kind in kinds) for column in columns)
        lanes[row.cause] = [(number, count) for number, count in enumerate(counts) if count]
    return lanes
