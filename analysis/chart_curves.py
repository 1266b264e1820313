"""A number for each column of a chart: any scalar of the run, or what the machine did in that time."""

from __future__ import annotations

from math import isfinite, nan
from typing import TYPE_CHECKING, NamedTuple

from .findings import Scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .chart import ChartColumn
    from .intake import Intake

GPU_POWER, GPU_MEMORY, GPU_UTILIZATION = "power_w", "memory_used_bytes", "utilization"

MACHINE = {
    GPU_POWER: "GPU power",
    GPU_MEMORY: "GPU memory",
    GPU_UTILIZATION: "GPU utilization",
}
"""What the machine's curves are called; of several GPUs power and memory are sums, utilization is their mean."""


_FIELDS = {called: field for field, called in MACHINE.items()}


class Curve(NamedTuple):
    """A value for each column, `None` where none is known; `lows` too where a mean would hide a dip.

    `newest`, `least` and `most` are those of the whole run.
    """

    values: list[float | None]
    lows: list[float | None]
    newest: float | None = None
    least: float | None = None
    most: float | None = None

    @property
    def known(self) -> bool:
        """Is there any?"""
        return any(value is not None for value in self.values)


def all_curves(run: Intake) -> tuple[Scalar, ...]:
    """All that this source can show over its iterations: its scalars, and the machine where both have a clock."""
    last = len(run.columns) - 1
    measured = [
        Scalar(called, found[0], run.columns.index[last], found[1], found[2], len(run.telemetry.course))
        for field, called in MACHINE.items()
        if has_curve(run, called, 0, last) and (found := run.telemetry.course.extremes(field))
    ]
    return (*run.scalars.found(), *measured)


def has_curve(run: Intake, name: str, first: int, last: int, covered: float = 0.0) -> bool:
    """Is anything known of it: for a scalar in the run, for the machine in the time of these positions?

    `covered`: how much of that time, at least, has to lie within the time of the samples.
    """
    field = _FIELDS.get(name)
    if field is None:
        return run.scalars.has(name)
    first = max(first, run.columns.timed_from)
    if not run.columns.clocked or not 0 <= first <= last < len(run.columns):
        return False
    begin_s, end_s = _begin_s(run, first), run.columns.time_at(last)
    if not (isfinite(begin_s) and begin_s < end_s):
        return False
    course = run.telemetry.course
    return course.covered(begin_s, end_s) >= covered and course.of(field, begin_s, end_s) is not None


def chart_curve(run: Intake, name: str, columns: Sequence[ChartColumn]) -> Curve:
    """The curve of this name over the columns of a chart."""
    field = _FIELDS.get(name)
    if field is None:
        values = [run.scalars.mean(name, c.first, c.last) for c in columns]
        return Curve(values, [], *(run.scalars.extremes(name) or ()))
    found = [_measured(run, column, field) for column in columns]
    values, lows = [one and one[0] for one in found], [one and one[1] for one in found]
    return Curve(values, lows, *(run.telemetry.course.extremes(field) or ()))


def _measured(run: Intake, column: ChartColumn, field: str) -> tuple[float, float] | None:
    """Mean and least of what was measured in the time of the iterations of a column."""
    begin_s, end_s = _begin_s(run, column.first), run.columns.time_at(column.last)
    if not (isfinite(begin_s) and isfinite(end_s) and begin_s < end_s):
        return None
    return run.telemetry.course.of(field, begin_s, end_s)


def _begin_s(run: Intake, position: int) -> float:
    """When an iteration began: when the one before it ended, else by its own time."""
    columns = run.columns
    before_s = columns.time_at(position - 1) if position and position not in run.starts else nan
    if before_s == before_s:
        return before_s
    return columns.time_at(position) - columns.duration_s[position] * columns.averaged_at(position)
