"""Troubles planted in runs: stalls, losses that are no numbers, that diverge, and spikes that recover.

Asked of each: it is told in time, once, and a run without any says nothing of its evaluations, checkpoints,
compilation and first batches. Here the runs are simulated; `bench/incidents.py` does the same to real logs.
"""

from __future__ import annotations

from bisect import bisect_left
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from itermon.analysis.outlook.now import LEAST_SILENCE_S, SILENT
from itermon.analysis.run import Run
from itermon.collectors.runs.player import Player
from itermon.events import CHECKPOINT, EVALUATION, ClockKind, Iteration, RunInfo, SpanBegin, SpanEnd

from .judged import counted
from .tally import Tally, rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from itermon.analysis.findings import Incident
    from itermon.collectors.source import Source
    from itermon.events import Event

    Timed = Sequence[tuple[float, Event]]

ENDS = ("finished", "stopped", "interrupted", "failed")
STEP = 32  # losses between two looks at a loss that diverges


class Told(NamedTuple):
    """A message that somebody would get: the incident, and when."""

    at_s: float
    incident: Incident


class Outcome(NamedTuple):
    """What was told of a planted trouble; `after` in seconds, or in printed losses."""

    in_time: bool
    after: float | None
    messages: int


def timed(source: Source) -> Timed:
    """The events of a run that is over, each with the time at which it happened."""
    player = Player(source, start_s=1_700_000_000.0)
    events: list[tuple[float, Event]] = []
    summed = False
    while player.next_s() is not None:
        begun_s = player.at_s
        for event in player.iteration():
            summed = summed or (isinstance(event, RunInfo) and event.clock == ClockKind.SUM)
            if not _opens(event):
                begun_s = player.at_s
            events.append((begun_s, _as_heard(event, begun_s, summed=summed)))
    return events


def _opens(event: Event) -> bool:
    """Does it stand before what took the time until the next line?"""
    return getattr(event, "at_s", None) is None and (
        isinstance(event, SpanBegin) or (isinstance(event, SpanEnd) and event.void)
    )


def _as_heard(event: Event, at_s: float, *, summed: bool) -> Event:
    """As who watches hears it: a line without a time of its own has that of its arrival.

    So has one with a stamp in a log that has no other: the sum of the iterations' times is another clock than that.
    """
    spans = SpanBegin | SpanEnd
    if isinstance(event, Iteration | spans) and (event.at_s is None or (summed and isinstance(event, spans))):
        return replace(event, at_s=at_s)
    if isinstance(event, RunInfo) and event.clock in (None, "", ClockKind.SUM):
        return replace(event, clock=ClockKind.ARRIVAL)
    return event


def play(events: Timed, *, every_s: float) -> list[Told]:
    """What is told while `events` happen to somebody who looks each `every_s`, and at the end of each silence."""
    run, told, known = Run(), [], set()

    def look(now_s: float) -> None:
        for one in run.findings(now_s).incidents:
            if one.key not in known:
                known.add(one.key)
                told.append(Told(now_s, one))

    before_s = events[0][0]
    next_s, waiting = before_s + every_s, []
    for at_s, event in events:
        silent = at_s - before_s > LEAST_SILENCE_S
        if at_s >= next_s or silent:
            run.apply(waiting)
            waiting = []
            look(at_s - 1e-3 if silent else before_s)
            next_s = at_s + every_s
        waiting.append(event)
        before_s = at_s
    run.apply(waiting)
    look(before_s)
    return told


def places_of(events: Timed) -> list[int]:
    """Where its iterations are."""
    return [place for place, (_, event) in enumerate(events) if isinstance(event, Iteration)]


def stall(events: Timed, place: int) -> Outcome:
    """Nothing comes any more after `place`: told within three times what is usual there, and thirty seconds?"""
    run = Run()
    run.apply([event for _, event in events[: place + 1]])
    stood_s = events[place][0]
    known = {one.key for one in run.findings(stood_s).incidents}
    bound_s = max(SILENT * (run.findings(stood_s).now.usual_s or 0.0), LEAST_SILENCE_S)
    told: set[str] = set()
    after_s = None
    for wait_s in (0.9 * LEAST_SILENCE_S, bound_s + 1, 2 * bound_s, 5 * bound_s, 1_000.0, 20 * bound_s):
        found = {one.key for one in run.findings(stood_s + wait_s).incidents if one.kind in ("silent", "hang")}
        if found - known and after_s is None:
            after_s = wait_s
        told |= found - known
    return Outcome(after_s is not None and after_s <= bound_s + 1, after_s, len(told))


