"""`squeue`: the jobs of this user, whatever they are called."""

from itermon.collectors.slurm.squeue import Job, jobs_of

SAID = """4199|4199|RUNNING|gpt2|large
4207|4200_7|RUNNING|sweep
4200|4200_[8-20%4]|PENDING|sweep
4300|4300+0|RUNNING|actor
4301|4300+1|COMPLETING|learner
4400|4400|REQUEUE_HOLD|again
4401|4401|SUSPENDED|
slurm_load_jobs error: Unable to contact slurm controller
4402|$(reboot)|RUNNING|x
-4|4|RUNNING|x
"""


def test_a_line_is_a_job_and_what_is_none_is_left_out() -> None:
    jobs = jobs_of(SAID)
    assert jobs[0] == Job(4199, "4199", "RUNNING", "gpt2|large")
    assert [(job.written, job.has_begun) for job in jobs[1:]] == [
        ("4200_7", True),
        ("4200_[8-20%4]", False),
        ("4300+0", True),
        ("4300+1", True),
        ("4400", False),
        ("4401", True),
    ]


def test_a_name_is_text_and_no_command_of_the_terminal() -> None:
    (job,) = jobs_of("1|1|RUNNING|\x1b[2Jred\x07" + "x" * 9_999 + "\n")
    assert job.name.isprintable()
    assert len(job.name) <= 200
