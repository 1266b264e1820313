"""How a run came to its end: by its own words, by its last iteration, or by nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from simulated_runs import watched

from itermon.analysis import ending as ending_module
from itermon.analysis.ending import ending as how_it_ended
from itermon.analysis.ending import in_order, is_at_its_end, is_old
from itermon.analysis.findings import Activity, Ending, Now, RunMessage
from itermon.events import (
    ClockKind,
    Config,
    Counted,
    End,
    EndOfFile,
    EndReason,
    Event,
    Iteration,
    Message,
    OtherRows,
    RunInfo,
    Severity,
    SpanEnd,
)

KILLED = Message("Killed", "error", line=12, ending=EndReason.FAILED)
CAUGHT = Message("ValueError: tried again", "warning", ending=EndReason.FAILED)
DONE = Message("Training complete", line=13, ending=EndReason.FINISHED)
STOPPED = Message("KeyboardInterrupt", line=14, ending=EndReason.INTERRUPTED)
RUN: list[Event] = [Config(max_iterations=1_000), *(Iteration(i, 1.0) for i in range(100))]


def ended(*events: Event, age_s: float = 1e6, run: list[Event] = RUN) -> Ending | None:
    file = EndOfFile(at_s=2e9 - age_s, read_at_s=2e9)
    return watched([*run, *events, file]).findings().ending


@pytest.mark.parametrize(
    ("messages", "reason", "first"),
    [
        ([KILLED], "failed", "Killed"),
        ([STOPPED], "interrupted", "KeyboardInterrupt"),
        ([DONE], "finished", "Training complete"),
        ([CAUGHT, DONE], "finished", "Training complete"),
        ([CAUGHT, KILLED], "failed", "Killed"),
        ([DONE, KILLED], "failed", "Killed"),
        ([STOPPED, KILLED], "failed", "Killed"),
        ([], "unknown", None),
    ],
)
def test_the_last_words_of_an_old_file_say_why_it_ends(
    messages: list[Message], reason: str, first: str | None
) -> None:
    found = ended(*messages)
    assert found is not None
    assert found.reason == reason
    assert (found.words[0].text if found.words else None) == first


def test_what_was_said_before_an_iteration_was_no_end() -> None:
    found = ended(KILLED, Iteration(100, 1.0))
    assert found is not None
    assert (found.reason, found.words) == ("unknown", ())
    run = watched([*RUN, DONE, KILLED, Iteration(100, 1.0)])
    assert [m.text for m in run.findings().messages] == ["Killed"], "a part that is done is no news"


@pytest.mark.parametrize(
    ("age_s", "step_s", "reason"),
    [(0.0, 1.0, ""), (500.0, 1.0, ""), (700.0, 1.0, "unknown"), (700.0, 100.0, ""), (2_100.0, 100.0, "unknown")],
)
def test_a_file_is_old_after_many_iterations_without_a_line(age_s: float, step_s: float, reason: str) -> None:
    run: list[Event] = [Config(max_iterations=1_000), *(Iteration(i, step_s) for i in range(100))]
    found = ended(age_s=age_s, run=run)
    assert found is not None
    assert found.reason == reason


def test_stamps_tell_the_age_of_a_copy() -> None:
    stamped: list[Event] = [Iteration(i, 1.0, at_s=1e9 + i) for i in range(100)]
    found = ended(age_s=1.0, run=stamped)
    assert found is not None
    assert (found.reason, found.silent_s) == ("unknown", pytest.approx(1e9 - 99))
    nearby: list[Event] = [Iteration(i, 1.0, at_s=2e9 - 40_000 + i) for i in range(100)]
    found = ended(age_s=1.0, run=nearby)
    assert found is not None
    assert found.reason == "", "it may be another time zone's"


def test_the_last_iteration_is_an_end_and_a_late_error_a_failure() -> None:
    whole: list[Event] = [Config(max_iterations=99), *(Iteration(i, 1.0) for i in range(100))]
    found = ended(run=whole, age_s=1.0)
    assert found is not None
    assert (found.reason, found.ours) == ("finished", "iteration 99 of 99")
    found = ended(KILLED, run=whole)
    assert found is not None
    assert (found.reason, found.ours) == ("failed", "iteration 99 of 99")


def test_an_evaluation_at_the_end_of_the_run_before_is_not_the_end_of_this_one() -> None:
    """Two runs of ten in one file, the second of which stops after three."""
    first: list[Event] = [Config(max_iterations=10), *(Iteration(i, 1.0) for i in range(1, 11))]
    evaluated = SpanEnd("evaluation", iteration=11, values={"val_loss": 2.5})
    again = [RunInfo(), *(Iteration(i, 1.0) for i in range(1, 4))]
    found = ended(run=[*first, evaluated], age_s=1.0)
    assert (found and found.reason) == "finished"
    found = ended(run=[*first, evaluated, *again], age_s=1.0)
    assert (found and found.reason) == ""


def test_a_run_that_is_followed_is_over_after_a_day_of_silence() -> None:
    run = watched([Iteration(i, 1.0, at_s=1_000.0 + i) for i in range(3)])
    assert run.findings(now_s=1_010.0).ending is None
    hour = run.findings(now_s=5_000.0)
    assert (hour.ending, hour.verdict.kind) == (None, "silent")
    old = run.findings(now_s=200_000.0)
    assert (old.ended, old.verdict.headline.startswith("Ended after 3")) == ("unknown", True)


def test_what_a_trainer_says_of_its_own_end_counts_and_what_it_had_caught_does_not() -> None:
    run = watched([*RUN, CAUGHT, End(EndReason.FINISHED)])
    found = run.findings().ending
    assert found is not None
    assert (found.reason, found.words) == ("finished", ())
    hooked = watched([RunInfo(clock="hook"), *RUN, CAUGHT, End(EndReason.LOST)])
    assert hooked.findings().ended == "lost"


def test_only_what_hooks_tell_of_is_lost() -> None:
    hooked = ended(run=[RunInfo(clock="hook"), *RUN])
    assert hooked is not None
    assert hooked.reason == "lost"


def test_the_first_error_of_a_process_comes_first_and_each_text_once() -> None:
    texts = ("srun: error: n1: task 3", "KeyError: 'x'", "NCCL watchdog", "RuntimeError: y", "KeyError: 'x'")
    words = [RunMessage(text, "error", line=n, ending=EndReason.FAILED) for n, text in enumerate(texts, 1)]
    assert [(one.line, one.text) for one in in_order(words)] == [
        (2, "KeyError: 'x'"),
        (4, "RuntimeError: y"),
        (1, "srun: error: n1: task 3"),
        (3, "NCCL watchdog"),
    ]


def test_an_error_after_the_last_iteration_is_one_whoever_tells_of_it() -> None:
    whole: list[Event] = [Config(max_iterations=99), *(Iteration(i, 1.0) for i in range(100))]
    found = ended(KILLED, End(EndReason.FAILED, detail="Killed"), run=whole)
    assert found is not None
    assert (found.reason, found.ours) == ("failed", "iteration 99 of 99")


@pytest.mark.parametrize(("silent_s", "over"), [(80_000.0, False), (90_000.0, True)])
def test_a_source_that_is_followed_is_over_after_a_day_of_silence(silent_s: float, over: bool) -> None:
    assert is_old(silent_s, 1.0, followed=True) is over


def test_a_part_of_the_log_that_is_missing_before_the_newest_line_brings_no_end_nearer() -> None:
    several = [Iteration(index, 1.0) for index in (*range(11), 45)]
    found = ended(run=[Config(max_iterations=50), *several])
    assert found is not None
    assert found.reason == "unknown"
    every_tenth = [Iteration(index, 1.0, averaged_over=10) for index in (10, 20, 30, 40)]
    found = ended(run=[Config(max_iterations=44), *every_tenth])
    assert (found.reason, found.ours) == ("finished", "iteration 40 of 44, the last that it prints")


@pytest.mark.parametrize("followed", [False, True])
def test_a_source_whose_silence_nobody_measured_is_not_old(followed: bool) -> None:
    assert not is_old(None, 1.0, followed=followed)
    assert not is_old(None, None, followed=followed)


def test_old_is_more_than_the_time_that_a_source_may_be_silent() -> None:
    for limit_s, usual_s in ((600.0, 30.0), (620.0, 31.0), (3_600.0, None)):
        assert [is_old(s, usual_s, followed=False) for s in (limit_s, limit_s + 0.1)] == [False, True]
    assert [is_old(s, 1.0, followed=True) for s in (86_400.0, 86_400.1)] == [False, True]


def test_of_the_errors_after_its_end_the_first_one_ended_it() -> None:
    done, failed = EndReason.FINISHED, EndReason.FAILED
    texts = [("Epoch done", done), ("Training complete", done), ("first", failed), ("second", failed)]
    words = [RunMessage(text, "error", line=n, ending=reason) for n, (text, reason) in enumerate(texts)]
    assert [one.text for one in in_order(words)] == ["first", "Training complete", "second"]


def test_a_few_frames_behind_a_queues_word_do_not_hide_why_the_run_ended() -> None:
    word = "slurmstepd: error: *** JOB 12 ON n1 CANCELLED AT 2024-05-01T10:00:00 ***"
    message = Message(word, "error", line=12, ending=EndReason.INTERRUPTED)
    found = ended(message, *(Iteration(i, 1.0) for i in range(100, 103)))
    assert found is not None
    assert (found.reason, [one.text for one in found.words]) == (EndReason.INTERRUPTED, [word])


NOW = Now(activity=Activity.TRAINING, elapsed_s=5.0)


def fake(ended: str = "", words: tuple[RunMessage, ...] = (), **given: Any) -> Any:
    """A run at iteration 9 of 10 that has said these last words."""
    return SimpleNamespace(
        **{
            "ended": ended,
            "exit": "",
            "info": RunInfo(),
            "end_of_file": None,
            "heard_s": None,
            "messages": SimpleNamespace(last_words=words, before=()),
            "launches": SimpleNamespace(newest=None, counted=Counted(), other=OtherRows()),
            "columns": SimpleNamespace(index=[9]),
            "another_process": False,
            "settings": SimpleNamespace(config=Config(max_iterations=10), last=lambda **_: 10),
            **given,
        }
    )


FAILED = RunMessage("boom", Severity.ERROR, 1, None, 3, EndReason.FAILED)
FINISHED = RunMessage("done", Severity.INFO, 1, None, 3, EndReason.FINISHED)


@pytest.mark.parametrize(
    ("ended", "words", "at_its_end", "found"),
    [
        (EndReason.FINISHED, (), True, (EndReason.FINISHED, (), "iteration 9 of 10")),
        (EndReason.FINISHED, (), False, (EndReason.FINISHED, (), "")),
        (EndReason.LOST, (), True, (EndReason.LOST, (), "")),
        (EndReason.LOST, (), False, (EndReason.LOST, (), "")),
        (EndReason.FAILED, (FAILED,), False, (EndReason.FAILED, (FAILED,), "")),
        (EndReason.FAILED, (FAILED,), True, (EndReason.FAILED, (FAILED,), "iteration 9 of 10")),
        (EndReason.FAILED, (FINISHED,), True, (EndReason.FINISHED, (FINISHED,), "")),
        (EndReason.FAILED, (FINISHED,), False, (EndReason.FINISHED, (FINISHED,), "")),
    ],
)
def test_who_saw_it_says_how_it_ended_and_its_words_why(
    ended: str, words: tuple[RunMessage, ...], at_its_end: bool, found: tuple[str, tuple[RunMessage, ...], str]
) -> None:
    ending = how_it_ended(fake(ended, words), NOW, 1.0, at_its_end=at_its_end)
    assert ending is not None
    assert (ending.reason, ending.words, ending.ours) == found


def test_one_who_saw_a_finish_needs_no_words() -> None:
    hooked = fake(EndReason.FINISHED, (FAILED,), info=RunInfo(clock=ClockKind.HOOK))
    ending = how_it_ended(hooked, NOW, 1.0, at_its_end=False)
    assert ending is not None
    assert (ending.reason, ending.words) == (EndReason.FINISHED, ())


@pytest.mark.parametrize(
    ("written_s", "stamped_s", "silent_s"),
    [
        (100.0, None, 0.5),
        (101.0, None, 0.0),  # by a clock that runs ahead
        (None, None, None),
        (None, 50.0, None),
        (100.0, 100.5 - 86_400.0, 0.5),
        (100.0, 100.0 - 86_400.0, 86_400.5),
        (None, 100.0 - 86_400.0, 86_400.5),
        (100.5 - 90_000.0, 100.0 - 86_400.0, 90_000.0),
    ],
)
def test_a_file_is_silent_since_it_was_written_or_by_its_stamps_if_these_are_of_days_ago(
    written_s: float | None, stamped_s: float | None, silent_s: float | None
) -> None:
    file = EndOfFile(at_s=written_s, read_at_s=100.5)
    ending = how_it_ended(fake(end_of_file=file, heard_s=stamped_s), NOW, 1e9, at_its_end=False)
    assert ending is not None
    assert ending.silent_s == silent_s


def test_what_a_file_says_of_its_end_goes_with_any_reason() -> None:
    file = EndOfFile(at_s=1.0, read_at_s=2.0, writer_gone=True)
    for run in (fake(end_of_file=file), fake(EndReason.FAILED, end_of_file=file)):
        ending = how_it_ended(run, NOW, 1.0, at_its_end=False)
        assert ending is not None
        assert ending.writer_gone
    assert how_it_ended(fake(), NOW, 1.0, at_its_end=True) is None


def test_of_several_that_finished_the_last_one_did() -> None:
    again = RunMessage("done again", Severity.INFO, 1, None, 4, EndReason.FINISHED)
    assert in_order([FINISHED, again]) == (again,)
    assert in_order([FINISHED, again, FAILED]) == (FAILED, again)


def at(indices: list[int], reached: int = -1) -> Any:
    """A run of these iterations, whose newest evaluation was that at `reached`."""
    columns = watched([Iteration(i, 1.0) for i in indices]).columns
    launches = SimpleNamespace(counted=Counted(), other=OtherRows())
    return SimpleNamespace(columns=columns, evaluations=SimpleNamespace(reached=reached), launches=launches)


@pytest.mark.parametrize(
    ("indices", "last", "reached", "so"),
    [
        ([], 10, -1, False),
        ([], 10, 10, False),
        ([8, 9], None, -1, False),
        ([7, 8], 10, -1, False),
        ([8, 9], 10, -1, True),  # counted from 0, the last of ten
        ([*range(1, 10)], 10, -1, False),  # counted from 1: another comes
        ([*range(1, 11)], 10, -1, True),
        ([*range(10)], 10, -1, True),
        ([1, 3, 5, 7, 9], 10, -1, True),
        ([0, 10, 20], 30, -1, False),
        ([0, 10, 20, 31], 34, -1, True),
        ([40, 80, 100, 140, 180], 200, -1, False),  # the end of an epoch was printed, and so will this one's be
        ([40, 80, 90, 130, 180], 200, -1, True),  # what came early once is none of the epochs' ends
        ([1, 19], 36, -1, False),  # of two rows nobody knows how far apart the next is
        ([1, 19, 37], 54, -1, False),  # a third is left: that is not the end, however rarely it prints
        ([3, 4], 10, 9, False),
        ([3, 4], 10, 10, True),
        ([10, 3], 10, 10, False),
        ([9, 3], 10, 10, True),
    ],
)
def test_a_run_is_at_its_end_when_no_line_can_follow_or_the_last_evaluation_is_done(
    indices: list[int], last: int | None, reached: int, so: bool
) -> None:
    assert is_at_its_end(SimpleNamespace(run=at(indices, reached), last=last)) is so  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("index", "last", "reached", "said"),
    [
        (8, 10, -1, "iteration 8 of 10, the last that it prints"),
        (8, 10, 9, "iteration 8 of 10, the last that it prints"),
        (8, 10, 10, "iteration 8 of 10"),
        (9, 10, -1, "iteration 9 of 10"),
        (1_000, None, -1, "1,000 iterations"),
    ],
)
def test_which_iteration_was_the_last_is_said(index: int, last: int | None, reached: int, said: str) -> None:
    run = at([0, index], reached)
    run.another_process = False
    run.settings = SimpleNamespace(last=lambda **_: last)
    for counted in (Counted(), Counted(unit="epoch")):
        run.launches = SimpleNamespace(counted=counted, other=OtherRows())
        assert ending_module._last(run) == (said.replace("iteration", "epoch") if counted.unit else said)


def test_a_training_before_another_ended_with_the_last_of_what_it_said_is_done() -> None:
    again = RunMessage("done again", Severity.INFO, 1, None, 4, EndReason.FINISHED)
    assert ending_module._of_the_past([FINISHED, again, FAILED]) == (again,)
    assert ending_module._of_the_past([FAILED]) == (FAILED,)