def with_losses(events: Timed, place: int, change: Callable[[int, float], float | None]) -> list[Event]:
    """The events, with the losses from `place` on as `change` makes them, by how many came since."""
    made, since = [], 0
    for at, (_, event) in enumerate(events):
        if at < place or not isinstance(event, Iteration) or event.loss is None:
            made.append(event)
            continue
        loss = change(since, event.loss)
        made.append(replace(event, loss=loss, bad_loss="" if loss is not None else "nan"))
        since += 1
    return made


def broken_loss(events: Sequence[Event], place: int, kind: str, *, step: int, within: int) -> Outcome:
    """After how many losses is it told that the loss is broken, looked at after each `step` of them?"""
    run = Run()
    run.apply(events[:place])
    before = {one.key for one in run.findings(None).incidents}
    told: set[str] = set()
    after, losses, waiting = None, 0, []
    for event in events[place:]:
        waiting.append(event)
        if not isinstance(event, Iteration) or (event.loss is None and not event.bad_loss):
            continue
        losses += 1
        if losses % step == 0:
            run.apply(waiting)
            waiting = []
            told |= {one.key for one in run.findings(None).incidents if one.kind == kind} - before
            after = losses if told and after is None else after
    run.apply(waiting)
    told |= {one.key for one in run.findings(None).incidents if one.kind == kind} - before
    after = losses if told and after is None else after
    return Outcome(after is not None and after <= within, after, len(told))


def jump(rng: Random) -> Callable[[int, float], float]:
    """Diverges: at once to a multiple, or in ever larger steps."""
    if rng.random() < 0.5:
        times = rng.uniform(1.5, 4.0)
        return lambda _, loss: loss * times
    doubled_in = rng.uniform(20, 80)
    return lambda since, loss: loss * min(1e3, 2 ** (since / doubled_in))


def spike(rng: Random) -> Callable[[int, float], float]:
    """Recovers within some hundred losses."""
    height, half_in = rng.uniform(0.5, 4.0), rng.uniform(1, 40)
    return lambda since, loss: loss * (1 + height * 0.5 ** (since / half_in))


def simulated(rng: Random) -> Timed:
    """A log or a run with hooks: a compilation, evaluations and checkpoints at their intervals, announced or not."""
    base_s, every, save_every = rng.choice((0.2, 1.0, 4.0)), rng.choice((50, 100)), rng.choice((100, 200))
    cost_s, announced = rng.uniform(10, 60) * base_s, rng.random() < 0.5
    clock = ClockKind.HOOK if announced else ClockKind.LOG
    at_s, events = 1_700_000_000.0, [(1_700_000_000.0, RunInfo(source_format="simulated", clock=clock))]
    for index in range(rng.randrange(600, 900)):
        stops = [k for k, n in ((EVALUATION, every), (CHECKPOINT, save_every)) if index and index % n == 0]
        for kind in stops:
            if announced:
                events.append((at_s, SpanBegin(kind, at_s=at_s, iteration=index)))
            at_s += cost_s
            if announced:
                events.append((at_s, SpanEnd(kind, at_s=at_s, iteration=index, duration_s=cost_s)))
        duration_s = base_s * max(0.5, rng.gauss(1, 0.02)) + (40 * base_s if index == 0 else 0.0)
        at_s += duration_s
        loss = 2 + 6 / (1 + index / 30) + rng.gauss(0, 0.05)
        events.append((at_s, Iteration(index, duration_s, loss, at_s=at_s)))
    return events


def run(seconds: float | None, seed: int, *, most: int | None = None) -> Tally:
    """Each round one run as it is, then one trouble planted in it."""
    tally = Tally("planted")
    for number in rounds(seconds, most):
        rng = Random(f"{seed} {number}")
        with counted(tally, f"run {number}"):
            _one(tally, rng, number)
    return tally


def _one(tally: Tally, rng: Random, number: int) -> None:
    tally.operations += 1
    events = simulated(rng)
    for one in play(events, every_s=100.0):
        if one.incident.kind not in ENDS:
            tally.doubled += 1
            tally.note(f"run {number}: {one.incident.kind} without a trouble: {one.incident.state}")
    places = places_of(events)
    place = places[rng.randrange(len(places) // 2, len(places) * 3 // 4)]
    what = ("stall", "nan", "jump", "spike")[number % 4]
    if what == "stall":
        away = bisect_left(places, place)
        place = places[away - away % 100 + 37]  # where no stop is due
        outcome = stall(events, place)
    elif what == "nan":
        outcome = broken_loss(
            with_losses(events, place, lambda *_: None), place, "loss-not-finite", step=1, within=2
        )
    else:
        changed = with_losses(events, place, (jump if what == "jump" else spike)(rng))
        outcome = broken_loss(changed, place, "loss-grown", step=STEP, within=512)
    right = outcome.messages == 0 if what == "spike" else outcome.in_time and outcome.messages == 1
    if not right:
        tally.lost += 1
        tally.note(f"run {number}: {what}: {outcome}")
