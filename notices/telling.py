"""From the findings of a run to the messages that are due: one when an incident begins, one when it is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ..analysis.incidents.kinds import KINDS
from ..events import TRAINING, Severity
from ..words import loss, percent, plural
from .message import Message, Phase
from .told import Entry, Told

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ..analysis.findings import Findings, Incident

REMIND_S = 6 * 3_600.0
"""Of what is bad and stays so, somebody is told again: after so long, then after twice as long, and so on."""

OLD_S = 7 * 86_400.0
"""What was over so long ago is history, even if a guard should have told of it."""

_RUNS_AGAIN = "it had ended, and runs again"
_GOES_ON = "it had ended, and its training goes on as"
_LEAST_SHARE = 0.02  # of the wall time, to be worth a line of the summary
_MOST_ROWS = 3
_UNKNOWN = ("", "unknown", "healthy")


class About(NamedTuple):
    """The run that a message is of: the key that it is remembered by, and what a person calls it."""

    key: str
    name: str
    host: str = ""


def messages(
    about: About, found: Findings, told: Told, now_s: float, asleep: Collection[str] = ()
) -> list[Message]:
    """What is to be said now; `told` remembers it from here on.

    What was over before somebody asked is history. What began and ended while nobody could say it (quiet hours, a
    guard that was killed) is one message. Once the run is over, nothing else of it counts. Incidents with a key in
    `asleep` are none: the machine was not awake.
    """
    by_key = {one.key: one for one in found.incidents}
    for key in by_key.keys() - told.incidents.keys():
        _recognise(key, told, by_key)
    is_over = any(_ends(one) and not one.over for one in by_key.values())
    due = [
        _message(about, found, one, phase, now_s=now_s)
        for one in by_key.values()
        if (phase := _first(one, told, now_s, no_news=_is_beside(one, is_over=is_over) or one.key in asleep))
    ]
    for key, entry in told.incidents.items():
        if (phase := _later(by_key.get(key), entry, now_s, is_over=is_over)) is not None:
            one = by_key.get(key) or _gone(key, entry)
            due.append(_message(about, found, one, phase, now_s=now_s, number=entry.reminders))
    return due


def went_on(earlier: About, later: About, found: Findings, told: Told, now_s: float) -> list[Message]:
    """The end of `earlier` is over: its training goes on as `later`, the next attempt, which is `found`."""
    due = []
    for key, entry in told.incidents.items():
        if entry.over or not _ends(entry):
            continue
        entry.over = True
        if not entry.is_history:
            said = _message(earlier, found, _gone(key, entry), Phase.ENDED, now_s=now_s)
            due.append(replace(said, run=earlier.name, state=f"{_GOES_ON} {later.name}"))
    return due


def _recognise(key: str, told: Told, by_key: Collection[str]) -> None:
    """An incident that is told may be counted to another process now: a rotated log is read from its middle."""
    if (place := _place(key)) is not None:
        before = next((one for one in told.incidents if one not in by_key and _place(one) == place), None)
        if before is not None:
            told.incidents[key] = told.incidents.pop(before)


def _place(key: str) -> tuple[str, str] | None:
    """Of `kind:process:iteration` the kind and the iteration; `None` where there is no iteration."""
    kind, *others = key.split(":")
    return (kind, others[1]) if len(others) > 1 else None


def _is_beside(one: Incident, *, is_over: bool) -> bool:
    return is_over and not _ends(one)


def _first(one: Incident, told: Told, now_s: float, *, no_news: bool) -> Phase | None:
    """What is said of an incident that nobody was told of yet."""
    entry = told.incidents.get(one.key)
    becomes_the_end = entry is not None and _ends(one) and not KINDS[entry.kind].ends_the_run
    if entry is not None and not becomes_the_end:
        return None
    when_s = one.ended_at_s if one.over else one.began_at_s if _ends(one) else None
    history = when_s is not None and when_s < max(told.since_s, now_s - OLD_S)
    told.put(one.key, Entry(one.kind, now_s, is_history=history or no_news, over=one.over or no_news))
    if history or no_news:
        return None
    return Phase.WAS if one.over else Phase.BEGAN


def _later(one: Incident | None, entry: Entry, now_s: float, *, is_over: bool) -> Phase | None:
    """What is said of an incident that somebody was told of. One that is no more among them is over."""
    if entry.over:
        return None
    if one is None or one.over:
        entry.over = True
        return None if entry.is_history or is_over else Phase.ENDED
    due_s = entry.at_s + REMIND_S * (2 ** (entry.reminders + 1) - 1)
    if one.severity == Severity.ERROR and not _ends(one) and not is_over and now_s >= due_s:
        entry.reminders += 1
        return Phase.STILL
    return None


def _ends(one: Incident | Entry) -> bool:
    kind = KINDS.get(one.kind)
    return kind is not None and kind.ends_the_run


def _gone(key: str, entry: Entry) -> Incident:
    from ..analysis.findings import Incident  # noqa: PLC0415 - rarely needed

    kind = KINDS.get(entry.kind)
    return Incident(entry.kind, key, Severity.INFO, over=True, state=kind.title if kind else entry.kind)


def _message(
    about: About, found: Findings, one: Incident, phase: Phase, *, now_s: float, number: int = 0
) -> Message:
    progress, over = found.progress, bool(found.ended)
    evidence = (*one.evidence, *_summary(found)) if _ends(one) else one.evidence
    return Message(
        id=f"{about.key}/{one.key}/{phase}" + (f"-{number}" if phase == Phase.STILL else ""),
        run=found.name or about.name,
        phase=phase,
        kind=one.kind,
        severity=Severity.INFO if phase == Phase.ENDED else one.severity,
        state=_RUNS_AGAIN if phase == Phase.ENDED and _ends(one) else one.state or one.kind,
        evidence=evidence if phase != Phase.ENDED else (),
        action=one.action,
        host=found.host or about.host,
        iteration=progress.iteration,
        iterations=progress.max_iterations,
        loss=found.losses.train_smooth if found.losses.train_smooth is not None else found.losses.train,
        elapsed_s=progress.wall_s,
        remaining_s=None if over else found.eta.remaining_s,
        cost=found.eta.cost_so_far,
        at_s=now_s,
    )


def _summary(found: Findings) -> Iterator[str]:
    """How it went, at its end: the evaluations, what took the time, what the verdict is."""
    losses = found.losses
    if losses.validation is not None:
        best = "" if losses.best_validation is None else f", the best {loss(losses.best_validation)}"
        place = None if losses.best_validation_again or not best else losses.best_validation_at
        at = "" if place is None else f" at {place:,}"
        earlier = (
            ", before its newest restart" if best and losses.best_is_earlier and found.progress.restarts else ""
        )
        yield f"validation loss {loss(losses.validation)}{best}{at}{earlier}"
    rows = sorted(found.ledger, key=lambda row: row.share, reverse=True)
    parts = [
        f"{row.cause} {percent(row.share)}" for row in rows if row.share >= _LEAST_SHARE and row.cause != TRAINING
    ]
    if parts:
        yield f"of the time: {', '.join(parts[:_MOST_ROWS])}"
    if found.progress.restarts:
        yield plural(found.progress.restarts, "restart")
    if found.verdict.headline and found.verdict.kind not in (*_UNKNOWN, *KINDS):
        yield found.verdict.headline
