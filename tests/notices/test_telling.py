"""One message when an incident begins, one when it is over; history is no news."""

import pytest
from incidents_by_hand import found, incident

from itermon.analysis.findings import Eta, LedgerRow, Losses, Progress, Verdict
from itermon.events import Severity
from itermon.notices.message import Message, Phase, lines
from itermon.notices.telling import OLD_S, REMIND_S, About, messages, went_on
from itermon.notices.told import Entry, Told

RUN = About("run-1", "gpt", "box")
SILENT = incident("silent", began_at_s=50.0)


def said(told: Told, *incidents: object, now_s: float = 100.0) -> list[tuple[str, str]]:
    return [(one.kind, one.phase) for one in messages(RUN, found(*incidents), told, now_s)]  # type: ignore[arg-type]


def test_an_incident_is_told_once_and_its_end_once() -> None:
    told = Told(0.0)
    assert said(told, SILENT) == [("silent", "began")]
    assert said(told, SILENT) == []
    over = incident("silent", began_at_s=50.0, ended_at_s=90.0, over=True)
    assert said(told, over) == [("silent", "ended")]
    assert said(told, over) == []
    assert said(told) == []


def test_one_that_is_no_more_among_them_is_over() -> None:
    told = Told(0.0)
    said(told, SILENT)
    [one] = messages(RUN, found(), told, 200.0)
    assert (one.kind, one.phase, one.severity, one.state) == ("silent", Phase.ENDED, Severity.INFO, "silent")
    assert said(told) == []


def test_what_was_over_before_anybody_asked_is_history() -> None:
    told = Told(60.0)
    assert said(told, incident("silent", began_at_s=10.0, ended_at_s=20.0, over=True)) == []
    assert said(told, incident("failed", began_at_s=59.0)) == []
    assert said(told) == [], "nor is the end of what nobody was told of"


def test_what_was_over_a_week_ago_is_history_though_a_guard_should_have_told_of_it() -> None:
    assert said(Told(0.0), incident("failed", began_at_s=50.0), now_s=50.0 + OLD_S - 1) == [("failed", "began")]
    assert said(Told(0.0), incident("failed", began_at_s=50.0), now_s=50.0 + OLD_S + 1) == []


def test_what_stands_is_told_however_long_ago_it_began() -> None:
    assert said(Told(60.0), SILENT) == [("silent", "began")]


def test_what_began_and_ended_meanwhile_is_one_message() -> None:
    told = Told(0.0)
    over = incident("silent", began_at_s=50.0, ended_at_s=90.0, over=True)
    assert said(told, over) == [("silent", "was")]
    assert said(told, over) == []


def test_at_the_end_of_a_run_nothing_else_counts() -> None:
    told = Told(0.0)
    said(told, SILENT)
    failed = incident("failed", began_at_s=70.0)
    late = incident("data-bound")
    assert said(told, SILENT, late, failed) == [("failed", "began")]
    assert said(told, failed) == []


def test_a_silence_that_turns_out_to_be_the_end_is_told_as_the_end() -> None:
    told = Told(0.0)
    said(told, incident("silent", "silent:0:7"))
    assert said(told, incident("hang", "silent:0:7")) == [], "one message an incident"
    assert said(told, incident("stopped", "silent:0:7")) == [("stopped", "began")]
    assert said(told, incident("stopped", "silent:0:7")) == []


def test_a_run_that_goes_on_after_its_end_is_told() -> None:
    told = Told(0.0)
    said(told, incident("failed"))
    [one] = messages(RUN, found(incident("failed", over=True)), told, 200.0)
    assert (one.phase, one.state) == (Phase.ENDED, "it had ended, and runs again")
    assert said(told, incident("failed", over=True), incident("failed", "failed:1:9")) == [("failed", "began")]


def test_what_is_bad_and_stays_is_told_again_ever_more_rarely() -> None:
    told, full = Told(0.0), incident("disk-full")
    assert said(told, full, now_s=0.0) == [("disk-full", "began")]
    times = [now_s for now_s in range(0, 50 * 3_600, 600) if said(told, full, now_s=float(now_s))]
    assert times == [REMIND_S, 3 * REMIND_S, 7 * REMIND_S]
    ids = {one.id for at in (15, 31) for one in messages(RUN, found(full), told, at * REMIND_S)}
    assert len(ids) == 2, "each reminder is a message of its own"


