"""`itermon runs`: all runs, a line each, for programs and for pipes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from ..options import run_options
from ..printing import print_json, print_note, print_table, print_text
from .host_option import host_option

if TYPE_CHECKING:
    from ...events import Config
    from .home import HomeRun

_MOST_SAID = 60  # characters


@click.command(name="runs")
@click.option("--json", "as_json", is_flag=True, help="print JSON, with what each report says in few words")
@host_option
@run_options
def command(settings: list[Config], hosts: tuple[str, ...], *, as_json: bool) -> None:
    """List all runs: trainers with hooks, recordings, logs here, and logs that your processes write.

    Each line is what `itermon report` of that run says at this moment. On a terminal, `itermon` alone shows the
    same list live, to choose from.
    """
    from .home import Home
    from .hosts import hosts_of
    from .logs import Logs
    from .telling import as_data

    home, others = Home(Logs(), settings), hosts_of(hosts)
    try:
        others.runs()  # they are asked while the runs here are read
        found = home.look()
        while home.has_more:
            found = home.look()
        others.wait()
        found += others.runs()
    finally:
        home.close()
        others.close()
    for problem in others.problems():
        print_note(problem)
    if as_json:
        print_json([as_data(run) for run in found])
    elif found:
        on_hosts = any(run.place.host for run in found)
        names = ("run", *(("host",) if on_hosts else ()), "state", "done", "left", "time/iter", "loss", "what")
        print_table(names, (_row(run, on_hosts=on_hosts) for run in found))
    else:
        print_text("no run")


def _row(run: HomeRun, *, on_hosts: bool) -> tuple[str, ...]:
    from ... import words
    from ...reports.run_line import RunLine
    from .choosing import lost_work, name_of

    line = run.line or RunLine()
    return (
        name_of(run),
        *((run.place.host or os.uname().nodename,) if on_hosts else ()),
        line.state or run.place.state,
        words.count(line.iteration) if line.fraction is None else words.percent(line.fraction, 0),
        words.DASH if line.remaining_s is None else words.rough_duration(line.remaining_s),
        words.duration(line.iteration_s),
        words.loss(line.loss),
        words.clipped(" · ".join(filter(None, (lost_work(line), line.said))), _MOST_SAID),
    )
