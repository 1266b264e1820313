"""The runs as the list on the screen shows them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec

from ... import words
from ...reports.run_line import RUNNING

if TYPE_CHECKING:
    from ...collectors.runs.listing import KnownRun
    from ...reports.run_line import RunLine
    from ...tui.pages.runs_page import Choice
    from ...tui.picker import Looked
    from ..options import ScreenOptions
    from .home import Home, HomeRun
    from .hosts import Hosts


def looked_at(home: Home, hosts: Hosts | None = None) -> Looked:
    """One look at all of them, and at what the `hosts` have told."""
    from ...tui.picker import USUAL_SHARE, Looked

    runs = home.look()
    if hosts and (others := hosts.runs()):
        runs = sorted([*runs, *others], key=lambda run: (not run.place.alive, -(run.place.seen_at_s or 0.0)))
    return Looked([_choice(run) for run in runs], home.share or USUAL_SHARE, note=hosts.problem if hosts else "")


def _choice(run: HomeRun) -> Choice:
    from ...tui.pages.runs_page import Choice

    place, line = run
    state = line.state if line else place.state or (RUNNING if place.alive else "")
    path = str(place.files[0])
    if not place.host:
        path = from_home(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
    if line and (lost := lost_work(line)):
        line = msgspec.structs.replace(line, said=" · ".join(filter(None, (lost, line.said))))
    name = f"{place.host}: {name_of(run)}" if place.host else name_of(run)
    return Choice(place.key, name, state, line, place.seen_at_s, place.host or os.uname().nodename, path)


def name_of(run: HomeRun) -> str:
    """As a list shows it."""
    attempts = run.line.attempts if run.line else len(run.place.before) + 1
    return f"{run.place.name} ({attempts} attempts)" if attempts > 1 else run.place.name


def lost_work(line: RunLine) -> str:
    """What the attempts before the newest lost, in few words; "" where that is not known."""
    if line.lost_iterations is None:
        return ""
    lasted = f", {words.rough_duration(line.lost_s)}" if line.lost_s else ""
    return f"lost by restarts: {words.plural(line.lost_iterations, 'iteration')}{lasted}"


def choice_of_remote(run: KnownRun, host: str, key: str) -> Choice:
    """A run of another machine, by what that machine lists."""
    from ...reports.run_line import RunLine
    from ...tui.pages.runs_page import Choice

    state = RUNNING if run.alive else str(run.ended)
    line = RunLine(state, iteration=run.iteration, iteration_s=run.iteration_s)
    return Choice(key, run.name, state, line, run.seen_at_s, host, run.recording or run.log or run.socket or "")


def from_home(path: str) -> str:
    """The path as a person writes it: `~/runs/train.jsonl`."""
    home = os.environ.get("HOME", "")
    return "~" + path.removeprefix(home) if home and path.startswith(home + "/") else path


def drawn(screen: ScreenOptions | None) -> dict[str, Any]:
    """How a list is to be drawn."""
    return {"ascii_only": screen.ascii_only, "mouse": screen.mouse, "scheme": screen.theme} if screen else {}
