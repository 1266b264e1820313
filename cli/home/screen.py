"""The home screen: `itermon` alone. A run is opened, left with esc, and the list stands as it was."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from ..screen import can_draw
from .choosing import drawn, looked_at
from .home import Home
from .logs import Logs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...events import Config
    from ..options import ScreenOptions

HEADING = "all runs"


def can_show() -> bool:
    """Is there a terminal for it, and any run?"""
    return can_draw() and Home(Logs()).has_runs()


def choose(
    open_chosen: Callable[[Sequence[str]], None], settings: Sequence[Config], screen: ScreenOptions
) -> None:
    """Let the person open runs, one after the other, until they leave.

    Args:
        open_chosen: shows a run, or two beside each other; it returns when the person wants the list again.
        settings: what the person says of all runs.
        screen: how to draw.
    """
    from ...tui.pages.runs_page import Deletion
    from ...tui.picker import pick
    from .deleting import Deleting

    home, deleting = Home(Logs(), settings), Deleting()
    deletion = Deletion(deleting.ask, deleting.do)
    while True:
        try:
            chosen = pick(partial(looked_at, home), HEADING, deletion=deletion, **drawn(screen))
        finally:
            home.close()
        if not chosen:
            raise click.exceptions.Exit(0)
        open_chosen(chosen)
