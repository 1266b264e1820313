"""`itermon attach`: a living trainer, from as many panes as one likes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from ..notices.channels import notify_options
from ..options import machine_options, run_options, screen_options
from ..printing import print_json, print_text
from .completion import runs_and_files

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...analysis.run import Run
    from ...events import Config
    from ..options import Machine, ScreenOptions


@click.command(name="attach")
@click.argument("run", nargs=-1, shell_complete=runs_and_files)
@click.option(
    "--node", "nodes", multiple=True, metavar="HOST", help="a machine on which RUN has ranks; repeated for each"
)
@click.option("--json", "as_json", is_flag=True, help="list the runs as JSON, and attach to none")
@screen_options
@notify_options
@machine_options
@run_options
def command(
    run: tuple[str, ...],
    nodes: tuple[str, ...],
    settings: list[Config],
    machine: Machine,
    *,
    as_json: bool,
    screen: ScreenOptions,
) -> None:
    """Attach to a trainer that has itermon's hooks: its whole history, then live.

    RUN is the run's name (with all its ranks that serve), the trainer's PID, the path of a socket or a recording,
    or ssh://HOST/RUN for another machine. Without RUN, and with ssh://HOST, the runs there are listed, and one can
    be chosen. Several RUNs, ssh://A/RUN ssh://B/RUN, are the ranks of one training, joined by their iterations.
    Attaching and leaving never disturb the trainer.
    """
    runs = _on_nodes(run, nodes)
    if len(runs) > 1:
        _attach_to_all(runs, settings, machine, screen)
    else:
        _attach_to_one(next(iter(runs), None), settings, machine, screen, as_json=as_json)


def _on_nodes(runs: Sequence[str], nodes: Sequence[str]) -> list[str]:
    """What was named, on each of the nodes. Raises `click.UsageError`."""
    from ..runs import SSH

    if nodes and len(runs) != 1:
        raise click.UsageError("--node goes with one RUN: itermon attach RUN --node a --node b")
    named = [f"{SSH}{node}/{runs[0]}" for node in nodes] if nodes else list(runs)
    if len(set(named)) < len(named) or len(named) > MOST_MACHINES:
        raise click.UsageError(f"each machine once, and at most {MOST_MACHINES}: for more, itermon fleet")
    return named


MOST_MACHINES = 16
"""Connections that one screen keeps: each is an ssh of its own, with the whole history of its ranks."""


PATIENCE_S = 20.0
"""For a machine to say its first word; one that says none by then is named, and the others are shown."""


def _attach_to_all(runs: Sequence[str], settings: list[Config], machine: Machine, screen: ScreenOptions) -> None:
    """The ranks of several machines as one run."""
    from ...collectors.runs.ranks import RanksSource
    from ...collectors.runs.ssh import SshSource
    from ...collectors.settings import ConfiguredSource
    from ..runs import open_run
    from ..screen import show

    if machine.pid:
        raise click.UsageError("--pid is a process of this machine: of several RUNs none is meant.")
    sources = [open_run(run) for run in runs]
    for source in sources:
        if isinstance(source, SshSource):
            source.patience_s = PATIENCE_S
    show(ConfiguredSource(RanksSource(sources), settings), screen)


def _attach_to_one(
    run: str | None, settings: list[Config], machine: Machine, screen: ScreenOptions, *, as_json: bool
) -> None:
    from ..picking import NONE_KNOWN, choose_run, listed
    from ..runs import host_alone

    host = host_alone(run)
    if as_json:
        print_json(listed(host))
        return
    if run is None or host:
        usage = f"itermon attach ssh://{host}/RUN" if host else "itermon attach RUN"
        run = choose_run(f"runs on {host}" if host else "which run to watch?", usage, screen, host=host)
    if run is not None:
        attach_to(run, settings, machine, screen)
    elif not listed(host):
        print_text(NONE_KNOWN)


def attach_to(
    run: str,
    settings: list[Config],
    machine: Machine,
    screen: ScreenOptions,
    *,
    other: Callable[[], Run | str | None] | None = None,
    from_home: bool = False,
) -> None:
    """Show the run that was named or chosen, to its end or until the person leaves: see `cli.screen.show`."""
    from ...collectors.settings import ConfiguredSource
    from ..runs import living_pid, open_run
    from ..screen import show

    opened, pid = open_run(run), living_pid(run)
    source = ConfiguredSource(opened, settings)
    samplers = partial(machine.sources, pid=pid, checkpoints=source.checkpoints)
    # Another machine's samples come with its stream, and what a GPU does after its trainer ended is not its doing.
    show(
        source,
        screen,
        samplers=samplers if pid else tuple,
        other=other,
        look_at=str(pid or ""),
        from_home=from_home,
    )
