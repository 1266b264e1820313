"""The slow iterations as findings: each with its causes, their seconds and evidence."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from math import isnan
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import (
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    GAP,
    PAUSE,
    RESTART,
    STOPS,
    UNEXPLAINED,
    WARMUP,
    WITH_EVALUATION,
    Strength,
)
from ...words import duration
from ..findings import Cause, Spike
from ..timing.alike import NEAR
from ..timing.clock import TICKS
from .cases import HELD_ROWS
from .causes import LITTLE, ROUGHLY

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..findings import Level, Progress
    from ..record.columns import Columns
    from .labels import Labels

LEAST = 0.2
"""What cost less than this share of a normal iteration is no spike."""


def spike_at(labels: Labels, position: int) -> Spike | None:
    """The iteration at `position` with its causes, slow or not; `None` without a time."""
    columns, positions = labels.record.columns, labels.timing.slow.position
    trainings = labels.record.trainings
    place = bisect_left(positions, position)
    duration_s = columns.duration_s[position] * columns.averaged_at(position)
    causes: list[Cause] = []
    if place < len(positions) and positions[place] == position:
        inside, outside = labels.explain(place)
        causes = divided([*inside, *outside], labels.each_evaluation_s)
        notes = labels.record.spans.by_position.get(position, ())
        timed = bool(notes) and all(note.duration_s is not None for note in notes)
        coarse_s = TICKS * _tick_s(columns, position) if timed else 0.0
        gap_s = _before_s(labels.timing.slow.gap_s[place], outside, coarse_s)
        duration_s = gap_s + (0.0 if isnan(duration_s) else duration_s)
    elif isnan(duration_s):
        return None
    at_s = columns.time_at(position)
    return Spike(
        index=columns.index[position],
        position=position,
        duration_s=duration_s,
        clean_s=duration_s - sum(c.seconds for c in causes),
        causes=tuple(sorted(causes, key=lambda c: -c.seconds)),
        at_s=None if isnan(at_s) else at_s,
        averaged_over=columns.averaged_at(position),
        training=bisect_right(trainings, position) if len(trainings) > 1 else None,
    )


def _before_s(gap_s: float, outside: Sequence[Cause], coarse_s: float) -> float:
    """What passed before an iteration, by a clock, or by printed times that it is too coarse beside (`coarse_s`).

    A log without a clock has no gap where it gives the time of an evaluation apart from the iterations. And what a
    clock shows beside such times says nothing where it is no more than the clock is coarse.
    """
    known_s = sum(c.seconds for c in outside)
    return known_s if coarse_s and outside and gap_s - known_s <= coarse_s else max(gap_s, known_s)


def _tick_s(columns: Columns, position: int) -> float:
    """How fine the clock is that shows what passed before the row at `position`."""
    around = [columns.time_at(n) for n in (position - 1, position) if n >= 0]
    return max(columns.tick_s, float(all(at_s % 1 == 0 for at_s in around)))


def divided(causes: list[Cause], alone_s: Callable[[str], float | None]) -> list[Cause]:
    """`causes`, with one time for two kinds divided by what other evaluations of the run take, if known."""
    return [part for cause in causes for part in _parts(cause, alone_s(cause.kind))]


def _parts(cause: Cause, evaluation_s: float | None) -> list[Cause]:
    other = WITH_EVALUATION.get(cause.kind)
    if other is None or evaluation_s is None or cause.rough:  # what is left of a rough time is nothing's
        return [cause]
    seconds = min(evaluation_s, cause.seconds)
    evidence = f"{cause.evidence}; divided by the {duration(evaluation_s)} of evaluations alone".removeprefix("; ")
    parts = ((EVALUATION, seconds), (other, cause.seconds - seconds))
    return [Cause(kind, s, Strength.GUESS, evidence, rough=cause.rough) for kind, s in parts if s > 0]


def newest_spikes(labels: Labels, most: int | None) -> tuple[Spike, ...]:
    """The newest `most` spikes (`None`: all), oldest first."""
    found: list[Spike] = []
    for place in range(len(labels.timing.slow) - 1, -1, -1):
        if most is not None and len(found) >= most:
            break
        spike = _spike_of(labels, place)
        if spike is not None:
            found.append(spike)
    return tuple(reversed(found))


UNTOLD = "no line that itermon can read tells of a cause"
"""From row to row, of a script that nobody described."""

NEAR_A_SAVE = "near a line of a save"
"""... where one stands there: beside a save alone anything may have taken the time."""

_UNPRINTED = GAP, Strength.GUESS
_OF_NO_ROW = frozenset((WARMUP, PAUSE, RESTART, GAP))
"""What passed between two trainings is no row's, and the first rows of a process have no usual time yet."""


