"""`scontrol show job`: which file a job writes. The texts are invented, in the documented forms."""

import pytest

from itermon.collectors.slurm.scontrol import is_job, log_of, records_of

# What differs between versions: the words of a file's name stand as they were asked for, or put in; the fields of
# a heterogeneous job are called Het since 20.02, Pack before.
HEAD = """JobId={number}{array} JobName={name}
   UserId=ann(1000) GroupId=lab(1000) MCS_label=N/A
   Priority=4294 Nice=0 Account=lab QOS=normal
   JobState=RUNNING Reason=None Dependency=(null)
   Requeue=1 Restarts={restarts} BatchFlag=1 Reboot=0 ExitCode=0:0
   RunTime=01:02:03 TimeLimit=1-00:00:00 TimeMin=N/A
   NodeList=gpu[03-04] BatchHost=gpu03.cluster
   NumNodes=2 NumCPUs=64 NumTasks=8 CPUs/Task=8 ReqB:S:C:T=0:0:*:*
   Command=/home/ann/my work/train.sh --lr=3e-4
   WorkDir=/home/ann/my work
"""
TAIL = "   StdErr={out}\n   StdIn=/dev/null\n   StdOut={out}\n   Power=\n"


def shown(out: str, *, number: int = 4300, array: str = "", name: str = "gpt 2", restarts: int = 0) -> str:
    filled = HEAD.format(number=number, array=array, name=name, restarts=restarts)
    return filled + TAIL.format(out=out)


ARRAY = " ArrayJobId=4200 ArrayTaskId=7 ArrayTaskThrottle=2"
HET = " HetJobId=4300 HetJobOffset=1"
CASES = [
    ("/home/ann/my work/slurm-4300.out", "", "/home/ann/my work/slurm-4300.out"),
    ("/home/ann/my work/slurm-%j.out", "", "/home/ann/my work/slurm-4300.out"),
    ("/logs/%x-%j.log", "", "/logs/gpt 2-4300.log"),
    ("/logs/%A_%a.out", ARRAY, "/logs/4200_7.out"),
    ("/logs/%A_%4a.out", ARRAY, "/logs/4200_0007.out"),
    ("/logs/slurm-4200_7.out", ARRAY, "/logs/slurm-4200_7.out"),
    ("/logs/%A.out", "", "/logs/4300.out"),
    ("/logs/%b.out", ARRAY, "/logs/7.out"),
    ("/logs/%b.out", " ArrayJobId=4200 ArrayTaskId=19", "/logs/9.out"),
    ("/logs/%a-%s.out", "", "/logs/4294967294-batch.out"),
    ("/logs/%j.out", HET, "/logs/4300.out"),
    ("/logs/%5j.out", " PackJobId=4300 PackJobOffset=1", "/logs/04300.out"),
    ("/logs/%8j.out", "", "/logs/00004300.out"),
    ("/logs/%999999j.out", "", "/logs/0000004300.out"),
    ("/logs/%u/%N.out", "", "/logs/ann/gpu03.out"),
    ("/logs/%n-%t.out", "", "/logs/0-0.out"),
    ("/logs/100%%-%j.out", "", "/logs/100%-4300.out"),
    (r"/logs/\%j.out", "", "/logs/%j.out"),
    ("runs/%j.out", "", "/home/ann/my work/runs/4300.out"),
    ("/logs/a b = c.out", "", "/logs/a b = c.out"),
    ("/logs/%z.out", "", ""),
    ("/logs/%b.out", "", ""),
    ("/dev/null", "", ""),
    ("", "", ""),
]


@pytest.mark.parametrize(("out", "array", "log"), CASES)
def test_the_file_that_a_job_writes(out: str, array: str, log: str) -> None:
    (record,) = records_of(shown(out, array=array))
    assert log_of(record) == log


def test_a_requeued_job_writes_the_same_file_again() -> None:
    assert [log_of(*records_of(shown("/logs/%j.out", restarts=n))) for n in (0, 3)] == ["/logs/4300.out"] * 2


def test_each_task_of_an_array_has_its_own_record() -> None:
    said = "\n".join(
        shown("/logs/%A_%a.out", number=4200 + n, array=f" ArrayJobId=4200 ArrayTaskId={n}") for n in (1, 2)
    )
    records = records_of(said)
    assert [(is_job(record, 4202), log_of(record)) for record in records] == [
        (False, "/logs/4200_1.out"),
        (True, "/logs/4200_2.out"),
    ]


def test_what_is_no_job_is_no_record() -> None:
    for said in ("", "slurm_load_jobs error: Invalid job id specified\n", "No jobs in the system\n", "\0\n\n=\n"):
        assert records_of(said) == []
    assert log_of({}) == ""
    assert log_of(*records_of("JobId=5\n   StdOut=\n")) == ""
