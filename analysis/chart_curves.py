"""A number for each column of a chart: any scalar of the run, or what the machine did in that time."""

from __future__ import annotations

from math import isfinite, nan
from typing import TYPE_CHECKING, NamedTuple

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


class Curve(NamedTuple):
    """A value for each column, `None` where none is known; `lows` too where a mean would hide a dip."""

    values: list[float | None]
    lows: list[float | None]

    @property
    def known(self) -> bool:
        """Is there any?"""
        return any(value is not None for value in self.values)


def curve_names(run: Intake) -> tuple[str, ...]:
    """All that this source can show over its iterations: its scalars, and the machine where both have a clock."""
    machine = MACHINE.values() if run.columns.clocked and run.telemetry.newest() else ()
    return (*run.scalars.names(), *machine)


def chart_curve(run: Intake, name: str, columns: Sequence[ChartColumn]) -> Curve:
    """The curve of this name over the columns of a chart."""
    field = next((field for field, called in MACHINE.items() if called == name), None)
    if field is None:
        return Curve([run.scalars.mean(name, c.first, c.last) for c in columns], [])
    found = [_measured(run, column, field) for column in columns]
    return Curve([one and one[0] for one in found], [one and one[1] for one in found])


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
