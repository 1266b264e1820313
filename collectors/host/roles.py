"""What each process of the trainer's tree is there for: to train, to load data, to compile."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TRAINER = "trainer"
LOADER = "loader"
COMPILER = "compiler"
HELPER = "helper"  # below a compiler: its time is in the compiler's, once it ended


class Process(NamedTuple):
    """One process of a tree."""

    pid: int
    parent: int
    name: str
    command: tuple[str, ...]


def roles(processes: Iterable[Process], uses_gpu: Callable[[int], bool]) -> dict[int, str]:
    """The role of each process by id. `processes`: parents before their children.

    Inductor's compile workers show their module in the command (torch/_inductor/compile_worker). A DataLoader's
    workers are named pt_data_worker by newer torch; older ones are Python forked without another program, so with
    the parent's command; or spawned ones. Ranks can be spawned too: `uses_gpu` recognises those (asked for few).
    """
    found: dict[int, str] = {}
    commands: dict[int, tuple[str, ...]] = {}
    for process in processes:
        commands[process.pid] = process.command
        above = found.get(process.parent)
        if any("_inductor/compile_worker" in part for part in process.command):
            found[process.pid] = COMPILER
        elif above in (COMPILER, HELPER):
            found[process.pid] = HELPER
        elif above is not None and _loads(process, commands[process.parent], uses_gpu):
            found[process.pid] = LOADER
        else:
            found[process.pid] = LOADER if above == LOADER else TRAINER
    return found


def _loads(process: Process, above: tuple[str, ...], uses_gpu: Callable[[int], bool]) -> bool:
    if process.name.startswith("pt_data_worker"):
        return True
    if not process.command or "python" not in process.command[0].rpartition("/")[2].lower():
        return False
    if "--multiprocessing-fork" in process.command:
        return not uses_gpu(process.pid)
    return process.command == above
