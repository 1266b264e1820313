"""A message: what a person wants to know who does not look, in words that every channel can carry."""

from __future__ import annotations

from typing import Any

import msgspec

from ..collectors.clean import clean
from ..events import Severity, Word, as_json
from ..words import count, loss, money, rounded_duration

_MOST_TITLE = 120
_MOST_LINE = 300
_MOST_LINES = 12
"""Of a message: what a phone shows without a touch is less."""


class Phase(Word):
    """What the message says of its incident."""

    BEGAN = "began"
    STILL = "still"  # a reminder
    ENDED = "ended"
    WAS = "was"  # it began and ended while nobody could say it
    TEST = "test"


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One message. `id` is the same for the same incident and phase, so that a receiver can tell a repeated one.

    kind: of the incident: "failed", "silent", ...
    state, evidence, action: plain sentences.
    loss, elapsed_s, remaining_s, cost: of the run, at `at_s` (Unix time).
    """

    id: str
    run: str
    phase: Phase
    kind: str
    severity: Severity = Severity.INFO
    state: str = ""
    evidence: tuple[str, ...] = ()
    action: str = ""
    host: str = ""
    iteration: int | None = None
    iterations: int | None = None
    loss: float | None = None
    elapsed_s: float | None = None
    remaining_s: float | None = None
    cost: float | None = None
    at_s: float | None = None


_BEFORE = {Phase.STILL: "still: ", Phase.ENDED: "over: ", Phase.WAS: "was, and is over: "}


def title(message: Message) -> str:
    """One clean line: the run, and what it is. It begins with a letter: see `sequences.osc9`."""
    said = _BEFORE.get(message.phase, "") + (message.state or message.kind)
    return clean(f"itermon · {message.run or 'run'}: {said}", _MOST_TITLE)


def lines(message: Message) -> list[str]:
    """What stands below the title, each line clean: where it is, the evidence, what to do."""
    said = [_where(message), *message.evidence]
    if message.action and message.phase in (Phase.BEGAN, Phase.STILL, Phase.TEST):
        said.append(f"next: {message.action}")
    return [clean(line, _MOST_LINE) for line in said if line][:_MOST_LINES]


def text(message: Message) -> str:
    """All of it."""
    return "\n".join([title(message), *lines(message)])


def as_data(message: Message) -> dict[str, Any]:
    """For programs: its fields, with the title and the text that a person would read. Every text is clean."""
    data: dict[str, Any] = _cleaned(msgspec.json.decode(as_json(message)))
    return {**data, "title": title(message), "text": text(message)}


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value, _MOST_LINE)
    if isinstance(value, list):
        return [_cleaned(one) for one in value[:_MOST_LINES]]
    return {key: _cleaned(one) for key, one in value.items()} if isinstance(value, dict) else value


def _where(message: Message) -> str:
    """Iteration, loss, time and cost, as far as they are known."""
    parts = []
    if message.iteration is not None:
        of = "" if message.iterations is None else f" of {count(message.iterations)}"
        parts.append(f"iteration {count(message.iteration)}{of}")
    if message.loss is not None:
        parts.append(f"loss {loss(message.loss)}")
    if message.elapsed_s is not None:
        parts.append(f"{rounded_duration(message.elapsed_s)} so far")
    if message.remaining_s is not None:
        parts.append(f"{rounded_duration(message.remaining_s)} to go")
    if message.cost is not None:
        parts.append(money(message.cost))
    if message.host:
        parts.append(f"on {message.host}")
    return " · ".join(parts)
