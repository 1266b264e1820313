"""What the trainer does right now, against what is usual, and what comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...events import CHECKPOINT, EVALUATION, EVALUATION_AND_CHECKPOINT, Strength
from ..findings import Activity, Now

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...events import Progress as MicroStep
    from ...events import SpanBegin
    from ..causes.periods import Period
    from ..findings import Schedule
    from ..record.spans import Spans
    from .gaps import Usual

SILENT = 3.0
"""A run is silent after this many times what is usual by now, the stops that are due counted in."""

LEAST_SILENCE_S = 30.0
"""... and no earlier than this: a log is read late, and buffers are written when they are full."""


LONG_SILENCE_S = 3_600.0
"""... or after this long where the usual time is not known: some logs have one line an epoch."""

QUIET_S = 60.0
"""After so long nobody says that it trains, where neither hooks nor a usual time say so."""

IRREGULAR = 1.5
"""Where rows come irregularly: so many times what the newest steps take is the median gap, which is usual then."""

LATE = 1.1
"""An iteration that takes this many times the usual is in the stop that is due."""


def next_stop(plan: Sequence[Schedule], last: int | None) -> tuple[str | None, int | None]:
    """What comes next, and at which iteration: kinds that fall on one iteration are named together."""
    upcoming = [(s.next_iteration, s.kind) for s in plan if s.next_iteration is not None]
    if last is not None:
        upcoming.append((last, "end"))
    if not upcoming:
        return None, None
    first = min(upcoming)[0]
    kinds = {kind for at, kind in upcoming if at == first}
    if {EVALUATION, CHECKPOINT} <= kinds:
        return EVALUATION_AND_CHECKPOINT, first
    return min(kinds - {"end"} or kinds), first


class LastSeen(NamedTuple):
    """The newest that the source reported."""

    iteration: int | None
    printed_every: int  # iterations from line to line
    at_s: float | None  # Unix time of the newest event
    heard_s: float | None  # ... or of a line since then that says no more
    spans: Spans
    micro_step: MicroStep | None
    ended: str  # the reason, if the source reported the end; else ""


class Expected(NamedTuple):
    """What is usual for this run, and what is still to come."""

    clean_s: float | None
    plan: Sequence[Schedule]
    last_iteration: int | None
    periods: Sequence[Period] = ()  # of stops of which nobody knows what they are
    stop_s: float = 0.0  # what such a stop takes
    gaps: Usual | None = None  # between rows, as they were; None: too few of them


def current_activity(seen: LastSeen, expected: Expected, now_s: float | None) -> Now:
    """What the trainer does at `now_s`. Hooks report it; without them it is concluded from silence."""
    if seen.ended:
        return Now(activity=Activity.ENDED, iteration=seen.iteration, estimated=False)
    if seen.iteration is None and seen.at_s is None:
        return Now()
    timed = _timed_by_hooks(seen.spans)
    begun_s = timed.at_s if timed is not None else seen.at_s
    elapsed_s = _since(begun_s, now_s)
    upcoming = None if seen.iteration is None else seen.iteration + seen.printed_every
    last = expected.last_iteration
    shown = upcoming if seen.printed_every == 1 and not (last and upcoming and upcoming > last) else None
    activity, usual_s = _activity(seen, expected, upcoming, elapsed_s)
    silent_s = _since(seen.heard_s, now_s) if timed is None and seen.heard_s is not None else elapsed_s
    after_it_s = _after_it_s(seen, expected)
    silent = _is_silent(silent_s, usual_s, after_it_s, expected.gaps)
    kind, at = next_stop(expected.plan, expected.last_iteration)
    next_in_s, note = _next_in(seen, expected, at, None if timed is not None else elapsed_s)
    if silent:
        activity, elapsed_s, next_in_s, note = Activity.SILENT, silent_s, None, "when it goes on"
        usual_s = None if usual_s is None else usual_s + after_it_s  # until something new comes
    elif activity == Activity.TRAINING and usual_s is None and timed is None and (elapsed_s or 0.0) > QUIET_S:
        activity = Activity.QUIET
    return Now(
        activity=activity,
        iteration=shown,
        elapsed_s=elapsed_s,
        usual_s=usual_s,
        iterations=seen.printed_every if activity == Activity.TRAINING and timed is None else 1,
        micro_step=seen.micro_step.micro_step if seen.micro_step else None,
        micro_steps=seen.micro_step.micro_steps if seen.micro_step else None,
        estimated=timed is None and seen.micro_step is None,
        next_kind=kind,
        next_iteration=at,
        next_in_s=next_in_s,
        next_note=note if kind else "",
    )


def _since(at_s: float | None, now_s: float | None) -> float | None:
    return None if now_s is None or at_s is None else max(0.0, now_s - at_s)


def _timed_by_hooks(spans: Spans) -> SpanBegin | None:
    """The innermost open span that hooks reported."""
    return next((begin for begin in reversed(spans.open) if begin.strength == Strength.HOOK), None)


def _next_in(
    seen: LastSeen, expected: Expected, at: int | None, silent_s: float | None
) -> tuple[float | None, str]:
    """Seconds to iteration `at`, and why they are not known though the level is.

    `silent_s` have passed since the newest iteration, and count; `None` in a span, whose end is not known.
    """
    if at is None or seen.iteration is None or expected.clean_s is None:
        return None, ""
    left_s = max(0, at - seen.iteration) * expected.clean_s - (silent_s or 0.0)
    return (None, "due") if left_s < 0 else (left_s, "")


def _is_silent(
    elapsed_s: float | None, usual_s: float | None, after_it_s: float = 0.0, gaps: Usual | None = None
) -> bool:
    if elapsed_s is None:
        return False
    if usual_s is None:
        return elapsed_s > LONG_SILENCE_S
    return elapsed_s > max(SILENT * (usual_s + after_it_s), LEAST_SILENCE_S, gaps.long_s if gaps else 0.0)


def _after_it_s(seen: LastSeen, expected: Expected) -> float:
    """What passes behind an open span until something is heard: a log tells of its end with the next iteration."""
    if not seen.spans.open or seen.spans.open[-1].strength == Strength.HOOK:
        return 0.0
    return (expected.clean_s or 0.0) * seen.printed_every


def _activity(
    seen: LastSeen, expected: Expected, upcoming: int | None, elapsed_s: float | None
) -> tuple[str, float | None]:
    """What it does, and its usual seconds: an open span, a line that announced one, or the schedule."""
    if seen.spans.open:
        kind = seen.spans.open[-1].kind
        return kind, _usual_span_s(kind, expected.plan)
    if expected.clean_s is None:
        return Activity.TRAINING, None
    usual_s = expected.clean_s * seen.printed_every
    if expected.gaps and expected.gaps.median_s > IRREGULAR * usual_s:
        usual_s = expected.gaps.median_s
    usual_s += _unnamed_s(seen, expected, upcoming)
    if seen.spans.last is not None:  # a line reported an evaluation whose iteration is not printed yet
        return Activity.TRAINING, usual_s
    due = [(s.kind, s.mean_s) for s in expected.plan if s.mean_s and _is_due(s, upcoming)]
    if not due:
        return Activity.TRAINING, usual_s
    late = elapsed_s is not None and elapsed_s > usual_s * LATE
    return due[0][0] if late else Activity.TRAINING, usual_s + sum(cost_s for _, cost_s in due)


def _unnamed_s(seen: LastSeen, expected: Expected, upcoming: int | None) -> float:
    """What a stop takes that returns about now, whatever it is."""
    if seen.iteration is None or upcoming is None:
        return 0.0
    is_due = any(p.is_between(seen.iteration, upcoming) for p in expected.periods)
    return expected.stop_s if is_due else 0.0


def _is_due(schedule: Schedule, upcoming: int | None) -> bool:
    at = schedule.next_iteration
    return at is not None and upcoming is not None and at <= upcoming


def _usual_span_s(kind: str, plan: Sequence[Schedule]) -> float | None:
    costs = {s.kind: s.mean_s for s in plan}
    usual_s = costs.get(kind)
    if usual_s is None and kind in {EVALUATION, CHECKPOINT}:
        return costs.get(EVALUATION_AND_CHECKPOINT)
    return usual_s
