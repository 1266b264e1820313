"""`itermon stack`: where a training is at this moment, in its own code, without its help."""

from __future__ import annotations

from pathlib import Path

import click

from ..exits import NO_INPUT, NoInputError
from ..printing import print_json, print_text
from .completion import runs_and_files


@click.command(name="stack")
@click.argument("run", metavar="RUN|PID|LOG", shell_complete=runs_and_files)
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def command(run: str, *, as_json: bool) -> None:
    """Print what a training does at this moment: each process, innermost frame first, > at its own code.

    RUN is a run's name, a process's PID, or a log that a process of this machine writes. All its ranks and the
    Python programs below them are looked at, once, by py-spy (pip install 'itermon[stack]'), which reads their
    memory and does not stop them. Where the system forbids it, that is said, and the line that would permit it.
    """
    from ...collectors.host.stacks import processes_below, stacks_of

    found = stacks_of(processes_below(pids_of(run)))
    if as_json:
        print_json(found)
    else:
        from ...reports.stack_text import stack_lines

        print_text("\n".join(stack_lines(found)))
    if not any(process.threads for process in found):
        raise SystemExit(NO_INPUT)


def pids_of(run: str) -> list[int]:
    """The processes that `run` means. Raises `NoInputError` where there is none."""
    from ...collectors.host.writer import writer_of
    from ...collectors.runs.listing import NoSuchRunError, find_run, other_ranks

    if Path(run).is_file() and (writer := writer_of(run)) is not None:
        return [writer]
    try:
        known = find_run(Path(run).stem if Path(run).is_file() else run)
    except NoSuchRunError as error:
        if run.isdecimal() and Path(f"/proc/{run[:9]}").exists():
            return [int(run)]
        if Path(run).is_file():
            raise NoInputError(f"{run}: no process of this machine (that this user may see) writes it.") from None
        raise NoInputError(str(error)) from None
    if not known.alive:
        raise NoInputError(f"{known.name}: it has ended; there is nothing to look at.")
    return [known.pid, *(rank.pid for rank in other_ranks(known) if rank.alive)]
