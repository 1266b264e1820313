"""What passes beside the printed times in every row alike: a part of each that is not printed, and no gap."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from ...events import ClockKind
from ..timing.witnesses import NEWEST

if TYPE_CHECKING:
    from ..intake import Intake

FEWEST, NEARLY_ALL = 4, 0.8
"""So many rows, and so much of them: what passes beside those comes with each."""

MUCH = 0.5
"""Of the printed time: if as much passes beside it, and beside all stops, it is that of a part."""


def left_out_s(run: Intake) -> float | None:
    """What the newest rows of an unknown script leave out by their stamps, where it is much in nearly all.

    Only where stops between them were told with their times: else it may be theirs.
    """
    columns = run.columns
    printed = run.info.undescribed and columns.witness is None and run.info.clock == ClockKind.LOG
    if not printed or not columns.at_s:
        return None
    first = max(run.process_start, len(columns) - NEWEST) + 1
    found = [one for n in range(first, len(columns)) if (one := _of_row(run, n)) is not None]
    much = [rest_s for rest_s, own_s, told in found if told and rest_s >= MUCH * own_s]
    return median(much) if len(much) >= max(FEWEST, NEARLY_ALL * len(found)) else None


def _of_row(run: Intake, position: int) -> tuple[float, float, bool] | None:
    """What passed since the row before beside its own time and stops, its own, and whether stops have times."""
    columns = run.columns
    passed_s, own_s = columns.time_at(position) - columns.time_at(position - 1), columns.duration_s[position]
    own_s *= max(columns.index[position] - columns.index[position - 1], 1)
    if not (passed_s > 0 and own_s > 0):
        return None
    stops = [note.duration_s or 0.0 for note in run.spans.by_position.get(position, ())]
    return passed_s - own_s - sum(stops), own_s, any(stops)
