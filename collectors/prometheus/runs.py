"""The runs of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...events.fleet import FleetRun
from .questions import PART, RUNS

if TYPE_CHECKING:
    from .client import Client

_MOST_RUNS = 1_000
_WHOLE = ("ranks", "hosts", "twice", "moves")


class Runs(NamedTuple):
    """The runs, when that was by the server's clock, and what it warns of."""

    runs: list[FleetRun]
    at_s: float
    notes: tuple[str, ...] = ()


def runs_of(client: Client, at_s: float | None = None) -> Runs:
    """The runs that the server knows at this moment, those that moved last first.

    Raises `AskingError`.
    """
    answer = client.query(RUNS, at_s)
    now_s = 0.0
    found: dict[str, dict[str, Any]] = {}
    for labels, points in answer.series:
        value, part = points[-1][1], labels.get(PART, "")
        if part == "now_s":
            now_s = value
            continue
        run = found.setdefault(labels.get("run", ""), {})
        if part == "framework":
            run["framework"] = labels.get("framework", "")
            run["world_size"] = whole(labels.get("world_size", ""))
        elif part in FleetRun.__struct_fields__:
            run[part] = round(value) if part in _WHOLE else value
    runs = [FleetRun(name, **said) for name, said in list(found.items())[:_MOST_RUNS]]
    runs.sort(key=lambda run: (not run.moves, -(run.seen_at_s or 0.0), run.name))
    return Runs(runs, now_s, answer.notes)


def whole(text: str) -> int | None:
    """A label that is a whole number above 0."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 and int(text) else None
