"""What is told of incidents that are over, rule by rule."""

from __future__ import annotations

from typing import Any

import pytest
from simulated_runs import watched

from itermon.analysis.findings import Incident
from itermon.analysis.incidents import past
from itermon.events import CHECKPOINT, ClockKind, Config, Event, Iteration, RunInfo, SpanEnd, Witness


def test_of_those_that_the_losses_tell_the_newest_are_told_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "MOST", 2)
    losses = [*[3.0] * 40, None, None] * 3
    rows = [Iteration(n, 1.0, loss, bad_loss="" if loss else "nan") for n, loss in enumerate(losses)]
    assert [one.began_iteration for one in watched([*rows]).findings().incidents] == [82, 124]


@pytest.mark.parametrize(
    ("kind", "over", "evidence", "at", "later"),
    [
        ("stopped", True, ("said",), 0, "Iteration 1 came 50 s later."),
        ("stopped", True, ("said",), 1, "Another training began 20 s later."),
        ("stopped", True, (), 0, None),
        ("stopped", False, ("said",), 0, None),
        ("silent", True, ("said",), 0, None),
        ("stopped", True, ("said",), -1, None),
    ],
)
def test_how_much_later_is_told_of_ends_after_which_it_went_on(
    kind: str, over: bool, evidence: tuple[str, ...], at: int, later: str | None
) -> None:
    run: Any = watched([Iteration(0, 1.0, at_s=100.0), Iteration(1, 1.0, at_s=150.0)]).intake
    one = Incident(kind, "key", ended_at_s=170.0, over=over, evidence=evidence)
    assert past._until_the_next(watched([Iteration(0, 1.0)]).intake, 0, one) == one, "nobody knows when"
    assert past._until_the_next(run, at, one).evidence == (evidence if later is None else (later,))


@pytest.mark.parametrize(("last", "told"), [((60, 60, 20), []), ((60, 40, 20), [60, 40])])
def test_trainings_that_end_at_the_same_iteration_were_not_stopped(last: tuple[int, ...], told: list[int]) -> None:
    begun_s = (1_000.0, 9_000.0, 20_000.0)
    rows = [
        Iteration(n, 1.0, 3.0, at_s=start_s + n)
        for start_s, end in zip(begun_s, last, strict=True)
        for n in range(end + 1)
    ]
    incidents = watched([RunInfo(source_format="nanoGPT log"), *rows]).findings(20_030.0).incidents
    assert [one.began_iteration for one in incidents if one.kind == "stopped"] == told


@pytest.mark.parametrize(
    ("saved", "told"),
    [
        ([], [60, 40]),
        ([(0, 60), (1, 40)], []),  # as those do that are done
        ([(1, 40)], [60]),
        ([(0, 30), (0, 60), (1, 20)], [60, 40]),  # in their midst, too
    ],
)
def test_a_training_that_saves_behind_its_last_row_alone_was_not_stopped(
    saved: list[tuple[int, int]], told: list[int]
) -> None:
    events: list[Event] = [RunInfo(source_format="nanoGPT log")]
    for training, (start_s, end) in enumerate(((1_000.0, 60), (9_000.0, 40), (20_000.0, 20))):
        for n in range(end + 1):
            events.append(Iteration(n, 1.0, 3.0, at_s=start_s + n))
            if (training, n) in saved:
                events.append(SpanEnd(CHECKPOINT, start_s + n, n))
    incidents = watched(events).findings(20_030.0).incidents
    assert [one.began_iteration for one in incidents if one.kind == "stopped"] == told


def test_who_waits_to_be_launched_is_not_silent() -> None:
    found = {}
    for again in (0, 100):  # another training, or the same one that goes on
        rows = [Iteration(n, 1.0, at_s=1_000.0 + n) for n in range(100)]
        rows += [Iteration(again + n, 1.0, at_s=90_000.0 + n) for n in range(50)]
        one = RunInfo(source_format="key: value log", undescribed=True)
        found[again] = [one.kind for one in watched([one, *rows]).findings(90_055.0).incidents]
    assert found == {0: [], 100: ["silent"]}


