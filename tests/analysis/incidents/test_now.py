"""How a run ended, and that nothing is heard of it: incidents with a stable key."""

from __future__ import annotations

import pytest

from itermon.analysis.findings import Activity, Ending, Hang, Incident, Now, Progress, RankAt, RunMessage
from itermon.analysis.incidents.now import standing, without_times
from itermon.analysis.ranks.why import ELSEWHERE
from itermon.events import EndReason, Severity
from tests.made_findings import facts

AT = Progress(iteration=99, first_iteration=0, max_iterations=300, iterations_seen=100, last_event_at_s=5_000.0)
SILENT = Now(activity=Activity.SILENT, elapsed_s=90.0, usual_s=1.0)


def test_a_run_that_goes_on_is_in_none() -> None:
    assert standing(facts(progress=AT), 1) == ()


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        (EndReason.FINISHED, "finished"),
        (EndReason.FAILED, "failed"),
        (EndReason.KILLED, "failed"),
        (EndReason.INTERRUPTED, "interrupted"),
        (EndReason.UNKNOWN, "stopped"),
    ],
)
def test_an_end_is_one(reason: EndReason, kind: str) -> None:
    (one,) = standing(facts(progress=AT, ending=Ending(reason)), 1)
    assert one.kind == kind
    assert one.state.endswith(".")
    assert (one.began_iteration, one.began_at_s, one.over) == (99, 5_000.0, False)


def test_a_file_that_was_read_and_may_go_on_is_in_none() -> None:
    assert standing(facts(progress=AT, ending=Ending("")), 1) == ()


def test_a_failure_says_the_last_error() -> None:
    error = RunMessage("RuntimeError: shape", Severity.ERROR, ending=EndReason.FAILED, line=7)
    (one,) = standing(facts(progress=AT, ending=Ending(EndReason.FAILED, (error,))), 1)
    assert "RuntimeError: shape" in one.state
    assert "line 7" in " ".join(one.evidence).lower()
    assert one.action
    assert one.severity == Severity.ERROR


def test_a_silence_that_turns_out_to_be_a_hang_is_the_same_incident() -> None:
    (silence,) = standing(facts(progress=AT, now=SILENT), 2)
    hang = Hang(operation="all_reduce", suspects=(RankAt(3, ELSEWHERE, place="load.py:5 read"),))
    (hung,) = standing(facts(progress=AT, now=SILENT, hang=hang), 2)
    assert (silence.kind, hung.kind) == ("silent", "hang")
    assert silence.key == hung.key == "silent:2:99"
    assert hung.rank == 3


def test_nobody_is_to_blame_where_two_are_suspected() -> None:
    two = (RankAt(3, ELSEWHERE), RankAt(4, ELSEWHERE))
    (hung,) = standing(facts(progress=AT, now=SILENT, hang=Hang(operation="all_reduce", suspects=two)), 1)
    assert hung.rank is None


def test_the_hang_is_said_beside_the_error_that_came_of_it() -> None:
    hang = Hang(operation="ALLREDUCE", suspects=(RankAt(3, ELSEWHERE, line=5),))
    both = standing(facts(progress=AT, hang=hang, ending=Ending(EndReason.FAILED)), 1)
    assert [one.kind for one in both] == ["hang", "failed"]


@pytest.mark.parametrize(("silences", "kept"), [(False, ["stopped"]), (True, ["silent", "stopped"])])
def test_of_a_strange_script_a_silence_may_be_told_where_a_slower_stretch_is_not(
    *, silences: bool, kept: list[str]
) -> None:
    told = tuple(Incident(kind, kind, over=True) for kind in ("slowed-down", "silent", "data-bound", "stopped"))
    assert [one.kind for one in without_times(told, silences=silences)] == kept
