"""The jobs of this user that have begun, with their logs. Without Slurm there are none, and nothing is said."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from . import scontrol, squeue
from .asking import answer_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .squeue import Job

_MOST_JOBS = 50
_LOOK_S = 30.0
"""Between two questions: one controller answers all users of a cluster."""


class JobLog(NamedTuple):
    """A job that has begun, and the file that it writes."""

    job: Job
    path: Path


class Jobs:
    """Asks now and then; where a job writes is asked once.

    Args:
        ask: runs a command, see `answer_of`.
    """

    def __init__(self, ask: Callable[[Sequence[str]], str | None] = answer_of) -> None:
        self._ask = ask
        self._logs: dict[int, str] = {}
        self._found: list[JobLog] = []
        self._asked_at_s = float("-inf")

    def logs(self, now_s: float) -> list[JobLog]:
        """Those that are known now."""
        if now_s - self._asked_at_s < _LOOK_S:
            return self._found
        self._asked_at_s = now_s
        said = self._ask(squeue.COMMAND)
        if said is None:
            return self._found
        running = [job for job in squeue.jobs_of(said) if job.has_begun][:_MOST_JOBS]
        self._logs = {job.number: self._log_of(job) for job in running}
        self._found = [JobLog(job, Path(log)) for job in running if (log := self._logs[job.number])]
        return self._found

    def _log_of(self, job: Job) -> str:
        if job.number in self._logs:
            return self._logs[job.number]
        said = self._ask((*scontrol.COMMAND, str(job.number)))
        records = scontrol.records_of(said or "")
        return next((scontrol.log_of(record) for record in records if scontrol.is_job(record, job.number)), "")
