"""What a run was in and got out of: the same live, in batches of any size, and replayed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from simulated_runs import times

from itermon.analysis.incidents import past
from itermon.analysis.record.columns import Columns
from itermon.analysis.run import Run
from itermon.events import (
    Alive,
    ClockKind,
    End,
    EndReason,
    Event,
    Iteration,
    Launch,
    Message,
    RunInfo,
    Severity,
    SpanBegin,
    SpanEnd,
)

if TYPE_CHECKING:
    from itermon.analysis.findings import Incident

# The bounds as numbers of its own: from the code, a test would move with them.
LEAST_SILENCE_S, SILENT = 30.0, 3.0

INFO = RunInfo(source_format="hooks", pid=7, clock=ClockKind.HOOK)


def heard(durations: list[float], *, start_s: float = 1_000.0, first: int = 0) -> list[Event]:
    at_s, events = start_s, []
    for index, duration_s in enumerate(durations, first):
        at_s += duration_s
        events.append(Iteration(index, duration_s, 3.0, at_s=at_s))
    return events


def taken(events: list[Event], batch: int = 10_000) -> Run:
    run = Run()
    for start in range(0, len(events), batch):
        run.apply(events[start : start + batch])
    return run


def named(incidents: tuple[Incident, ...]) -> list[str]:
    return [one.key for one in incidents]


LOG = RunInfo(source_format="nanoGPT log")
STALL = [*times(100, base_s=1.0), 200.0, *times(100, base_s=1.0, seed=2)]


def test_a_silence_that_was_broken_is_remembered_with_both_its_ends() -> None:
    events = [INFO, *heard(STALL)]
    (one,) = taken(events).findings().incidents
    assert (one.kind, one.key, one.over) == ("silent", "silent:1:99", True)
    assert one.began_at_s == events[100].at_s
    assert one.ended_at_s == events[101].at_s
    assert one.state.startswith("Nothing new for 3 m 20 s")


@pytest.mark.parametrize("batch", [1, 3, 50, 101])
def test_batches_change_nothing(batch: int) -> None:
    events = [INFO, *heard(STALL)]
    assert taken(events, batch).findings().incidents == taken(events).findings().incidents


def test_a_stop_that_a_run_survives_is_remembered_as_one() -> None:
    run = taken([LOG, *heard(STALL)])
    assert [(round(stop.seconds), stop.iteration) for stop in run.past.unannounced._stops] == [(200, 99)]


def test_the_figures_are_looked_at_after_64_iterations_and_again_after_as_many() -> None:
    run = Run()
    assert run.past.stops(run.intake, [Iteration(n, 1.0) for n in range(150)]) == [64, 128]
    run.apply([Iteration(n, 1.0) for n in range(100)])
    assert run.past.stops(run.intake, [Iteration(n, 1.0) for n in range(100, 150)]) == [28]


@pytest.mark.parametrize(("lines", "looks"), [(0, 256), (63, 256), (640, 266)])
def test_it_looks_256_times_and_once_for_each_64_lines(lines: int, looks: int) -> None:
    run = taken([LOG, *heard([1.0] * lines)])
    run.past._looks = 0
    assert sum(run.past._may_look(run.intake) for _ in range(1_000)) == looks


def test_it_is_the_same_while_it_lasts_and_when_somebody_watches() -> None:
    events = [INFO, *heard(STALL)]
    run = taken(events[:101])
    stood_s = events[100].at_s
    assert run.findings(stood_s + 29).incidents == ()
    (live,) = run.findings(stood_s + 60).incidents
    run.apply(events[101:])
    (then,) = run.findings(events[-1].at_s).incidents
    assert (live.key, live.began_at_s, live.over) == (then.key, then.began_at_s, False)
    assert named(taken(events).findings().incidents) == [then.key]


def test_an_evaluation_as_long_as_usual_is_none() -> None:
    durations = [61.0 if n % 50 == 49 else 1.0 for n in range(400)]
    assert taken([LOG, *heard(durations)]).findings().incidents == ()


def test_an_evaluation_that_hooks_report_is_none_before_its_usual_time_is_known() -> None:
    first = heard([1.0] * 100)
    begin_s = first[-1].at_s
    spans = [SpanBegin("evaluation", at_s=begin_s, iteration=99), SpanEnd("evaluation", at_s=begin_s + 900.0)]
    later = heard([1.0] * 20, start_s=begin_s + 900.0, first=100)
    assert taken([INFO, *first, *spans, *later]).findings().incidents == ()


def test_a_silence_after_the_first_line_has_its_iteration() -> None:
    (one,) = taken([INFO, *heard([1.0, 200.0, 1.0], first=7)]).findings().incidents
    assert (one.began_iteration, one.ended_iteration) == (7, 7)


def test_what_began_later_comes_later() -> None:
    """A loss that is NaN for two iterations, then a silence, then an end; the silence is over by it."""
    first = heard([1.0] * 100)
    bad = [replace(one, loss=None, bad_loss="nan") for one in first[98:] if isinstance(one, Iteration)]
    end = End(EndReason.FAILED, at_s=1_400.0, exit_code=1)
    found = taken([INFO, *first[:98], *bad, end]).findings(1_401.0).incidents
    assert [(one.kind, one.over) for one in found] == [
        ("loss-not-finite", False),
        ("silent", True),
        ("failed", False),
    ]


def test_a_silence_before_a_span_is_one() -> None:
    first = heard([1.0] * 100)
    at_s = first[-1].at_s + 300.0
    events = [INFO, *first, SpanBegin("evaluation", at_s=at_s, iteration=99)]
    (one,) = taken(events).findings().incidents
    assert (one.kind, one.ended_at_s) == ("silent", at_s)


def test_a_failure_after_which_it_went_on_is_remembered() -> None:
    first = heard([1.0] * 100)
    died_s = first[-1].at_s + 0.5
    words = [Message("RuntimeError: boom", Severity.ERROR, died_s, line=3, ending=EndReason.FAILED)]
    end = [*words, End(EndReason.FAILED, at_s=died_s, exit_code=1)]
    info = RunInfo(source_format="hooks", pid=8, clock=ClockKind.HOOK)
    again = [info, *heard([1.0] * 50, start_s=died_s + 60, first=90)]
    live = taken([INFO, *first, *end]).findings(died_s + 10).incidents
    events = [INFO, *first, *end, *again]
    (one,) = taken(events).findings().incidents
    assert (one.kind, one.over, one.ended_at_s) == ("failed", True, died_s + 61)
    assert "boom" in one.state
    assert named(live) == [one.key]
    assert taken(events, 1).findings().incidents == (one,)
    assert taken(events).past.unannounced._stops == [], "it stood still, and that was no silence"


def test_a_log_without_a_clock_has_no_silences() -> None:
    assert taken([RunInfo(), *(Iteration(n, d, 3.0) for n, d in enumerate(STALL))]).findings().incidents == ()


def test_no_log_can_make_the_looks_a_burden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "LOOKS", (3, 64))
    asked = []
    run = Run()
    run.past._standing = lambda *_: asked.append(1) or (False, ())  # type: ignore[assignment]
    run.apply(heard([100.0 * 3.0**n for n in range(20)]))
    assert len(asked) == 3
    assert [one.text for one in run.findings().messages if "silences and stops after iteration" in one.text] != []


def test_only_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "MOST", 2)
    stalls = times(100, base_s=1.0) + ([200.0, *times(40, base_s=1.0)]) * 4
    found = taken([INFO, *heard(stalls)]).findings().incidents
    assert [one.began_iteration for one in found] == [181, 222]


@pytest.mark.parametrize(
    ("at_s", "places"),
    [
        ([0.0, 1.0, 2.0], []),
        ([0.0, 1.0, 1.0 + LEAST_SILENCE_S], []),
        ([0.0, 1.0, 1.1 + LEAST_SILENCE_S], [2]),
        ([0.0, LEAST_SILENCE_S], []),
        ([None, 1.0, 2.0 + LEAST_SILENCE_S], [2]),
        ([0.0, 2.0 + LEAST_SILENCE_S, None], [1]),
        ([0.0, None, 2.0 + LEAST_SILENCE_S], [2]),
        ([0.0, 100.0, 50.0, 101.0], [1]),  # by a clock that was set back
        ([None, None], []),
        ([500.0, 501.0, 502.0], []),
    ],
)
def test_what_comes_after_a_silence_is_told_of(at_s: list[float | None], places: list[int]) -> None:
    events = [Iteration(i, 1.0, at_s=at) for i, at in enumerate(at_s)]
    assert [*past._after_silences(events)] == places


@pytest.mark.parametrize(
    ("level_s", "silent_s", "so"),
    [
        (None, LEAST_SILENCE_S, False),
        (None, LEAST_SILENCE_S + 1, True),
        (1.0, LEAST_SILENCE_S + 1, True),
        (100.0, SILENT * 100.0, False),
        (100.0, SILENT * 100.0 + 1, True),
    ],
)
def test_a_silence_is_longer_than_any_and_than_is_usual(level_s: float | None, silent_s: float, so: bool) -> None:
    baseline = None if level_s is None else SimpleNamespace(level=level_s)
    columns = Columns()
    run: Any = SimpleNamespace(timing=SimpleNamespace(baseline=baseline), columns=columns, process_start=0)
    assert past._long(run, silent_s) is so
    rows = enumerate([90.0, *(100.0 * n for n in range(1, 10))])  # the shortest gap is not of the newest nine
    columns.extend([Iteration(n, 40.0, at_s=at_s) for n, at_s in rows])
    assert past._long(run, silent_s) is (so and silent_s > 200.0)


@pytest.mark.parametrize("place", [None, 0, 1, 2])
def test_plain_times_and_losses_are_no_measurement(place: int | None) -> None:
    heard, waits, ranks = (place == n for n in range(3))
    run: Any = SimpleNamespace(
        telemetry=SimpleNamespace(is_heard=heard),
        columns=SimpleNamespace(data_wait_s=[1.0] * waits),
        ranks=SimpleNamespace(newest=lambda: {0: 1} if ranks else {}),
    )
    assert past._is_measured(run) is (place is not None)


@pytest.mark.parametrize("pause_s", [2_000.0, 30 * 86_400.0])
def test_where_another_training_follows_the_one_before_it_had_ended_and_no_log_ends(pause_s: float) -> None:
    first = heard(times(100, base_s=1.0))
    begun_s = 1_100.0 + pause_s
    events = [LOG, *first, *heard(times(50, base_s=1.0), start_s=begun_s)]
    (one,) = taken(events).findings(begun_s + 60.0).incidents
    assert (one.kind, one.key, one.began_iteration, one.over) == ("stopped", "silent:1:99", 99, True)
    assert one.state == "It ended at iteration 99; no line that itermon can read says why."
    later = "33 m 21 s" if pause_s < 9_000 else "30 d 00 h"
    assert one.evidence == (f"The first iteration of the next training came {later} later.",)


@pytest.mark.parametrize(
    ("head", "first", "came"),
    [
        ([LOG], 0, "The first iteration of the next training came"),
        ([Launch(8_999.0, line=200)], 0, "The first iteration of another process came"),
        ([LOG], 60, "Iteration 60 came"),
        ([Launch(8_999.0, line=200), LOG], 60, "The first iteration of another process came"),
        ([INFO], 60, "The first iteration of another process came"),
    ],
)
def test_another_process_is_only_told_of_where_its_beginning_proves_it(
    head: list[Event], first: int, came: str
) -> None:
    rows = heard(times(100, base_s=1.0)), heard(times(50, base_s=1.0), start_s=9_000.0, first=first)
    (one,) = taken([head[0] if head == [INFO] else LOG, *rows[0], *head, *rows[1]]).findings().incidents
    assert one.evidence == (f"{came} 2 h 12 m later.",)


def test_rows_that_are_always_long_apart_are_not_looked_at_until_a_silence_comes() -> None:
    """Many short trainings of slow epochs, none with a level of its own: all pauses between them are told of."""
    events: list[Event] = []
    for n in range(20):
        events += [LOG, *heard([100.0] * (6 + n), start_s=20_000.0 * n)]
    run = taken(events)
    assert len(run.findings().incidents) == 19
    assert run.past._looks < 4 * 20


@pytest.mark.parametrize(
    ("goes_on", "later"),
    [
        (True, "The first iteration of another process came 1 h 15 m later."),
        (False, "Another process began 40 m 00 s later."),
    ],
)
def test_how_much_later_it_went_on_is_by_the_first_iteration_where_there_is_one(goes_on: bool, later: str) -> None:
    head = [Launch(line=200), Alive(3_500.0)]  # a line of its head comes before
    rows = heard(times(50, base_s=1.0), start_s=5_600.0) if goes_on else []
    last = [one for one in taken([LOG, *heard([1.0] * 100), *head, *rows]).findings().incidents if one.over]
    assert [one.evidence for one in last] == [(later,)]


def test_a_line_of_the_head_of_the_next_training_does_not_make_a_silence_of_an_end() -> None:
    first, begun_s = heard(times(100, base_s=1.0)), 9_100.0
    for talks, kinds in ((1, ["stopped"]), (500, [])):  # who waits to be launched is not silent
        talk = [Alive(begun_s + 20.0 * n) for n in range(talks)]
        events = [LOG, *first, *talk, *heard(times(50, base_s=1.0), start_s=begun_s + 20.0 * talks)]
        found = taken(events).findings().incidents
        assert [(one.kind, one.key, one.over) for one in found] == [(one, "silent:1:99", True) for one in kinds]


def test_a_process_whose_iterations_are_far_ahead_is_another_one_no_silence() -> None:
    first = [Iteration(20 * n, 1.0, at_s=1_000.0 + 20 * n) for n in range(20)]
    second = [Iteration(60_000 + 20 * n, 1.0, at_s=90_000.0 + 20 * n) for n in range(20)]
    for head, kind in ([LOG], "stopped"), ([], None):
        found = taken([LOG, *first, Alive(89_990.0), *head, *second]).findings().incidents
        assert [one.kind for one in found if one.over] == [kind] * (kind is not None)


def test_a_process_that_goes_on_after_days_had_only_been_silent() -> None:
    events = [LOG, *heard([*times(100, base_s=1.0), 5 * 86_400.0, *times(50, base_s=1.0)])]
    (one,) = taken(events).findings().incidents
    assert (one.kind, one.state, one.evidence) == ("silent", "Nothing new for 5 d 00 h.", ())


def said(text: str, ending: EndReason, **more: Any) -> Message:
    level = Severity.ERROR if ending == EndReason.FAILED else Severity.INFO
    return Message(text, level=level, ending=ending, **more)


@pytest.mark.parametrize(
    ("words", "kind", "state"),
    [
        (
            [said("Training done.", EndReason.FINISHED), said("ValueError: port", EndReason.FAILED)],
            "finished",
            "Finished: Training done.",
        ),
        (
            [said("Training done.", EndReason.FINISHED), said("ValueError: port", EndReason.FAILED, anew=True)],
            "finished",
            "Finished: Training done.",
        ),
        (
            [said("KeyError: 1", EndReason.FAILED), said("ValueError: port", EndReason.FAILED, anew=True)],
            "failed",
            "Failed: KeyError: 1.",
        ),
        (
            [said("ValueError: port", EndReason.FAILED, anew=True)],
            "stopped",
            "It ended at iteration 99; no line that itermon can read says why.",
        ),
        ([said("KeyError: 1", EndReason.FAILED)], "failed", "Failed: KeyError: 1."),
    ],
)
def test_the_error_of_a_later_launch_is_not_that_of_the_training_before_it(
    words: list[Message], kind: str, state: str
) -> None:
    events = [LOG, *heard(times(100, base_s=1.0)), *words, LOG, *heard(times(50), start_s=9_000.0)]
    (one,) = taken(events).findings().incidents
    assert (one.kind, one.state) == (kind, state)
