"""What is said of the end of a log that goes on behind its newest row."""

from __future__ import annotations

import pytest
from made_findings import found

from itermon.analysis.findings import Ending, Level, Progress, RunMessage, Verdict
from itermon.analysis.verdict.verdict import judge
from itermon.events import OtherRows, RunInfo

FAR = Progress(iteration=99, first_iteration=0, max_iterations=500, iterations_seen=100)


def said(ending: Ending, **parts: object) -> Verdict:
    return judge(found(ending=ending, **parts), RunInfo())


SILENT = "no line that itermon can read says how it ended."
SOMETHING = "line 7 says that something starts, and no iteration that itermon can read follows."
ANOTHER = "the newest launch begins at line 1,589, and no iteration that itermon can read follows."


@pytest.mark.parametrize(
    ("behind", "ending"),
    [
        ({"lines_behind": 0}, f"The log ends at iteration 99 of 500, written 2 h ago; {SILENT}"),
        (
            {"lines_behind": 0, "silent_at_least": True},
            f"The log ends at iteration 99 of 500, written at least 2 h ago; {SILENT}",
        ),
        ({"lines_behind": 1}, f"The newest row of the log, written 2 h ago, is iteration 99 of 500; {SILENT}"),
        ({"lines_behind": 19}, f"The newest row of the log, written 2 h ago, is iteration 99 of 500; {SILENT}"),
        (
            {"lines_behind": 20},
            "The log, written 2 h ago, goes on for at least 20 lines behind its newest row, iteration 99 of 500; "
            + SILENT,
        ),
        ({}, f"The newest row of the log, written 2 h ago, is iteration 99 of 500; {SILENT}"),
        (
            {"lines_behind": 33, "begun_line": 1_589, "is_launch": True},
            f"The log, written 2 h ago, goes on behind its newest row, iteration 99 of 500: {ANOTHER}",
        ),
        (
            {"lines_behind": 2, "begun_line": 7},
            f"The log, written 2 h ago, goes on behind its newest row, iteration 99 of 500: {SOMETHING}",
        ),
    ],
)
def test_a_log_that_goes_on_behind_its_newest_row_does_not_end_there(behind: dict[str, int], ending: str) -> None:
    assert said(Ending("unknown", silent_s=7_200.0, is_log=True, **behind), progress=FAR).ending == ending


def test_a_row_that_nothing_but_its_place_numbers_is_the_newest_by_that_place() -> None:
    rows = Progress(iteration=41, iterations_seen=42, rows=42, counts_rows=True)
    over = Ending("unknown", is_log=True, lines_behind=2)
    assert said(over, progress=rows).ending == f"The newest row of the log is the 42nd; {SILENT}"
    begun = Ending("unknown", is_log=True, lines_behind=2, begun_line=7)
    assert said(begun, progress=rows).ending.startswith("The log goes on behind its newest row, the 42nd: line 7")


def test_a_launch_behind_the_last_row_of_a_finished_training_is_said_too() -> None:
    done = Ending("finished", ours="iteration 99 of 99", begun_line=1_589, is_launch=True)
    verdict = said(done, progress=Progress(iteration=99, iterations_seen=100, newest_seen=3, trainings=2))
    assert verdict.ending == "Finished: iteration 99 of 99."
    assert verdict.evidence[-1] == f"Behind its newest row: {ANOTHER}"
    few = Progress(iteration=9, iterations_seen=100, newest_seen=3, trainings=2, wall_s=9.0)
    early = said(done, progress=few, level=Level())
    assert early.headline.startswith("The newest training with a row has 3 iterations")


def test_rows_of_another_form_behind_the_newest_one_are_told_of() -> None:
    far = Progress(iteration=99, first_iteration=0, iterations_seen=100, other=OtherRows(300, 250, 120))
    goes_on = "The log, written 2 h ago, goes on behind its newest row, iteration 99: "
    ending = Ending("unknown", silent_s=7_200.0, is_log=True, lines_behind=900)
    assert said(ending, progress=far).ending == f"{goes_on}250 lines of another form print a loss."


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("RuntimeError: DataLoader worker (pid 12) is killed by signal: Terminated.", True),
        ("[rank: 2] Received SIGTERM: 15", True),
        ("Terminated", True),
        ("RuntimeError: DataLoader worker (pid 12) is killed by signal: Killed.", False),
    ],
)
def test_who_was_asked_to_end_had_memory_enough(text: str, asked: bool) -> None:
    verdict = said(Ending("failed", (RunMessage(text, "error", line=7),)))
    assert ("memory" in verdict.next_step) is not asked
    assert ("SIGTERM" in verdict.next_step) is asked