def beyond(spikes: tuple[Spike, ...], level: Level, training: int = 1) -> tuple[Spike, ...]:
    """Those that are slow whatever is usual, where no one time is in the newest `training`; and all before it.

    Where times go on to rise, the newest are above all that a level was measured from, and none of them is slow
    for that. What lost more than nearly all rows take is; so is what a line tells the cause of.
    """
    if level.between is None:
        return spikes
    most_s = level.between[1]
    return tuple(
        one
        for one in spikes
        if one.training not in (None, training)
        or one.duration_s - one.clean_s > most_s * one.averaged_over
        or any(cause.kind not in (UNEXPLAINED, WARMUP) for cause in one.causes)
    )


def doubted(
    spikes: tuple[Spike, ...],
    level: Level,
    progress: Progress,
    tick_s: float | None,
    *,
    within_rows: bool = False,
    saved: Sequence[int] = (),
) -> tuple[Spike, ...]:
    """Those of a script that nobody described that are sure.

    Where it is not sure how often it began, they are the newest training's. What passed beside printed times is no
    slow iteration: they may be means, or of another number of iterations. Where times are from row to row
    (`tick_s`: by a clock as fine as this; else `None`), and no one of them is usual, or each holds an evaluation,
    no row is slow for one; nor for two ticks of the clock. `within_rows`: stops are in the times that rows print.
    `saved`: the positions behind which lines tell of saves.
    """
    if not progress.starts_agree:
        newest = (one for one in spikes if one.training in (None, progress.trainings))
        spikes = tuple(replace(one, training=None) for one in newest)
    if within_rows:
        spikes = tuple(
            _with_one_cause(one, saved) if any(c.kind in STOPS for c in one.causes) else one for one in spikes
        )
    if tick_s is None:
        return tuple(one for one in spikes if any((c.kind, c.strength) != _UNPRINTED for c in one.causes))
    if level.between is not None or level.evaluates:
        return ()
    spikes = tuple(one for one in spikes if any(c.kind in STOPS for c in one.causes) or _is_above(one, level))
    slow = (one for one in spikes if one.took_s is not None and any(c.kind not in _OF_NO_ROW for c in one.causes))
    return tuple(_with_one_cause(one, saved) for one in slow if one.duration_s - one.clean_s > TICKS * tick_s)


def _is_above(spike: Spike, level: Level) -> bool:
    """Did it take more than what is told as usual, where one time is told for the whole training?

    For a while rows were faster: one that takes what others take again is slow for those few alone.
    """
    usual_s = (level.clean_s or 0.0) * spike.averaged_over
    return bool(level.shifts) or spike.duration_s > (1 + NEAR) * usual_s


def _with_one_cause(spike: Spike, saved: Sequence[int]) -> Spike:
    """With one cause for what the row took more: a stop took about that, if no line says when it began.

    What the moments of its lines leave out is not its own: it is none of it in the sum of all either.
    """
    seconds = sum(cause.seconds for cause in spike.causes)
    told = [cause for cause in spike.causes if cause.kind in STOPS]
    if any(cause.bracketed for cause in told):
        return spike
    if not told:
        near = bisect_left(saved, spike.position) > bisect_left(saved, spike.position - HELD_ROWS)
        return replace(
            spike, causes=(Cause(UNEXPLAINED, seconds, Strength.GUESS, NEAR_A_SAVE if near else UNTOLD),)
        )
    kinds = EVALUATION_AND_CHECKPOINT if len({cause.kind for cause in told}) > 1 else told[0].kind
    else_s = sum(cause.seconds for cause in spike.causes if cause.kind in (UNEXPLAINED, GAP))
    rest = [Cause(UNEXPLAINED, else_s, Strength.GUESS, UNTOLD)] if else_s > LITTLE * seconds else []
    return replace(spike, causes=(Cause(kinds, seconds - else_s, Strength.LOG, ROUGHLY, rough=True), *rest))


def next_spike(labels: Labels, position: int | None, direction: int) -> Spike | None:
    """The spike nearest to `position`, later (+1) or earlier (-1); from `None`, the newest."""
    positions = labels.timing.slow.position
    if position is None:
        place, direction = len(positions) - 1, -1
    else:
        place = bisect_right(positions, position) if direction == 1 else bisect_left(positions, position) - 1
    while 0 <= place < len(positions):
        spike = _spike_of(labels, place)
        if spike is not None:
            return spike
        place += direction
    return None


def _spike_of(labels: Labels, place: int) -> Spike | None:
    """The spike at `place`, if it cost enough to be one.

    A row that took less than a usual one with all that was in it is not slow for its evaluation.
    """
    spike, level_s = spike_at(labels, labels.timing.slow.position[place]), labels.timing.slow.level_s[place]
    if spike is None or spike.duration_s <= level_s * spike.averaged_over:
        return None
    if spike.position in labels.timing.slow.among and all(c.kind in (UNEXPLAINED, GAP) for c in spike.causes):
        return None  # before which of many rows it was nobody knows
    return None if sum(c.seconds for c in spike.causes) < LEAST * level_s else spike
