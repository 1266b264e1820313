"""How a run came to its end is said first, in the words of its source."""

from __future__ import annotations

import pytest
from made_findings import facts, found

from itermon.analysis.findings import Ending, Level, Losses, Progress, RunMessage, Verdict
from itermon.analysis.verdict import endings
from itermon.analysis.verdict.verdict import judge
from itermon.events import ClockKind, EndReason, RunInfo

LOST = Ending("lost", silent_s=7_200.0)
WHO_KNOWS = "Cancelled, by scancel or by the queue: the line gives no reason."
FAR = Progress(iteration=99, first_iteration=0, max_iterations=500, iterations_seen=100)


def said(ending: Ending | None, **parts: object) -> Verdict:
    return judge(found(ending=ending, **parts), RunInfo())


def test_a_run_that_goes_on_has_not_failed_whatever_it_printed() -> None:
    error = (RunMessage("CUDA out of memory.", "error"),)
    assert endings.failed(facts(messages=error)) is None
    assert endings.failed(facts(ended="finished")) is None
    assert endings.failed(facts(ended="failed", messages=error)) is not None


def test_an_error_before_the_newest_iteration_did_not_end_it() -> None:
    verdict = said(Ending("finished", ours="iteration 99 of 99"), messages=(RunMessage("no peft", "error"),))
    assert verdict.opening[0] == "Finished: iteration 99 of 99."
    assert verdict.kind != "failed"


@pytest.mark.parametrize(
    ("text", "headline"),
    [
        ("slurmstepd: CANCELLED DUE TO TIME LIMIT", "Stopped by the job's time limit."),
        ("slurmstepd: error: JOB 7 CANCELLED AT 2026-01-01T00:00:00", WHO_KNOWS),
        ("*** JOB 7 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO PREEMPTION ***", "The queue preempted the job."),
        ("*** STEP 7.0 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO NODE FAILURE ***", "The job's node failed."),
        ("CUDA Out Of Memory.", "Out of memory."),
        ("Watchdog caught collective operation timeout", "A collective operation timed out: a rank was missing."),
        ("OSError: [Errno 28] No space left on device", "The disk is full."),
        ("Killed", "Killed from outside."),
        ("Terminated", "Terminated from outside."),
        ("ValueError: no such split", "Failed: ValueError: no such split."),
    ],
)
def test_the_first_error_since_the_last_iteration_says_what_ended_it(text: str, headline: str) -> None:
    found = endings.failed(
        facts(ended="failed", messages=(RunMessage(text, "error"), RunMessage("NCCL: gone", "error")))
    )
    assert found is not None
    assert (found.kind, found.headline, found.evidence[0]) == ("failed", headline, f"It said: {text.rstrip('.')}.")
    assert found.healthy is False


def test_without_an_error_a_warning_is_the_evidence_and_without_both_that_there_is_none() -> None:
    warned = endings.failed(facts(ended="failed", messages=(RunMessage("slow disk", "warning"),)))
    silent = endings.failed(facts(ended="failed"))
    assert warned is not None
    assert silent is not None
    assert warned.evidence == ("It said: slow disk.",)
    assert silent.evidence == ("The trainer ended without a message.",)


@pytest.mark.parametrize(
    ("words", "exit_code", "headline", "step"),
    [
        ((), "exit code 127", "Command not found.", "Check the command's name"),
        ((), "exit code 126", "The command cannot be run.", "Check its permissions"),
        ((), "exit code 3", "Failed (exit code 3).", "Read the log's last lines."),
        (
            ("ModuleNotFoundError: No module named 'nope'",),
            "exit code 1",
            "Failed (exit code 1): ModuleNotFoundError: No module named 'nope'.",
            "Install that module",
        ),
        (
            ("ValueError: " + "x" * 200,),
            "exit code 1",
            "Failed (exit code 1): ValueError: ",
            "Read the log around line 7.",
        ),
    ],
)
def test_what_is_known_to_be_dead_is_said_at_once(
    words: tuple[str, ...], exit_code: str, headline: str, step: str
) -> None:
    over = Ending(
        "failed", tuple(RunMessage(w, "error", line=7) for w in words), exit=exit_code, tail=("a", "b: no")
    )
    verdict = said(over, progress=Progress(), level=Level())
    assert verdict.headline.startswith(headline)
    assert len(verdict.headline) <= 90
    assert verdict.next_step.startswith(step)
    assert ('The log ends with: "b: no".' in verdict.evidence) is (not words)