@pytest.mark.parametrize("kind", ["data-bound", "failed"])
def test_nobody_is_reminded_of_what_is_no_danger_or_over(kind: str) -> None:
    told = Told(0.0)
    said(told, incident(kind))
    assert said(told, incident(kind), now_s=1e6) == []


def test_a_message_says_what_a_person_wants_to_know() -> None:
    [one] = messages(
        RUN,
        found(
            incident("silent", evidence=("nothing for 12 m",)),
            losses=Losses(train=3.2, train_smooth=3.3),
            eta=Eta(remaining_s=600.0, cost_so_far=2.5),
        ),
        Told(0.0),
        100.0,
    )
    assert one == Message(
        id="run-1/silent:0:7/began",
        run="gpt",
        phase=Phase.BEGAN,
        kind="silent",
        severity=Severity.WARNING,
        state="it is silent",
        evidence=("nothing for 12 m",),
        action="look at it",
        host="box",
        iteration=7,
        iterations=100,
        loss=3.3,
        elapsed_s=60.0,
        remaining_s=600.0,
        cost=2.5,
        at_s=100.0,
    )


def test_the_last_message_is_a_summary() -> None:
    run = found(
        incident("finished"),
        ended="finished",
        progress=Progress(iteration=100, max_iterations=100, wall_s=60.0, restarts=1),
        losses=Losses(train=3.2, validation=3.1, best_validation=3.0, best_validation_at=80),
        ledger=(LedgerRow("training", 50.0, 0.8), LedgerRow("evaluation", 9.0, 0.15), LedgerRow("gc", 1.0, 0.01)),
        verdict=Verdict(kind="data-bound", headline="The GPUs wait for data."),
        eta=Eta(remaining_s=3.0),
    )
    [one] = messages(RUN, run, Told(0.0), 100.0)
    assert lines(one) == [
        "iteration 100 of 100 · loss 3.2000 · 1 m 00 s so far · on box",
        "validation loss 3.1000, the best 3.0000 at 80",
        "of the time: evaluation 15 %",
        "1 restart",
        "next: look at it",
    ]


def test_an_incident_that_is_counted_to_another_process_is_the_same() -> None:
    """A guard that is started again reads a rotated log from its middle: its processes have other numbers."""
    told = Told(0.0)
    assert said(told, incident("loss-not-finite", key="loss-not-finite:3:700")) == [("loss-not-finite", "began")]
    again = incident("loss-not-finite", key="loss-not-finite:1:700", over=True)
    assert said(told, again) == [("loss-not-finite", "ended")]
    assert said(told, again) == []


def test_two_processes_that_fail_at_the_same_iteration_are_two_incidents() -> None:
    told = Told(0.0)
    first = incident("failed", key="failed:1:700", began_at_s=50.0)
    assert said(told, first) == [("failed", "began")]
    over = incident("failed", key="failed:1:700", began_at_s=50.0, ended_at_s=60.0, over=True)
    second = incident("failed", key="failed:2:700", began_at_s=70.0)
    assert ("failed", "began") in said(told, over, second)


def test_what_has_no_place_is_only_known_by_its_name() -> None:
    told = Told(0.0)
    assert said(told, incident("loss-collapsed", key="loss-collapsed:1")) == [("loss-collapsed", "began")]
    assert ("loss-collapsed", "began") in said(told, incident("loss-collapsed", key="loss-collapsed:2"))


def test_the_end_of_an_attempt_is_over_when_the_next_one_goes_on() -> None:
    told, later = Told(0.0), About("run-2", "gpt, queued again")
    said(told, SILENT, incident("interrupted", began_at_s=90.0))
    (one,) = went_on(RUN, later, found(), told, 200.0)
    assert (one.run, one.kind, one.phase, one.severity) == ("gpt", "interrupted", Phase.ENDED, Severity.INFO)
    assert one.state == "it had ended, and its training goes on as gpt, queued again"
    assert one.iteration == 7
    assert went_on(RUN, later, found(), told, 300.0) == []
    told.incidents["odd:0:1"] = Entry("odd", 100.0)
    told.incidents["failed:0:1"] = Entry("failed", 100.0, is_history=True)
    assert went_on(RUN, later, found(), told, 300.0) == [], "nobody was told of it"
