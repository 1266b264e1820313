"""Where an incident lies among the events: what all rules of the past ask."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..findings import Incident
    from ..intake import Intake

Found = tuple[int, "Incident"]
"""The position in the columns at which it began, and the incident."""


def process_of(run: Intake, position: int) -> int:
    """The number of the process, from 1, that the entry at `position` is of."""
    return bisect_right(run.starts, position)


def end_of(run: Intake, process: int) -> int:
    """The position behind the last entry of a process."""
    return run.starts[process] if process < len(run.starts) else len(run.columns)


def moment(run: Intake, position: int) -> float | None:
    """The Unix time at which the entry at `position` ended."""
    at_s = run.columns.time_at(position)
    return at_s if at_s == at_s else None


def position_of(run: Intake, iteration: int) -> int:
    """The position of `iteration` of the newest process."""
    return bisect_left(run.columns.index, iteration, run.process_start)
