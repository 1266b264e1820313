"""The screens of a cluster: choose a run, watch its ranks, open one of them and come back."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from ..runs import SSH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...collectors.prometheus.client import Client
    from ...collectors.prometheus.runs import Runs
    from ...events.fleet import FleetCourse, FleetReading, Member
    from ...tui.pages.runs_page import Choice
    from ..options import ScreenOptions

_COLUMNS = 160


class Asked(NamedTuple):
    """What of the server is wanted."""

    client: Client
    run: str | None
    window_s: float
    every_s: float | None


def watch(asked: Asked, screen: ScreenOptions) -> None:
    """Until the person leaves.

    Raises:
        SystemExit: a signal has ended it, or a fault.
    """
    run = asked.run
    while (run := run if run is not None else _chosen(asked.client, screen)) is not None:
        if not _ranks(asked, run, screen):
            return
        run = None


def _chosen(client: Client, screen: ScreenOptions) -> str | None:
    """The run that the person chooses; `None`: they leave."""
    from ...collectors.prometheus.runs import runs_of
    from ...tui.picker import Looked, pick
    from ..home.choosing import drawn

    def look() -> Looked:
        return Looked(choices(runs_of(client), time.time()))

    return next(iter(pick(look, f"which run? {client.access.shown}", **drawn(screen))), None)


def choices(found: Runs, now_s: float) -> Sequence[Choice]:
    """The runs as the list of runs shows them; ages are by the server's clock."""
    from ...reports.fleet import run_line
    from ...tui.pages.runs_page import Choice
    from ...words import plural

    rows = []
    for run in found.runs:
        line = run_line(run, found.at_s)
        seen_at_s = None if run.seen_at_s is None else now_s - (found.at_s - run.seen_at_s)
        rows.append(Choice(run.name, run.name, line.state, line, seen_at_s, plural(run.hosts, "host")))
    return rows


def _ranks(asked: Asked, run: str, screen: ScreenOptions) -> bool:
    """Watch one run, and the ranks that are opened. Returns whether other runs are wanted."""
    from ...collectors.prometheus.fleet import FleetReader
    from ...tui import preferences
    from ...tui.drawing import terminal
    from ...tui.drawn_app import show
    from ...tui.fleet.app import FleetApp

    reader = FleetReader(asked.client, run, window_s=asked.window_s, columns=_COLUMNS)

    def look() -> tuple[FleetReading, FleetCourse]:
        return reader.read(), reader.course.copied()

    note = ""
    while True:
        theme = terminal.theme(preferences.chosen_theme(screen.theme), ascii_only=screen.ascii_only)
        app = FleetApp(look, asked.client.access.shown, theme, every_s=asked.every_s, note=note)
        if code := show(app, mouse=screen.mouse):
            raise SystemExit(code)
        if app.chosen is None:
            return app.closed
        note = _open(app.chosen, screen)


def _open(member: Member, screen: ScreenOptions) -> str:
    """Show this rank's own screen, until the person comes back. Returns why there is none, or nothing."""
    from ..commands.attach import attach_to
    from ..exits import NoInputError
    from ..options import Machine

    try:
        attach_to(address_of(member), [], Machine(None, None, sampled=False), screen)
    except SystemExit as end:
        if end.code:
            raise
    except NoInputError as error:
        return error.message
    return ""


def address_of(member: Member) -> str:
    """What `itermon attach` takes for a rank. Raises `NoInputError`, where its labels name no place."""
    from ...collectors.runs.ssh import is_host
    from ...run_files import parse_run_id
    from ..exits import NoInputError

    if parse_run_id(member.run_id) is None or not is_host(member.host):
        raise NoInputError(
            f"rank {member.rank}: its exporter does not say on which host and as which run it trains."
        )
    return member.run_id if member.host == os.uname().nodename else f"{SSH}{member.host}/{member.run_id}"
