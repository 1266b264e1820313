"""The jobs that have begun, with their logs; each is asked once, and all of them rarely."""

from collections.abc import Sequence
from pathlib import Path

from itermon.collectors.slurm.jobs import Jobs

QUEUE = "1|1|RUNNING|a\n2|2|PENDING|b\n3|3_1|RUNNING|c\n"
SHOWN = {
    "1": "JobId=1 JobName=a\n   StdOut=/logs/%j.out\n",
    "3": "JobId=3 ArrayJobId=3 ArrayTaskId=1 JobName=c\n   StdOut=/logs/%A_%a.out\n",
}


class Slurm:
    def __init__(self) -> None:
        self.asked: list[str] = []
        self.queue: str | None = QUEUE

    def __call__(self, command: Sequence[str]) -> str | None:
        self.asked.append(command[-1] if command[0] == "scontrol" else "queue")
        return self.queue if command[0] == "squeue" else SHOWN.get(command[-1])


def test_jobs_with_their_logs_each_asked_once() -> None:
    slurm = Slurm()
    jobs = Jobs(slurm)
    expected = [("1", Path("/logs/1.out")), ("3_1", Path("/logs/3_1.out"))]
    assert [(found.job.written, found.path) for found in jobs.logs(0.0)] == expected
    assert len(jobs.logs(10.0)) == 2
    assert slurm.asked == ["queue", "1", "3"]
    slurm.queue += "4|4|RUNNING|nobody knows\n"
    assert len(jobs.logs(40.0)) == 2
    assert slurm.asked[3:] == ["queue", "4"]
    slurm.queue = "3|3_1|RUNNING|c\n"
    assert [found.job.written for found in jobs.logs(80.0)] == ["3_1"]


def test_without_slurm_nothing_and_with_a_silent_controller_the_jobs_of_before() -> None:
    slurm = Slurm()
    jobs = Jobs(slurm)
    assert len(jobs.logs(0.0)) == 2
    slurm.queue = None
    assert len(jobs.logs(40.0)) == 2
    assert Jobs(lambda _: None).logs(0.0) == []