def test_how_a_log_ends_is_shown_where_nothing_says_why() -> None:
    shown = 'The log ends with: "loading".'
    gone = Ending("unknown", tail=("start", "loading"), writer_gone=True)
    verdict = said(gone, progress=FAR)
    assert (
        verdict.ending
        == "The process that wrote this log has ended, after iteration 99 of 500, and did not say why."
    )
    assert verdict.evidence[-1] == shown
    early = said(gone, progress=Progress(), level=Level())
    assert early.opening == ("The process that wrote this log has ended.", "No iteration found.")
    assert early.evidence == (shown,)
    assert shown not in said(Ending("finished", tail=("loading",)), progress=FAR).evidence


def test_a_launcher_alone_is_believed() -> None:
    found = endings.failed(facts(ended="failed", messages=(RunMessage("ChildFailedError:", "error"),)))
    assert found is not None
    assert found.evidence == ("It said: ChildFailedError.",)


def test_the_error_of_a_process_outweighs_that_of_its_launcher() -> None:
    words = ("torch.distributed...errors.ChildFailedError:", "[rank1]: ValueError: no such split")
    verdict = judge(found(ended="failed", messages=tuple(RunMessage(text, "error") for text in words)), RunInfo())
    assert verdict.evidence == (
        "It said: [rank1]: ValueError: no such split.",
        "It said: torch.distributed...errors.ChildFailedError.",
    )


def test_the_line_of_the_word_is_said() -> None:
    verdict = said(Ending("failed", (RunMessage("Killed", "error", line=4_211),)))
    assert verdict.opening == ("Killed from outside.",)
    assert verdict.evidence == ("Line 4,211: Killed.",)
    assert verdict.ending == "Killed from outside: Killed (line 4,211)."
    finished = said(Ending("finished", (RunMessage("Training complete.", line=88),)))
    assert finished.ending == "Finished: Training complete (line 88)."


def test_an_error_after_the_end_is_a_failure_and_the_end_is_said() -> None:
    done = Ending("failed", (RunMessage("OSError: closed", "error"),), ours="iteration 500 of 500")
    verdict = said(done)
    assert verdict.headline == "Failed after its last iteration: OSError: closed."
    assert verdict.evidence == ("It said: OSError: closed.", "It had come to its end: iteration 500 of 500.")
    assert verdict.healthy is False


def test_an_end_without_a_word_is_said_before_the_speed_and_is_not_healthy_where_iterations_were_left() -> None:
    verdict = said(LOST, progress=FAR)
    assert verdict.opening == (
        "The log ends at iteration 99 of 500, written 2 h ago; no line that itermon can read says how it ended.",
        "Healthy. 50 % MFU.",
    )
    assert verdict.healthy is False
    assert said(LOST).healthy is True, "nobody knows that iterations were left"
    assert said(Ending(silent_s=5.0), progress=FAR).healthy is True, "it may go on"


def test_a_broken_loss_comes_before_the_end_of_the_time() -> None:
    limit = Ending("failed", (RunMessage("JOB 1 CANCELLED DUE TO TIME LIMIT", "error"),))
    verdict = said(limit, losses=Losses(train=None, not_finite=100, not_finite_since=1))
    assert verdict.opening == (
        "The loss is NaN or infinite since iteration 1.",
        "Stopped by the job's time limit: JOB 1 CANCELLED DUE TO TIME LIMIT.",
    )


@pytest.mark.parametrize("ending", [LOST, Ending("finished"), Ending("interrupted"), Ending(silent_s=2.0)])
@pytest.mark.parametrize("iterations", [0, 3, 100])
def test_nobody_waits_for_what_is_over_nor_watches_it(ending: Ending, iterations: int) -> None:
    progress = Progress(iteration=iterations, first_iteration=0, iterations_seen=iterations)
    for level in (Level(), Level(1.0, iterations=iterations)):
        verdict = said(ending, level=level, progress=progress)
        words = " ".join((*verdict.opening, *verdict.evidence, verdict.next_step, *verdict.unknowable)).casefold()
        assert not [word for word in ("wait:", "warming", "so far", "too early", "watch ") if word in words]


