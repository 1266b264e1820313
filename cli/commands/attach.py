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
    from collections.abc import Callable

    from ...analysis.run import Run
    from ...events import Config
    from ..options import Machine, ScreenOptions


@click.command(name="attach")
@click.argument("run", required=False, shell_complete=runs_and_files)
@click.option("--json", "as_json", is_flag=True, help="list the runs as JSON, and attach to none")
@screen_options
@notify_options
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
    or ssh://HOST/RUN for another machine. Without RUN, and with ssh://HOST, the runs there are listed, and one can
    be chosen. Attaching and leaving never disturb the trainer.
    """
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
