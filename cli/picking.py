"""Which run is meant, where none was named: chosen on a terminal, from one list for all commands."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from .exits import NoInputError
from .home.choosing import choice_of_remote, drawn
from .printing import print_note, print_table
from .runs import SSH
from .screen import can_draw

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..collectors.runs.listing import KnownRun
    from ..tui.picker import Looked
    from .options import ScreenOptions

NONE_KNOWN = """\
No training that itermon knows runs here, and none has. Two lines make one known:

  import itermon
  itermon.watch()          # or: itermon run --hooks -- python train.py"""


def choose_run(
    heading: str, usage: str, screen: ScreenOptions | None = None, *, host: str = "", logs: bool = False
) -> str | None:
    """What a person could have typed to mean the run that they choose.

    Without a terminal, or any run to choose, there is none: then what there is is printed, and how to name it.

    Args:
        heading: what stands above the list.
        usage: how a run is named instead: `itermon report RUN`.
        screen: how to draw.
        host: list the runs of another machine, over ssh.
        logs: those in the folder where one stands too.

    Raises:
        click.exceptions.Exit: the person has left without one.
    """
    from ..collectors.runs.listing import closed_folders
    from .home.choosing import looked_at
    from .home.home import Home
    from .home.logs import Logs

    for line in closed_folders():
        print_note(line)
    home = Home(Logs(processes=False) if logs else None)
    if not (can_draw() and (host or home.has_runs())):
        print_known_runs(usage, host)
        return None
    from ..tui.picker import pick

    try:
        chosen = pick(
            partial(_looked_at_host, host) if host else partial(looked_at, home), heading, **drawn(screen)
        )
    finally:
        home.close()
    if not chosen:
        raise click.exceptions.Exit(0)
    return chosen[0]


def print_known_runs(usage: str, host: str = "") -> None:
    """What there is to choose from, where nothing can be chosen, and how one is named instead."""
    if runs := listed(host):
        print_runs(runs)
        print_note(f"to choose one: {usage}")


def listed(host: str) -> list[KnownRun]:
    """The runs of `host`; of this machine without one. Raises `NoInputError`."""
    from ..collectors.runs.listing import known_runs
    from ..collectors.runs.ssh import runs_of

    if not host:
        return known_runs()
    try:
        return runs_of(host)
    except OSError as error:
        raise NoInputError(str(error)) from None


def _looked_at_host(host: str) -> Looked:
    """The runs of another machine. Raises `OSError`."""
    from ..collectors.runs.ssh import runs_of
    from ..tui.picker import Looked

    return Looked([choice_of_remote(run, host, f"{SSH}{host}/{run.run_id}") for run in runs_of(host)])


def print_runs(runs: Sequence[KnownRun]) -> None:
    """A row for each run."""
    from ..collectors.runs.listing import age_s
    from ..words import DASH, count, duration, rough_duration

    rows = []
    for number, run in enumerate(runs, 1):
        age = age_s(run)
        rows.append((
            str(number),
            run.name,
            str(run.pid),
            "running" if run.alive else run.ended,
            count(run.iteration),
            duration(run.iteration_s),
            DASH if age is None else f"{rough_duration(age)} ago",
        ))  # fmt: skip
    print_table(("", "run", "pid", "state", "iteration", "time/iter", "last update"), rows)