@pytest.mark.parametrize(
    ("reason", "level", "is_failure"),
    [
        ("interrupted", None, False),
        ("interrupted", "warning", False),
        ("interrupted", "error", True),
        ("finished", "error", False),
        ("unknown", "error", False),
        ("killed", None, True),
        ("failed", None, True),
        ("lost", None, False),  # without hooks that is no more than silence
    ],
)
def test_an_interruption_is_a_failure_where_its_last_words_are_an_error(
    reason: str, level: str | None, is_failure: bool
) -> None:
    words = (RunMessage("srun: cancelled", level),) if level else ()
    assert (endings.failed(facts(ending=Ending(reason, words))) is not None) is is_failure


@pytest.mark.parametrize(
    ("texts", "exit_words", "headline"),
    [
        (("boom", "Killed"), "", "Failed: boom."),  # only the first says what ended it
        (("boom",), "SIGKILL (signal 9)", "Killed from outside."),
        ((), "exit code 1", "Failed (exit code 1)."),
        (("boom:",), "exit code 1", "Failed (exit code 1): boom."),
        ((), "exit code 127", "Command not found."),
        (("x" * 200,), "", f"Failed: {'x' * 80}…"),
    ],
)
def test_the_first_word_and_the_exit_say_what_ended_it(
    texts: tuple[str, ...], exit_words: str, headline: str
) -> None:
    words = tuple(RunMessage(text, "error") for text in texts)  # type: ignore[arg-type]
    found = endings.failed(facts(ending=Ending("failed", words, exit=exit_words)))
    assert found is not None
    assert (found.headline, found.healthy) == (headline, False)


def test_after_its_last_iteration_it_failed_after_the_end() -> None:
    done = RunMessage("done", "info", ending=EndReason.FINISHED)  # type: ignore[arg-type]
    error = RunMessage("boom", "error", line=4_211)  # type: ignore[arg-type]
    for ending in (Ending("failed", (error, done)), Ending("failed", (error,), "iteration 9 of 9")):
        found = endings.failed(facts(ending=ending))
        assert found is not None
        assert found.headline == "Failed after its last iteration: boom."
        assert found.next_step == "Read the log around line 4,211."
        assert found.evidence[0] == "Line 4,211: boom."
    assert found.evidence[-1] == "It had come to its end: iteration 9 of 9."


def test_three_last_words_are_shown_and_the_exit_where_the_headline_does_not_say_it() -> None:
    words = tuple(RunMessage(f"e{n}", "error") for n in range(4))  # type: ignore[arg-type]
    found = endings.failed(facts(ending=Ending("failed", words, exit="exit code 1")))
    assert found is not None
    assert found.evidence == ("It said: e0.", "It said: e1.", "It said: e2.")
    other = endings.failed(facts(ending=Ending("failed", words[:1], exit="SIGKILL (signal 9)")))
    assert other is not None
    assert other.evidence == ("It said: e0.", "Its process ended with SIGKILL (signal 9).")
    assert other.next_step.startswith("Often the machine ran out of memory")


@pytest.mark.parametrize(
    ("reason", "words", "ours", "exit_words", "said"),
    [
        ("failed", ("Killed.",), "", "", "Killed from outside: Killed."),
        ("failed", ("boom", "bang"), "", "exit code 3", "Failed: boom."),
        ("finished", ("Done.", "boom"), "", "", "Finished: Done."),
        ("failed", (), "", "exit code 3", "Failed: exit code 3."),
        ("killed", (), "", "", "Failed."),
        ("finished", ("Done.",), "iteration 9", "", "Finished: Done."),
        ("finished", (), "iteration 9", "", "Finished: iteration 9."),
        ("finished", (), "", "", "Finished."),
        ("interrupted", ("KeyboardInterrupt",), "", "", "Interrupted: KeyboardInterrupt."),
        ("interrupted", (), "", "", "Interrupted."),
    ],
)
def test_the_end_is_one_sentence(
    reason: str, words: tuple[str, ...], ours: str, exit_words: str, said: str
) -> None:
    messages = tuple(RunMessage(text, "error") for text in words)  # type: ignore[arg-type]
    assert endings.how_it_ended(facts(ending=Ending(reason, messages, ours, exit=exit_words))) == said


ENDS, NOT_OVER = "The log ends at iteration 99", "no line that itermon can read says that the run is over."


