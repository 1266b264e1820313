"""The jobs that have begun, with their logs; each is asked once, and all of them rarely."""

from collections.abc import Sequence
from itertools import product
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


KINDS = {
    "plain": ("4300", "4300", "", {"A": "4300", "a": "4294967294"}),
    "array": ("4207", "4200_7", " ArrayJobId=4200 ArrayTaskId=7", {"A": "4200", "a": "7"}),
    "requeued": ("4400", "4400", "", {"A": "4400", "a": "4294967294"}),
    "part": ("4501", "4500+1", " HetJobId=4500 HetJobOffset=1", {"A": "4501", "a": "4294967294"}),
}
"""Of each kind a job's number, as people write it, what stands behind its number, and words of its own."""

OUTPUTS = (
    *(
        "/home/ann/slurm-%j.out",
        "/home/ann/slurm-%A_%a.out",
        "/logs/%x/%j.log",
        "/logs/%x_%A-%3a.txt",
        "%x.%j.out",
    ),
    *("/logs/%u-%N.out", "/logs/%8j.out", "/logs/run=1 of %x.out", "/logs/train.log", "/logs/%n-%t-%s-%j.out"),
)
VERSIONS = {"21.08": False, "22.05": False, "23.11": False, "24.05": True, "25.05": True}
"""Does it show the name with its words put in?"""

RECORD = """JobId={number}{more} JobName=gpt 2
   UserId=ann(1000) GroupId=lab(1000) MCS_label=N/A
   JobState=RUNNING Reason=None Dependency=(null)
   Requeue=1 Restarts={restarts} BatchFlag=1 Reboot=0 ExitCode=0:0
   NodeList=gpu[03-04] BatchHost=gpu03
   WorkDir=/home/ann
   StdErr={out}
   StdIn=/dev/null
   StdOut={out}
"""


def filled(output: str, kind: str) -> str:
    """What Slurm writes to, by hand."""
    number, _, _, own = KINDS[kind]
    words = {
        "%8j": number.zfill(8),
        "%3a": own["a"].zfill(3),
        "%j": number,
        "%x": "gpt 2",
        "%u": "ann",
        "%N": "gpu03",
    }
    words |= {"%A": own["A"], "%a": own["a"], "%n": "0", "%t": "0", "%s": "batch"}
    for word, value in words.items():
        output = output.replace(word, value)
    return output if output.startswith("/") else f"/home/ann/{output}"


def found(kind: str, output: str, *, puts_in: bool) -> list[Path]:
    number, written, more, _ = KINDS[kind]
    out = filled(output, kind) if puts_in else output

    def ask(command: Sequence[str]) -> str:
        if command[0] == "squeue":
            return f"{number}|{written}|RUNNING|gpt 2\n"
        return RECORD.format(number=number, more=more, restarts=int(kind == "requeued"), out=out)

    return [job.path for job in Jobs(ask).logs(0.0)]


def test_of_slurm_21_to_25_the_log_is_found_in_95_of_100() -> None:
    cases = list(product(VERSIONS, KINDS, OUTPUTS))
    missed = [
        case
        for case in cases
        if found(case[1], case[2], puts_in=VERSIONS[case[0]]) != [Path(filled(case[2], case[1]))]
    ]
    assert len(missed) <= 0.05 * len(cases), missed
