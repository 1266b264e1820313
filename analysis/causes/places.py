"""Where slow iterations lost their time: one of them, and all of a run together."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import STOPS, UNEXPLAINED
from ..findings import Place, SlowPlace
from .labels import LAG
from .looks import deciding, stands_for
from .spikes import spike_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...events import Stack
    from ..findings import Spike
    from .labels import Labels

_CALLERS = 3  # that are shown of the user's own place


_KNOWN = "where is known, why is not"


def placed(spike: Spike, stacks: Sequence[Stack]) -> Spike:
    """The spike with the place where it lost its time, if looks say so."""
    place = place_of(stacks, spike)
    if place is None:
        return spike
    causes = [replace(cause, evidence=_KNOWN) if cause.kind == UNEXPLAINED else cause for cause in spike.causes]
    return replace(spike, causes=tuple(causes), place=place)


def place_of(stacks: Sequence[Stack], spike: Spike) -> Place | None:
    """Where `spike` lost what no stop explains; `None` where the looks do not decide it."""
    lost_s = sum(cause.seconds for cause in spike.causes if cause.kind not in STOPS)
    decide = deciding(stacks, spike.duration_s, spike.clean_s)
    if not decide or lost_s <= 0:
        return None
    spans = stands_for(decide, spike.duration_s)
    seconds: dict[str, float] = {}
    for stack, span_s in zip(decide, spans, strict=True):
        seconds[_key(stack)] = seconds.get(_key(stack), 0.0) + span_s
    worst = max(seconds, key=lambda key: seconds[key])
    here = [stack for stack in decide if _key(stack) == worst]
    newest = here[-1]
    callers = newest.frames[(newest.user_frame or 0) + 1 :]
    return Place(
        at=newest.user_place,
        innermost=newest.innermost,
        callers=tuple(callers[:_CALLERS]),
        seconds=lost_s * seconds[worst] / (sum(spans) or 1.0),
        looks=sum(stack.count for stack in here),
        of_looks=sum(stack.count for stack in decide),
        is_native=all(stack.native for stack in here),
    )


def slow_place(labels: Labels) -> SlowPlace | None:
    """The place that cost most over the unexplained slow iterations of the newest process that were looked at."""
    seconds: dict[str, list[float]] = {}
    for index in labels.record.stacks:
        at, lost_s = _unexplained_at(labels, index)
        if at:
            seconds.setdefault(at, []).append(lost_s)
    if not seconds:
        return None
    worst = max(seconds, key=lambda at: sum(seconds[at]))
    return SlowPlace(at=worst, iterations=len(seconds[worst]), seconds=sum(seconds[worst]))


def _unexplained_at(labels: Labels, index: int) -> tuple[str, float]:
    """Where iteration `index` lost its time, and how much, if nothing else explains it; kept once final."""
    columns, stacks, starts = labels.record.columns, labels.record.stacks, labels.record.starts
    known = stacks.found.get(index)
    if known is not None:
        return known
    position = bisect_left(columns.index, index, starts[-1] if starts else 0)
    if position >= len(columns) or columns.index[position] != index:
        return "", 0.0  # it has not ended
    spike = spike_at(labels, position)
    worst = max(spike.causes, key=lambda cause: cause.seconds, default=None) if spike is not None else None
    place = None
    if spike is not None and worst is not None and worst.kind == UNEXPLAINED:
        place = place_of(stacks.of(index), spike)
    found = (place.at, place.seconds) if place is not None else ("", 0.0)
    if position < len(columns) - 2 * LAG:
        stacks.found[index] = found
    return found


def _key(stack: Stack) -> str:
    return stack.user_place or stack.innermost
