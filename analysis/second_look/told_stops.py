"""Did the stops that lines tell of take what their rows took too long? Rows with and without such a line say.

`Saving checkpoints for 33` stands in three rows that took 26 s longer than others, and in one that did not; a row
without such a line took as long: something else took that time.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import CAUSE_OF_SPAN, CAUSES, CHECKPOINT, EVALUATION, UNEXPLAINED, Strength
from ..causes.causes import ITS_TIME
from ..findings import LedgerRow

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..causes.cases import Record
    from ..findings import Cause, Findings, Spike
    from ..timing.timing import Timing

LEFT = 0.01
"""Of the time of a kind: what is left of it by rounding."""

QUIET = 0.1
"""Of what the costliest row took too long: a row with the line that took no more beside its usual time."""

MANY = 4
"""One quiet row in so many, and a row that took as long without a line: then the line tells no cause."""

ALIKE = 1.3
"""Times as long, and as short: an unexplained time like those that the line was taken for."""

ELSEWHERE = {
    EVALUATION: "a line tells of an evaluation, but elsewhere rows with one took no longer",
    CHECKPOINT: "a line tells of a checkpoint, but elsewhere rows with one took no longer",
}


def told_as_others(found: Findings, timing: Timing, record: Record) -> Findings:
    """`found`, with what was put down to a stop by its line alone unexplained where the rows contradict that."""
    for kind in ELSEWHERE:
        charged = [
            (one, cause)
            for one in found.spikes
            for cause in one.causes
            if cause.kind == kind and _by_line_alone(cause)
        ]
        if charged and _contradicted(kind, charged, found.spikes, timing, record):
            seconds = sum(cause.seconds for _, cause in charged)
            spikes = tuple(replace(one, causes=_none_told(one.causes, kind)) for one in found.spikes)
            found = replace(found, spikes=spikes, ledger=_moved(found.ledger, kind, seconds, len(charged)))
    return found


def _none_told(causes: Sequence[Cause], kind: str) -> tuple[Cause, ...]:
    return tuple(
        replace(cause, kind=UNEXPLAINED, strength=Strength.GUESS, evidence=ELSEWHERE[kind], rough=False)
        if cause.kind == kind and _by_line_alone(cause)
        else cause
        for cause in causes
    )


def _by_line_alone(cause: Cause) -> bool:
    """Is it all that the row took too long, and no time that the log or two of its lines tell?"""
    return cause.strength == Strength.LOG and not cause.bracketed and ITS_TIME not in cause.evidence


def _contradicted(
    kind: str, charged: Sequence[tuple[Spike, Cause]], spikes: Sequence[Spike], timing: Timing, record: Record
) -> bool:
    costs = [cause.seconds for _, cause in charged]
    quiet = _quiet(kind, {one.position for one, _ in charged}, QUIET * max(costs), timing, record)
    if quiet * MANY < len(charged):
        return False
    usual_s = median(costs)
    return any(
        cause.kind == UNEXPLAINED and usual_s / ALIKE <= cause.seconds <= usual_s * ALIKE
        for one in spikes
        for cause in one.causes
    )


def _quiet(kind: str, charged: Collection[int], most_s: float, timing: Timing, record: Record) -> int:
    """Rows with a line of that kind alone, and no time of it, that took as long as usual, to `most_s`."""
    slow, columns, marked = timing.slow, record.columns, record.spans.by_position
    count = 0
    for place, position in enumerate(slow.position):
        notes = marked.get(position, ())
        if position in charged or any(n.duration_s is not None or n.strength != Strength.LOG for n in notes):
            continue
        over, own_s = columns.averaged_at(position), columns.duration_s[position]
        more_s = (own_s - slow.level_s[place]) * over + slow.gap_s[place]
        count += {CAUSE_OF_SPAN.get(n.kind) for n in notes} == {kind} and own_s > 0 and more_s <= most_s
    return count


def _moved(rows: Sequence[LedgerRow], kind: str, seconds: float, count: int) -> tuple[LedgerRow, ...]:
    """The `rows` with these seconds of a kind unexplained."""
    kept = {row.cause: row for row in rows}
    told = kept.pop(kind, None)
    if told is None or told.seconds <= 0:
        return (*rows,)
    seconds = min(seconds, told.seconds)
    share, left_s = told.share * seconds / told.seconds, told.seconds - seconds
    if left_s > LEFT * told.seconds:
        left = {"count": max(told.count - count, 0), "least_s": None, "most_s": None, "usual_s": None}
        kept[kind] = replace(told, seconds=left_s, share=told.share - share, **left)
    other = kept.get(UNEXPLAINED, LedgerRow(UNEXPLAINED, 0.0, 0.0))
    kept[UNEXPLAINED] = replace(
        other,
        seconds=other.seconds + seconds,
        share=other.share + share,
        count=other.count + count,
        least_s=None,
        most_s=None,
        usual_s=None,
    )
    return tuple(kept[one] for one in CAUSES if one in kept)
