"""What passes from row to row beside the printed times in every row alike: a part of each that is not printed, and no gap."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ...events import GAP, ClockKind, Strength
from ..timing.witnesses import NEWEST

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..findings import Spike
    from ..intake import Intake

FEWEST, NEARLY_ALL = 4, 0.8
"""So many rows, and so much of them: what passes beside those comes with each."""

MUCH = 0.5
"""Of the printed time: if as much passes beside it, and beside all stops, it is that of a part."""

USUAL = 1.5
"""Times what comes with each row: no more is no gap."""


class LeftOut(NamedTuple):
    """Seconds of a row, and whether the stops between rows were told with their times, so that they are none of it."""

    seconds: float
    beside_stops: bool


def left_out(run: Intake) -> LeftOut | None:
    """What the newest rows of a script that nobody described leave out by their stamps, where it is much in nearly all."""
    columns = run.columns
    printed = run.info.undescribed and columns.witness is None and run.info.clock == ClockKind.LOG
    if not printed or not columns.at_s:
        return None
    first = max(run.process_start, len(columns) - NEWEST) + 1
    found = [one for n in range(first, len(columns)) if (one := _of_row(run, n)) is not None]
    much = [(rest_s, told) for rest_s, own_s, told in found if rest_s >= MUCH * own_s]
    if len(found) < FEWEST or len(much) < NEARLY_ALL * len(found):
        return None
    return LeftOut(median(rest_s for rest_s, _ in much), sum(told for _, told in much) >= NEARLY_ALL * len(much))


def _of_row(run: Intake, position: int) -> tuple[float, float, bool] | None:
    """What passed since the row before beside its own time and stops, its own, and whether stops have times."""
    columns = run.columns
    passed_s, own_s = columns.time_at(position) - columns.time_at(position - 1), columns.duration_s[position]
    own_s *= max(columns.index[position] - columns.index[position - 1], 1)
    if not (passed_s > 0 and own_s > 0):
        return None
    stops = [note.duration_s or 0.0 for note in run.spans.by_position.get(position, ())]
    return passed_s - own_s - sum(stops), own_s, any(stops)


def without_usual_gaps(spikes: Iterable[Spike], usual: LeftOut | None) -> tuple[Spike, ...]:
    """The slow iterations without gaps that are no longer than what each row leaves out."""
    if usual is None:
        return tuple(spikes)
    return tuple(left for one in spikes if (left := _without_gap(one, usual.seconds)) is not None)


def _without_gap(spike: Spike, usual_s: float) -> Spike | None:
    kept = tuple(
        one
        for one in spike.causes
        if one.kind != GAP or one.strength != Strength.GUESS or one.seconds > USUAL * usual_s
    )
    return replace(spike, causes=kept) if kept else None
