"""The home screen: `itermon` alone. A run is opened, left with esc, and the list stands as it was."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from ..screen import can_draw
from .choosing import drawn, looked_at
from .home import Home
from .hosts import hosts_of
from .logs import Logs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...events import Config
    from ..options import ScreenOptions

HEADING = "all runs"


def can_show(hosts: Sequence[str] = ()) -> bool:
    """Is there a terminal for it, and any run, or a host that may have some?"""
    return can_draw() and (bool(hosts) or bool(hosts_of(())) or Home(Logs()).has_runs())


def choose(
    open_chosen: Callable[[Sequence[str]], None],
    settings: Sequence[Config],
    screen: ScreenOptions,
    named: Sequence[str] = (),
) -> None:
    """Let the person open runs, one after the other, until they leave.

    Args:
        open_chosen: shows a run, or two beside each other; it returns when the person wants the list again.
        settings: what the person says of all runs.
        screen: how to draw.
        named: the hosts whose runs are listed too.
    """
    from ...tui.pages.runs_page import Deletion
    from ...tui.picker import pick
    from .deleting import Deleting

    home, deleting = Home(Logs(), settings), Deleting()
    deletion = Deletion(deleting.ask, deleting.do)
    while True:
        hosts = hosts_of(named)
        try:
            chosen = pick(partial(looked_at, home, hosts), HEADING, deletion=deletion, **drawn(screen))
        finally:
            home.close()
            hosts.close()
        if not chosen:
            raise click.exceptions.Exit(0)
        open_chosen(chosen)