@pytest.mark.parametrize(
    ("own", "kind", "state"), [(200, "stopped", "iteration 99 of 200"), (99, "finished", "99 of 99")]
)
def test_how_many_there_were_to_be_is_told_of_the_training_that_ended(own: int, kind: str, state: str) -> None:
    """The next one says how many it is to have before its first iteration."""
    rows = [Iteration(n, 1.0, at_s=1_000.0 + n) for n in range(100)]
    later = [Iteration(n, 1.0, at_s=90_000.0 + n) for n in range(50)]
    log = RunInfo(clock=ClockKind.LOG)
    found = watched([log, Config(max_iterations=own), *rows, log, Config(max_iterations=400), *later]).findings()
    (one,) = found.incidents
    assert (one.kind, state in one.state) == (kind, True)
    assert found.progress.max_iterations == 400


def test_that_there_are_too_many_gaps_to_look_at_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "LOOKS", (2, 1_000))
    rows = [Iteration(n, 1.0, at_s=1e9 + n + 10_000.0 * (n // 20)) for n in range(200)]
    said = [m.text for m in watched([RunInfo(clock=ClockKind.LOG), *rows]).findings().messages]
    assert sum("too many long gaps" in text for text in said) == 1


def stamped(*gaps_s: float) -> list[Iteration]:
    """A row after each of these gaps, timed by nothing but its stamp."""
    at_s, rows = 1_000.0, []
    for n, gap_s in enumerate(gaps_s):
        at_s += gap_s
        rows.append(Iteration(n, gap_s, at_s=at_s, witness=Witness.STAMPS))
    return rows


def silences(*gaps_s: float) -> list[int | None]:
    info = RunInfo(source_format="counted lines", clock=ClockKind.LOG)
    found = watched([info, *stamped(*gaps_s)]).findings().incidents
    return [one.began_iteration for one in found if one.kind == "silent"]


def test_a_gap_that_begins_a_slower_pace_is_no_silence() -> None:
    assert silences(*[2.0] * 1_003, 3_000.0, *[2.0] * 9) == [1_002]
    assert silences(*[2.0] * 1_003, *[3_000.0] * 9) == []


def test_a_silence_that_is_shorter_than_several_that_are_passed_over_is_not_told_alone() -> None:
    evaluated = [gap for n in range(30) for gap in (*[8.0] * 49, 400.0 + 10 * (n % 5))]
    shorter = [*evaluated[:220], 90.0, *evaluated[220:]]
    assert silences(*shorter) == []
    assert silences(*[8.0] * 223, 900.0, *[8.0] * 900) == [222], "where none is longer"


@pytest.mark.parametrize(
    ("every", "said"), [(1, "It ended at iteration 99; "), (500, "Its last row is of iteration 49,500; ")]
)
def test_a_run_that_prints_few_iterations_may_have_gone_on_behind_its_last_row(every: int, said: str) -> None:
    info = RunInfo(source_format="nanoGPT log", clock="log")
    rows = [
        Iteration(n * every, 1.0, 3.0, at_s=start_s + n * every)
        for start_s in (1e6, 2e6)
        for n in range(100 if start_s < 2e6 else 50)
    ]
    (one,) = watched([info, *rows]).findings().incidents
    assert (one.kind, one.over) == ("stopped", True)
    assert one.state.startswith(said)


@pytest.mark.parametrize(("total", "next_index", "passed"), [(259, 300, True), (999, 300, False), (250, 0, False)])
def test_nothing_was_at_its_end_by_a_total_that_it_has_passed(total: int, next_index: int, passed: bool) -> None:
    """The length of an epoch, beside a counter of all of them; another training may well have come to it."""
    rows = [Iteration(n, 1.0, at_s=100.0 + n) for n in (0, 50, 100, 150, 200, 250)]
    later = [Iteration(next_index + n, 1.0, at_s=900.0 + n) for n in range(3)]
    run = watched([Config(max_iterations=total, origin="log, line 1"), *rows, *later]).intake
    one = Incident("finished", "key", ended_at_s=900.0, over=True, state="Finished: iteration 250 of 259.")
    assert past._went_past_its_end(run, 5, one) is passed
    assert not past._went_past_its_end(run, 8, one), "nothing came after it"
