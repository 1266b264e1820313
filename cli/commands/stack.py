"""`itermon stack`: where a training is at this moment, in its own code, without its help."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..exits import NO_INPUT
from ..printing import print_json, print_text
from .completion import runs_and_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.findings import Findings


@click.command(name="stack")
@click.argument("run", metavar="RUN|PID|LOG", shell_complete=runs_and_files)
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def command(run: str, *, as_json: bool) -> None:
    """Print what a training does at this moment: each process, innermost frame first, > at its own code.

    RUN is a run's name, a process's PID, or a log that a process of this machine writes. All its ranks and the
    Python programs below them are looked at, once, by py-spy (pip install 'itermon[stack]'), which reads their
    memory and does not stop them; under Python 3.15 the standard library does that for programs of its version.
    Where the system forbids it, that is said, and the line that would permit it. Where NCCL's own ncclras is
    installed, it is asked too which rank the others wait for; an answer for another job of this machine is none.
    """
    from ...collectors.host.stacks import processes_below, stacks_of
    from ..runs import pids_of

    pids = processes_below(pids_of(run))
    found, ranks = stacks_of(pids), _ranks(pids)
    if as_json:
        print_json({"processes": found, "hang": ranks and ranks.hang})
    else:
        from ...reports.stack_text import ranks_lines, stack_lines

        print_text("\n".join([*stack_lines(found), *(ranks_lines(ranks) if ranks else ())]))
    if not any(process.threads for process in found):
        raise SystemExit(NO_INPUT)


def _ranks(pids: Sequence[int]) -> Findings | None:
    """What NCCL's RAS makes known of these processes' job; `None` where it is not installed."""
    from ...collectors.collective_dumps.ras_look import program, waiting

    ncclras = program()
    if ncclras is None:
        return None
    from ...analysis.run import Run
    from ...events import Message, RunInfo, Severity

    told, trouble = waiting(ncclras, pids)
    watched = Run()
    said = [Message(f"ncclras: {trouble}", Severity.WARNING)] if trouble else []
    watched.apply([RunInfo(name="ncclras"), *told, *said])
    return watched.findings()