@pytest.mark.parametrize(
    ("reason", "silent_s", "gone", "hooked", "last", "said"),
    [
        ("", None, False, False, None, f"{ENDS}; {NOT_OVER}"),
        ("", 60.0, False, False, 500, f"{ENDS} of 500, written just now; {NOT_OVER}"),
        ("", 61.0, False, False, 500, f"{ENDS} of 500, written 61 s ago; {NOT_OVER}"),
        (
            "unknown",
            61.0,
            False,
            False,
            500,
            f"{ENDS} of 500, written 61 s ago; no line that itermon can read says how it ended.",
        ),
        ("unknown", 61.0, True, False, 500, "The process that wrote this log has ended, after iteration 99 of"),
        ("lost", 61.0, False, True, 500, "The trainer ended without a message after iteration 99 of 500, 61 s"),
        ("", 61.0, False, True, 500, f"{ENDS} of 500, written 61 s ago; {NOT_OVER}"),
    ],
)
def test_of_a_run_that_said_nothing_it_is_said_where_it_stopped(
    reason: str, silent_s: float | None, gone: bool, hooked: bool, last: int | None, said: str
) -> None:
    over = Ending(reason, silent_s=silent_s, writer_gone=gone)
    progress = Progress(iteration=99, first_iteration=0, max_iterations=last)
    info = RunInfo(clock=ClockKind.HOOK if hooked else None)
    assert endings.how_it_ended(facts(info, ending=over, progress=progress)).startswith(said)


def test_without_an_iteration_there_is_nothing_to_say_but_that_its_writer_is_gone() -> None:
    for gone, said in ((True, "The process that wrote this log has ended."), (False, "")):
        over = Ending("unknown", writer_gone=gone)
        assert endings.how_it_ended(facts(ending=over, progress=Progress())) == said
        assert endings.short_of_its_end(facts(ending=over, progress=Progress())) is False


@pytest.mark.parametrize(
    ("reason", "iteration", "last", "short"),
    [("lost", 99, 100, True), ("unknown", 99, 100, True), ("lost", 100, 100, False), ("failed", 9, 100, False),
     ("lost", 99, None, False)],
)  # fmt: skip
def test_iterations_were_left(reason: str, iteration: int, last: int | None, short: bool) -> None:
    progress = Progress(iteration=iteration, max_iterations=last)
    assert endings.short_of_its_end(facts(ending=Ending(reason), progress=progress)) is short


def test_what_is_quoted_is_cut_and_of_a_log_the_last_line_is_shown() -> None:
    assert len(endings.quoted(RunMessage("x" * 300))) <= 150
    assert len(endings.quoted(RunMessage("x" * 300))) > 130
    assert endings.quoted(RunMessage("spawn.RaisedException: ", line=7)) == "Line 7: spawn.RaisedException."
    assert endings.last_lines(Ending(tail=("a", "b"))) == ['The log ends with: "b".']
    assert endings.last_lines(Ending()) == []
    (line,) = endings.last_lines(Ending(tail=("y" * 300,)))
    assert 145 < len(line) <= 151


def test_in_a_headline_words_are_cut_and_the_number_of_their_line_is_not() -> None:
    said = endings.how_it_ended(facts(ending=Ending("failed", (RunMessage("x" * 300, "error", line=4_211),))))
    assert said.endswith("… (line 4,211).")
    assert len(said) < 140


@pytest.mark.parametrize(
    ("reason", "hooked", "said"),
    [("lost", True, "Its process was killed from outside, crashed in"), ("failed", True, "It said: boom."),
     ("failed", False, "It said: boom."), ("lost", False, None)],
)  # fmt: skip
def test_hooks_that_fall_silent_without_an_end_are_of_a_process_that_is_gone(
    reason: str, hooked: bool, said: str | None
) -> None:
    info = RunInfo(clock=ClockKind.HOOK if hooked else None)
    found = endings.failed(facts(info, ending=Ending(reason, (RunMessage("boom", "error"),))))
    assert (found is not None) is (said is not None)
    assert found is None or found.evidence[-1].startswith(said or "")


@pytest.mark.parametrize(
    "front", ["", "package.training - ", "0 train:377 INFO ", "W0301 10:00:00.250000 77 /opt/env/agent.py:81] "]
)
def test_an_end_is_told_without_the_logger_that_said_it(front: str) -> None:
    over = Ending("finished", (RunMessage(f"{front}Training ended", line=88),))
    assert said(over).ending == "Finished: Training ended (line 88)."
