"""Incidents in words."""

from __future__ import annotations

from msgspec.structs import replace

from itermon.analysis.findings import Findings, Incident
from itermon.events import EndReason, Severity
from itermon.reports.report_text import report
from itermon.reports.rows.incidents import SHOWN, gravest, incident_rows, incident_sentences, when

STALL = Incident(
    "silent",
    "silent:1:99",
    began_at_s=1_000.0,
    began_iteration=99,
    ended_at_s=1_130.0,
    ended_iteration=99,
    over=True,
    state="Nothing new for 2 m 10 s; 1.00 s is usual.",
    action="Check that the trainer is alive.",
)
NAN = Incident(
    "loss-not-finite", "n", Severity.ERROR, began_iteration=50, state="The loss is NaN.", action="Stop it."
)
NAN_AGAIN = Incident("loss-not-finite", "m", Severity.ERROR, began_iteration=80)
SLOW = Incident("slowed-down", "s", began_iteration=1_200, state="Slower.", evidence=("It took 1 s.",))
DONE = Incident("finished", "f", Severity.INFO, began_iteration=2_000, state="Finished.")


def test_when_it_was() -> None:
    assert when(STALL) == "after iteration 99, 2 m 10 s"
    assert when(NAN) == "since iteration 50"
    assert when(DONE) == "after iteration 2,000"
    assert when(Incident("loss-not-finite", "n", began_iteration=5, ended_iteration=1_009, over=True)) == (
        "iterations 5 to 1,009"
    )
    assert when(Incident("failed", "f")) == "before the first iteration"
    assert when(Incident("over-budget", "b")) == when(Incident("past-deadline", "d")) == "of the whole run"


def test_what_is_over_has_no_advice() -> None:
    stall, nan = incident_rows(Findings(incidents=(STALL, NAN)))
    assert stall.said == (STALL.state,)
    assert nan.said == (NAN.state, NAN.action)
    (late,) = incident_rows(Findings(incidents=(NAN,), ending=EndReason.UNKNOWN))
    assert late.said == (NAN.state,)


def test_a_report_leaves_its_end_to_the_verdict_and_is_bounded() -> None:
    assert incident_sentences(Findings(incidents=(STALL, DONE))) == [
        "silent, after iteration 99, 2 m 10 s: Nothing new for 2 m 10 s; 1.00 s is usual."
    ]
    said = incident_sentences(Findings(incidents=(NAN,) * 50))
    assert (said[0], len(said)) == (f"the newest {SHOWN} of 50; --json lists them all", 1 + SHOWN)
    assert len(incident_sentences(Findings(incidents=(NAN,) * SHOWN))) == SHOWN


def test_the_gravest_is_an_error_that_lasts() -> None:
    assert gravest(Findings(incidents=(STALL, DONE))) is None
    assert gravest(Findings(incidents=(SLOW, NAN, DONE))) is NAN
    assert gravest(Findings(incidents=(SLOW, STALL))) is SLOW
    assert gravest(Findings(incidents=(NAN, SLOW, NAN_AGAIN))) is NAN_AGAIN


def test_the_text_report_has_a_part_for_them_where_there_are_any() -> None:
    assert "Incidents\n slower, since iteration 1,200: Slower. It took 1 s." in report(Findings(incidents=(SLOW,)))
    assert "Incidents" not in report(Findings())


def test_of_several_trainings_an_incident_names_its_own() -> None:
    assert when(replace(STALL, training=3)) == "training 3, after iteration 99, 2 m 10 s"


def test_a_wait_that_lasts_is_said_of_the_run_and_not_to_begin_where_it_was_first_seen() -> None:
    waits = Incident("data-bound", "data-bound:1:3200", began_iteration=3_200, state="Waits.")
    assert when(waits) == "seen at iteration 3,200"
