"""`itermon PATH`: the screen. Where there can be none, the report."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..home.host_option import host_option
from ..notices.channels import notify_options
from ..options import (
    machine_options,
    read_options,
    screen_options,
)
from ..runs import SSH
from ..writing import created
from .completion import runs_and_files

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...analysis.run import Run
    from ...collectors.source import Source
    from ..options import Machine, ScreenOptions
    from ..sources import OpenOptions


@click.command(name="watch")
@click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=runs_and_files)
@screen_options
@notify_options
@click.option("--wait", is_flag=True, help="the file is not there yet: wait for it")
@click.option(
    "--tee", type=click.Path(dir_okay=False, path_type=Path), help="keep what is piped in (-) in this new file"
)
@click.option(
    "--compare",
    "other",
    metavar="PATH",
    shell_complete=runs_and_files,
    help="another run, for the page of the key c",
)
@host_option
@machine_options
@read_options
def command(
    paths: tuple[str, ...],
    machine: Machine,
    options: OpenOptions,
    *,
    wait: bool,
    tee: Path | None,
    other: str | None,
    hosts: tuple[str, ...],
    screen: ScreenOptions,
) -> None:
    """Watch a training log, live (`itermon PATH` is short for it).

    PATH is a log file, a directory (the newest log in it) or - for standard input; without PATH, --pid finds the
    log that a process writes, and on a terminal without that too, all runs are listed, to choose from: those that
    itermon knows, logs here, and logs that your processes write.
    Several (train.out train.err) are files of one run: the iterations come from one of them, messages and
    evaluations from all; or they are the recordings of its ranks. The files are only read: nothing that itermon
    does can disturb the trainer. Where the output is a pipe or the terminal is too simple for a screen, the report
    is printed instead.

    A trainer that is piped in (python train.py | itermon -) goes on when the screen is left: its output is then
    read until it ends.
    """
    from ..finding import logs_of
    from ..picking import print_known_runs

    if not paths and machine.pid is None:
        from ..home.screen import can_show, choose

        if can_show(hosts):
            opened = partial(_open_chosen, options=options, machine=machine, screen=screen)
            choose(opened, options.settings, screen, hosts)
            return
        print_known_runs("itermon attach RUN")
    logs = logs_of(paths, machine.pid, options.run)
    others = _read_meanwhile(other) if other else None
    _watch_logs(logs, options._replace(wait=wait), machine, screen, tee=tee, other=others)


def _open_chosen(chosen: Sequence[str], *, options: OpenOptions, machine: Machine, screen: ScreenOptions) -> None:
    """What was chosen on the home screen: a run, or two to be compared."""
    from .attach import attach_to

    run, other = chosen[-1], _read_meanwhile(chosen[0]) if len(chosen) > 1 else None
    if "/" in run and not run.startswith(SSH):
        _watch_logs([run], options, machine, screen, other=other, from_home=True)
    else:
        attach_to(run, [*options.settings], machine, screen, other=other, from_home=True)


def _watch_logs(
    logs: list[str],
    options: OpenOptions,
    machine: Machine,
    screen: ScreenOptions,
    *,
    tee: Path | None = None,
    other: Callable[[], Run | str | None] | None = None,
    from_home: bool = False,
) -> None:
    from ...collectors.host.writer import Writing
    from ..screen import can_draw, show
    from ..sources import STANDARD_INPUT, open_sources

    if tee is not None and logs != [STANDARD_INPUT]:
        raise click.UsageError("--tee keeps what is piped in: python train.py | itermon - --tee FILE")
    kept = None if tee is None else created(tee, "--tee")
    writing = Writing(logs)
    options = options._replace(follow=can_draw(), tee=kept, writer_lives=lambda: writing.lives() or None)
    source = open_sources(logs, options)
    samplers: Callable[[], Sequence[Source]] = tuple
    if logs != [STANDARD_INPUT]:
        samplers = partial(machine.sources, log=logs[0], checkpoints=source.checkpoints)
    of = str(machine.pid or "") if logs == [STANDARD_INPUT] else str(machine.pid or logs[0])
    show(source, screen, samplers=samplers, other=other, look_at=of, from_home=from_home)


def _read_meanwhile(path: str) -> Callable[[], Run | str | None]:
    """Read another run while the screen is up; what is returned gives it once it has been read, or why it is none.

    Raises `NotALogError` where there can be no screen that would show that.
    """
    from threading import Thread

    from ..exits import NotALogError
    from ..reading import read_to_the_end
    from ..screen import can_draw
    from ..sources import OpenOptions, open_sources

    if path.startswith(SSH):
        return lambda: f"{path}: a run of another machine cannot be the one to compare with"
    source = open_sources([path], OpenOptions())
    if not can_draw():
        run = read_to_the_end(source)
        return lambda: run
    read: list[Run | str] = []

    def reading() -> None:
        try:
            read.append(read_to_the_end(source))
        except NotALogError as error:
            read.append(error.message)

    Thread(target=reading, name="itermon other run", daemon=True).start()
    return lambda: read[0] if read else None
