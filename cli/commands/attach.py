"""`itermon attach`: a living trainer, from as many panes as one likes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from ..options import machine_options, run_options, screen_options
from ..printing import print_json, print_note, print_table, print_text

if TYPE_CHECKING:
    from ...collectors.runs.listing import KnownRun
    from ...events import Config
    from ..options import Machine, ScreenOptions


@click.command(name="attach")
@click.argument("run", required=False)
@click.option("--json", "as_json", is_flag=True, help="list the runs as JSON, and attach to none")
@screen_options
@machine_options
@run_options
def command(
    run: str | None,
    settings: list[Config],
    machine: Machine,
    *,
    as_json: bool,
    screen: ScreenOptions,
) -> None:
    """Attach to a trainer that has itermon's hooks: its whole history, then live.

    RUN is the run's name (with all its ranks that serve), the trainer's PID, the path of a socket or a recording,
    or ssh://HOST/RUN for another machine. Without RUN, the running trainers and recent runs are listed, and one
    can be chosen. Attaching and leaving never disturb the trainer.
    """
    from ...collectors.settings import ConfiguredSource
    from ..runs import living_pid, open_run, source_of
    from ..screen import show

    if run is None:
        chosen = _choose(as_json=as_json)
        if chosen is None:
            return
        opened, pid = source_of(chosen), chosen.pid if chosen.alive else None
    else:
        opened, pid = open_run(run), living_pid(run)
    source = ConfiguredSource(opened, settings)
    # Another machine's samples come with its stream, and what a GPU does after its trainer ended is not its doing.
    show(source, screen, samplers=machine.sources(pid=pid, checkpoints=source.checkpoints) if pid else ())


def _choose(*, as_json: bool) -> KnownRun | None:
    """List the runs, and let a person at a terminal choose one."""
    from ...collectors.runs.listing import closed_folders, known_runs

    runs = known_runs()
    for line in closed_folders():
        print_note(line)
    if as_json:
        print_json(runs)
        return None
    if not runs:
        print_text("No training that itermon knows runs here, and none has. Two lines make one known:\n")
        print_text("  import itermon\n  itermon.watch()          # or: itermon run --hooks -- python train.py")
        return None
    _print_runs(runs)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    number = click.prompt("Attach to", type=click.IntRange(1, len(runs)), default=1)
    return runs[number - 1]


def _print_runs(runs: list[KnownRun]) -> None:
    """A numbered row for each run."""
    from ...collectors.runs.listing import age_s
    from ...words import DASH, count, duration, rough_duration

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
    print_table(("", "run", "pid", "state", "iteration", "time/iter", "last heard"), rows)
