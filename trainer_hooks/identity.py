"""Which run this process belongs to: its name, its rank, its files, and what else it can say of itself."""

from __future__ import annotations

import os
import socket
import sys
import time
from typing import TYPE_CHECKING, Any

from .. import run_files
from ..events import SPAN_KINDS, ClockKind, RunInfo
from .launch import job, launch
from .values import as_text

if TYPE_CHECKING:
    from collections.abc import Collection

_RANKS = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
_SIZES = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE")
_SLURM_STEP, _SLURM_SIZE = "SLURM_STEP_ID", "SLURM_NTASKS"
"""Of a job's script that no `srun` has started the tasks were asked for, and there is one process."""


def run_info(name: str, rank: int | None, framework: str) -> RunInfo:
    """What this process can say of its run. Without a `name`: `$ITERMON_NAME`, or the script's."""
    job_id, requeued = job()
    return RunInfo(
        name=as_text(name or os.environ.get("ITERMON_NAME", "") or _name_of_script()),
        source_format="hooks",
        framework=framework,
        host=as_text(socket.gethostname()),
        pid=os.getpid(),
        rank=rank,
        started_at_s=round(time.time(), 3),
        time_includes=SPAN_KINDS,  # it goes from the end of one iteration to the end of the next
        clock=ClockKind.HOOK,
        output=as_text(os.environ.get(run_files.OUTPUT, "")),
        launch=launch(),
        job=job_id,
        requeued=requeued,
    )


def own_rank() -> int | None:
    """This process's rank, as its launcher or torch has set it; `None` where there is no other."""
    for variable in _RANKS:
        text = os.environ.get(variable, "")
        if text.isdecimal():
            return int(text)
    torch: Any = sys.modules.get("torch.distributed")  # of processes that the script itself has spawned
    if torch is not None and torch.is_available() and torch.is_initialized():
        return int(torch.get_rank())
    return None


def world_size() -> int | None:
    """How many processes train together, by torch or by their launcher; `None` where neither says it."""
    torch: Any = sys.modules.get("torch.distributed")
    if torch is not None and torch.is_available() and torch.is_initialized():
        return int(torch.get_world_size())
    for variable in (*_SIZES, *((_SLURM_SIZE,) if _SLURM_STEP in os.environ else ())):
        text = os.environ.get(variable, "")
        if text.isdecimal() and int(text):
            return int(text)
    return None


def is_asked(rank: int | None, ranks: Collection[int]) -> bool:
    """Is this rank one of those that record and serve? `$ITERMON_RANKS` wins over `ranks`."""
    asked = os.environ.get("ITERMON_RANKS", "")
    if asked == "all":
        return True
    if asked:
        ranks = [int(part) for part in asked.split(",") if part.strip().isdecimal()]
    return (rank or 0) in ranks


def unused_run_id(name: str) -> str:
    """A run id that no run has. For a second run of one name in one process within a second: the next second's."""
    started_at_s = time.time()
    while True:
        run_id = run_files.run_id(name, os.getpid(), started_at_s)
        files = (
            run_files.runs_dir() / (run_id + run_files.RECORDING),
            run_files.sockets_dir() / (run_id + run_files.SOCKET),
        )
        if not any(map(os.path.lexists, files)):
            return run_id
        started_at_s += 1.0


def _name_of_script() -> str:
    script = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] else ""  # noqa: PTH119 - may be no path
    return script.removesuffix(".py") or "run"
