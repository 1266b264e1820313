"""Which lines of a log are its end: those behind its newest row, or the last ones where it has none."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from simulated_runs import watched

from itermon.analysis.run import Run
from itermon.collectors.logs.log_source import LogSource
from itermon.events import (
    CHECKPOINT,
    Alive,
    Config,
    Counted,
    End,
    EndOfFile,
    EndReason,
    Event,
    Iteration,
    Launch,
    Message,
    RunInfo,
    SpanEnd,
)

RUN: list[Event] = [Config(max_iterations=1_000), *(Iteration(i, 1.0) for i in range(100))]


def errors(*lines: int) -> list[Event]:
    return [Message(f"ValueError: of line {n}", "error", line=n, ending=EndReason.FAILED) for n in lines]


@pytest.mark.parametrize(
    ("lines", "first"),
    [
        ((35, 67, 700), None),  # others began since, and did not fail
        ((35, 850, 990), 850),  # those at the end, of which the first says why
        ((990,), 990),
    ],
)
def test_of_a_log_without_an_iteration_errors_long_before_its_end_are_none(
    lines: tuple[int, ...], first: int | None
) -> None:
    file = EndOfFile(at_s=1e9, read_at_s=2e9, lines=1_000, newest=0)
    end = End(EndReason.FAILED)  # as its reader says, by the newest of them
    over = watched([RunInfo(clock="log"), *errors(*lines), end, file]).findings().ending
    assert over is not None
    assert (over.words[0].line if over.words else None) == first
    assert over.reason == ("failed" if first else "unknown")


def test_how_much_of_a_log_stands_behind_its_newest_row_is_known() -> None:
    over = watched([*RUN, EndOfFile(1e9, 2e9, lines=150, newest=120)]).findings().ending
    assert over is not None
    assert (over.lines_behind, over.is_log, over.begun_line) == (30, True, None)
    held = watched([*RUN, EndOfFile(1e9, 2e9, lines=150)]).findings().ending
    assert held is not None
    assert (held.lines_behind, held.is_log) == (None, True)
    tagged = watched([*RUN, Counted(tag="A"), EndOfFile(1e9, 2e9, lines=150, newest=120)]).findings().ending
    assert tagged is not None
    assert tagged.lines_behind is None  # they may be the others'
    starts = watched([*RUN, Counted(begun=130), EndOfFile(1e9, 2e9, lines=150, newest=120)]).findings().ending
    assert starts is not None
    assert (starts.begun_line, starts.is_launch) == (130, False)
    launch = watched([*RUN, Launch(line=140), EndOfFile(1e9, 2e9, lines=150, newest=120)]).findings().ending
    assert launch is not None
    assert (launch.begun_line, launch.is_launch) == (140, True)


@pytest.mark.parametrize(
    ("undescribed", "lines", "heard_s", "reason"),
    [
        (True, 130, None, "finished"),
        (True, 170, None, "finished"),  # a table of what was found
        (True, 600, None, ""),
        (False, 600, None, "finished"),  # its rows are known, and are none
        (True, 130, 1e6 + 7_200.0, ""),
        (True, 130, 1e6 + 3_000.0, "finished"),
    ],
)
def test_a_last_iteration_is_no_end_where_most_of_the_log_or_most_hours_follow(
    undescribed: bool, lines: int, heard_s: float | None, reason: str
) -> None:
    """Another form of rows may follow, which is not read."""
    info = RunInfo(clock="log", undescribed=undescribed)
    rows = [Iteration(i, 1.0, at_s=1e6 + i) for i in range(1, 101)]
    heard = [Alive(heard_s)] if heard_s else []
    file = EndOfFile(2e6, 2e6, lines=lines, newest=120)
    over = watched([info, Config(max_iterations=100), *rows, *heard, file]).findings().ending
    assert over is not None
    assert over.reason == reason or (not reason and over.reason == "unknown")


STAMPED: list[Event] = [
    RunInfo(clock="log"),
    Config(max_iterations=1_000),
    *(Iteration(i, 60.0, at_s=1e6 + 60.0 * i) for i in range(100)),
]


@pytest.mark.parametrize(
    ("text", "after_s", "reason"),
    [
        ("ValueError: no such file", 90_000.0, "unknown"),
        ("lib.link.LinkError: closed", 90_000.0, "unknown"),
        ("ValueError: no such file", 1_000.0, "failed"),
        ("TimeoutError: waited for a rank", 90_000.0, "failed"),  # it hung
        ("NCCLError: communicator was aborted", 90_000.0, "failed"),
        ("slurmstepd: error: JOB 1 DUE TO TIME LIMIT", 90_000.0, "failed"),
    ],
)
def test_an_error_many_rows_after_the_newest_one_need_not_be_the_trainings(
    text: str, after_s: float, reason: str
) -> None:
    last_s = 1e6 + 60.0 * 99
    said = Message(text, "error", at_s=last_s + after_s, line=140, ending=EndReason.FAILED)
    end, file = End(EndReason.FAILED), EndOfFile(1e9, 2e9, lines=150, newest=120)
    found = watched([*STAMPED, said, end, file]).findings()
    assert found.ending is not None
    assert found.ending.reason == reason
    if reason == "unknown":
        assert found.ending.late_s == after_s
        late = f"an error is written 25 h after its newest row: {text} (line 140)."
        assert found.verdict.ending.endswith(late)
        assert not [one for one in found.incidents if one.kind in ("failed", "silent")]


@pytest.mark.parametrize(
    ("last", "cut"),
    [
        ("step 29 loss 2.", True),
        ("final score 2.", False),  # no row
        ("step 29 loss", False),  # not in the midst of a number
        ("step 29 loss 2.25", False),
        ("step 29 loss 2.25\n", False),
        ("", False),
    ],
)
def test_a_last_line_that_was_cut_is_told_of(tmp_path: Path, last: str, cut: bool) -> None:
    path = tmp_path / "train.log"
    path.write_text("".join(f"step {n} loss 2.25\n" for n in range(29)) + last)
    run = Run()
    for batch in LogSource(path, follow=False).batches(threading.Event()):
        run.apply(batch.events)
    over = run.findings().ending
    assert over is not None
    assert over.cut is cut
    assert ("may be cut off" in run.findings(2e10).verdict.ending) is cut


def test_what_a_trainer_says_whatever_ended_it_is_no_end_behind_an_error() -> None:
    said = "Total training time: 0:12:34 (0:00:02 on hooks)"
    for text, error, reason in (
        (said, errors(5), EndReason.FAILED),
        (said, [], EndReason.FINISHED),
        ("Training complete", errors(5), EndReason.FINISHED),  # an error that was caught
    ):
        done = Message(text, line=9, ending=EndReason.FINISHED)
        found = watched([*RUN, *error, done, EndOfFile(at_s=1e9, read_at_s=2e9)]).findings().ending
        assert found is not None
        assert found.reason == reason


@pytest.mark.parametrize(
    ("began_s", "stamped_s", "silent_s"),
    [
        (5e6, None, None),  # a young copy of an old log
        (9e6 - 86_400.0, None, 10.0),
        (None, None, 10.0),
        (5e6, 9e6, 10.0),
    ],
)
def test_a_young_file_whose_head_is_of_months_ago_does_not_say_how_old_its_log_is(
    began_s: float | None, stamped_s: float | None, silent_s: float | None
) -> None:
    file = EndOfFile(at_s=9e6, read_at_s=9e6 + 10.0, dated_s=began_s)
    over = watched([*RUN, Iteration(100, 1.0, at_s=stamped_s), file]).findings().ending
    assert over is not None
    assert over.silent_s == silent_s


@pytest.mark.parametrize(("yearless", "stamped_s"), [(True, 1e6), (False, 1e6), (True, 9e6)])
def test_stamps_without_a_year_tell_how_old_a_log_is_at_least(yearless: bool, stamped_s: float) -> None:
    file = EndOfFile(at_s=9e6, read_at_s=9e6 + 10.0, yearless=yearless)
    over = watched([*RUN, Iteration(100, 1.0, at_s=stamped_s), file]).findings().ending
    assert over is not None
    assert over.silent_at_least == (yearless and stamped_s == 1e6)


@pytest.mark.parametrize(
    ("known", "dated_s", "over"),
    [
        (
            0.1,
            1e6 + 60.0 * 99 + 30_000.0,
            False,
        ),  # five times as long as the rows
        (0.1, 1e6 + 60.0 * 99 + 3_000.0, True),
        (0.9, 1e6 + 60.0 * 99 + 30_000.0, True),
        (0.1, None, True),
    ],
)
def test_a_training_that_is_over_is_no_end_of_a_log_that_goes_on_for_hours_with_lines_of_others(
    known: float, dated_s: float | None, over: bool
) -> None:
    last_s = 1e6 + 60.0 * 99
    told = [End(at_s=last_s + 1.0), SpanEnd(CHECKPOINT, last_s + 900.0, 100)]
    file = EndOfFile(1e9, 2e9, lines=900, newest=500, dated_s=dated_s)
    found = watched([RunInfo(clock="log", known_lines=known), *STAMPED[1:], *told, file]).findings()
    assert found.ending is not None
    assert (found.ending.reason == "finished") is over
    assert (found.progress.behind_s is not None) is over
