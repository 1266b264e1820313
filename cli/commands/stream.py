"""`itermon stream`: a run's events as JSON Lines, for a pipe, another program, or `itermon attach ssh://...`."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING

import click

from ..exits import NoInputError
from ..options import machine_options
from .completion import runs_and_files

if TYPE_CHECKING:
    from ...collectors.source import Source
    from ..options import Machine

_KIND = 10


@click.command(name="stream")
@click.argument("run", required=False, shell_complete=runs_and_files)
@click.option("--all", "all_runs", is_flag=True, help="the lines of `itermon runs --json` as they change")
@machine_options
def command(run: str | None, machine: Machine, *, all_runs: bool) -> None:
    """Write a run's events to standard output as JSON Lines: the run so far, then live, until it ends.

    While the trainer lives here, samples of its GPUs and its processes are among them. RUN is what
    `itermon attach` takes, or the path of a log as `itermon runs --json` lists it.
    `itermon stream RUN | itermon -` watches what it writes.
    """
    if all_runs and run is None:
        from ..home.home import Home
        from ..home.logs import Logs
        from ..home.telling import tell

        os.nice(_KIND)  # who asked sits at another machine, and this one trains
        tell(Home(Logs()), sys.stdout.buffer)
        _nobody_reads()
        return
    if all_runs or run is None:
        raise click.UsageError("RUN or --all: itermon stream train, itermon stream --all")
    _stream(run, machine)


def _stream(run: str, machine: Machine) -> None:
    from ...collectors.run_and_machine import RunAndMachineSource
    from ...events import SourceState, encode_all, expand

    source, pid = _opened(run)
    if pid:
        source = RunAndMachineSource(source, machine.sources(pid=pid))
    out = sys.stdout.buffer
    try:
        for batch in source.batches(threading.Event()):
            if batch.state == SourceState.FAILED:
                raise NoInputError(batch.note)
            if batch.events and not batch.preview:
                out.write(encode_all(expand(batch.events)))
            out.flush()
    except BrokenPipeError:
        _nobody_reads()


def _opened(run: str) -> tuple[Source, int | None]:
    """What `attach` would open, or a log of the list of all runs by its path there; and who writes it."""
    from ...collectors.host.writer import Writing, writer_of
    from ..exits import NotALogError
    from ..home.logs import listed_log
    from ..runs import living_pid, open_run
    from ..sources import OpenOptions, open_sources

    try:
        return open_run(run), living_pid(run)
    except NotALogError:
        if (log := listed_log(run)) is None:
            raise
    writing = Writing([str(log)])
    followed = OpenOptions(follow=True, writer_lives=lambda: writing.lives() or None)
    return open_sources([str(log)], followed), writer_of(str(log))


def _nobody_reads() -> None:
    """Whoever read us has left. Python would complain once more when it flushes at the exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
