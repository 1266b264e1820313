"""Stops that nobody announces, and silences that are none of them."""

from __future__ import annotations

from math import nan
from types import SimpleNamespace
from typing import Any

import pytest
from simulated_runs import times

from itermon.analysis.findings import Eta, Findings, Now, Progress, Schedule
from itermon.analysis.incidents.unannounced import Unannounced
from itermon.analysis.run import Run
from itermon.events import ClockKind, Iteration, RunInfo

# The bounds as numbers of its own: from the code, a test would move with them.
FIRST_S, LONGER, SHARE, LONG_SILENCE_S, SILENT = 900.0, 3.0, 0.5, 3_600.0, 3.0


def run_of(durations: list[float], *, clock: ClockKind | None = None) -> Run:
    at_s, events = 1_000.0, [RunInfo(source_format="a log", clock=clock)]
    for index, duration_s in enumerate(durations):
        at_s += duration_s
        events.append(Iteration(index, duration_s, 3.0, at_s=at_s))
    run = Run()
    run.apply(events)
    return run


def silent_for(run: Run, seconds: float) -> list[str]:
    """The open incidents after so many seconds."""
    found = run.findings(run.intake.last_at_s + seconds).incidents
    return [one.kind for one in found if not one.over]


def test_before_the_first_stop_nobody_knows_how_long_one_takes() -> None:
    run = run_of(times(100, base_s=1.0))
    assert silent_for(run, 60) == []
    assert silent_for(run, 310) == ["silent"]


def test_a_long_run_waits_no_longer_than_a_quarter_of_an_hour() -> None:
    run = run_of(times(2_000, base_s=1.0))
    assert silent_for(run, FIRST_S - 1) == []
    assert silent_for(run, FIRST_S + 1) == ["silent"]


def test_hooks_announce_their_stops() -> None:
    run = run_of(times(100, base_s=1.0), clock=ClockKind.HOOK)
    assert silent_for(run, 29) == []
    assert silent_for(run, 31) == ["silent"]


def test_the_first_lines_are_compilation_and_first_batches() -> None:
    assert silent_for(run_of([1.0, 1.0]), 1_800) == []
    assert silent_for(run_of([1.0, 1.0]), 3_601) == ["silent"]


def test_where_stops_come_at_equal_distances_another_silence_is_none() -> None:
    stopping = [90.0 if n % 50 == 49 else 1.0 for n in range(400)]
    assert silent_for(run_of([*stopping, *times(20, base_s=1.0)]), 40) == ["silent"]
    assert silent_for(run_of([*stopping[:399]]), 100) == []


def test_an_end_that_lasted_a_day_says_nothing_of_stops() -> None:
    stops = Unannounced()
    stops.note(10, 100.0)
    stops.note(20, 86_400.0)
    assert [stop.seconds for stop in stops._stops] == [100.0]


def test_iterations_without_a_time_tell_nothing_of_a_silence() -> None:
    run = run_of([*times(100, base_s=1.0), 100.0])
    run.apply([Iteration(n, 1.0, 3.0) for n in range(101, 110)])
    assert silent_for(run, 80_000) == []


def fake(index: list[int], **given: Any) -> Any:
    """A run that was heard last at its newest iteration, 1,000 s after it began at 100 s."""
    columns = type("Columns", (SimpleNamespace,), {"__len__": lambda of: len(of.index)})(
        index=index, time_at=lambda _: given.get("begun_s", 100.0)
    )
    return SimpleNamespace(
        **{
            "columns": columns,
            "spans": SimpleNamespace(by_hooks=False),
            "heard_at": len(index),
            "process_start": 0,
            "heard_s": 1_100.0,
            "labels": SimpleNamespace(periods=()),
            **given,
        }
    )


NO_PLAN = Schedule("evaluation")


def may(
    run: Any,
    silent_s: float | None,
    stops: list[tuple[int, float]] | None = None,
    *,
    plan: Schedule = NO_PLAN,
    last: int | None = None,
    usual_s: float | None = None,
) -> bool:
    of = Unannounced()
    for stop in stops or []:
        of.note(*stop)
    progress = Progress(max_iterations=last)
    return of.may_explain(
        run,
        Findings(now=Now(elapsed_s=silent_s, usual_s=usual_s), eta=Eta(schedules=(plan,)), progress=progress),
    )


INDEX = [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("run", "silent_s", "so"),
    [
        (fake(INDEX), None, False),
        (fake(INDEX, spans=SimpleNamespace(by_hooks=True)), 1.0, False),
        (fake(INDEX, heard_at=3), 9e9, True),
        (fake(INDEX[:2]), LONG_SILENCE_S, True),
        (fake(INDEX[:2]), LONG_SILENCE_S + 1, False),
        (fake(INDEX[:3]), FIRST_S + 1, False),
        (fake(INDEX, process_start=2), LONG_SILENCE_S, True),
        (fake(INDEX), FIRST_S, True),
        (fake(INDEX), FIRST_S + 1, False),
        (fake(INDEX, heard_s=110.0), SILENT * 10.0, True),
        (fake(INDEX, heard_s=110.0), SILENT * 10.0 + 1, False),
        (fake(INDEX, heard_s=None), 1.0, False),
        (fake(INDEX, begun_s=nan), 1.0, False),
        (fake(INDEX, labels=SimpleNamespace(periods=("one",))), 1.0, False),
    ],
)
def test_a_first_stop_is_short_and_shorter_than_what_the_process_has_run(
    run: Any, silent_s: float | None, so: bool
) -> None:
    assert may(run, silent_s) is so


@pytest.mark.parametrize(
    ("index", "silent_s", "so"),
    [
        ([0, 1, 775, 776], SHARE * 1_000, True),  # the end of an epoch, whose length nobody knows
        ([0, 1, 775, 776], SHARE * 1_000 + 1, False),
        ([0, 1, 40, 41], SHARE * 1_000 + 1, False),
        ([0, 1, 44, 45], FIRST_S, True),  # round: somebody may have asked for it
        ([0, 1, 42, 43], FIRST_S, True),  # counted from 0, as the one behind the next
        ([0, 1, 41, 42], SHARE * 1_000 + 1, False),
        ([0, 1, 247, 248], FIRST_S, True),
        ([0, 1, 9_999, 10_000], FIRST_S, True),
        ([0, 1, 11_100, 11_200], SHARE * 1_000 + 1, False),
    ],
)
def test_a_first_stop_comes_after_a_round_number_or_is_shorter(
    index: list[int], silent_s: float, so: bool
) -> None:
    assert may(fake(index), silent_s) is so


@pytest.mark.parametrize(
    ("index", "last", "so"),
    [
        ([0, 1, 498, 499], 1_000, True),
        ([0, 1, 499, 500], 1_000, False),
        ([0, 1, 997, 998], 1_000, True),  # the last evaluation
        ([0, 1, 996, 997], 1_000, False),
        ([400, 401, 799, 800], 1_000, True),  # it went on from 400
    ],
)
def test_what_has_not_come_in_the_first_half_does_not_come_again(index: list[int], last: int, so: bool) -> None:
    assert may(fake(index), 40.0, last=last) is so


@pytest.mark.parametrize(
    ("due", "seen", "so"),
    [(43, 3, True), (44, 3, False), (None, 3, False), (44, 2, True)],
)
def test_a_log_that_tells_of_its_stops_has_no_other(due: int | None, seen: int, so: bool) -> None:
    plan = Schedule("evaluation", 10, seen=seen, next_iteration=due)
    assert may(fake([0, 1, 41, 42]), 40.0, plan=plan) is so


def test_a_stop_that_was_announced_may_take_longer_than_a_first_one() -> None:
    for announced, kept in ((False, 0), (True, 1)):
        of = Unannounced()
        of.note(549, LONG_SILENCE_S + 1, announced=announced)
        assert len(of._stops) == kept


def test_where_what_stops_take_is_known_a_silence_is_none_of_them() -> None:
    assert may(fake(INDEX), 1.0, plan=Schedule("evaluation", mean_s=3.0)) is False


@pytest.mark.parametrize(
    ("stops", "silent_s", "so"),
    [
        ([(1, 100.0)], LONGER * 100.0, True),
        ([(1, 100.0)], LONGER * 100.0 + 1, False),
        ([(1, 100.0), (2, 10.0)], LONGER * 100.0, True),
        ([(1, 10.0), (2, LONGER * 10.0)], LONGER * LONGER * 10.0, True),
        ([(1, 10.0), (2, LONGER * 10.0 + 1)], LONGER * 10.0 + 1, False),  # that was none
        ([(1, LONGER * FIRST_S)], LONGER * FIRST_S, True),
        ([(1, LONGER * FIRST_S + 1)], FIRST_S, True),
        ([(1, LONGER * FIRST_S + 1)], FIRST_S + 1, False),
    ],
)
def test_a_stop_takes_some_times_the_longest_that_was_survived(
    stops: list[tuple[int, float]], silent_s: float, so: bool
) -> None:
    assert may(fake(INDEX), silent_s, stops) is so


@pytest.mark.parametrize(("usual_s", "so"), [(None, True), (33.0, True), (34.0, False)])
def test_what_lasted_no_longer_than_is_usual_now_was_no_stop(usual_s: float | None, so: bool) -> None:
    """A first line of 100 s where 34 s are usual: half of the run is over, and none has come."""
    assert may(fake([0, 900, 913]), 290.0, [(0, 100.0)], last=1_000, usual_s=usual_s) is so


@pytest.mark.parametrize(
    ("at", "index", "so"),
    [
        ([100, 200], [249, 250], True),  # 250 is round, and another stop may come there
        ([100, 200], [253, 254], False),  # the first came as far from the beginning as the second from it
        ([100, 201], [301, 302], True),
        ([100, 260], [333, 334], True),
        ([100, 200, 300], [399, 400], True),
        ([100, 200, 300], [397, 398], True),
        ([100, 200, 300], [396, 397], False),
        ([100, 200, 300], [401, 402], True),
        ([100, 200, 300], [402, 403], False),
        ([100, 200, 300], [301, 302], False),  # the newest is over
        ([100, 200, 300], [299, 300], True),  # it goes on
        ([100, 200, 300], [349, 350], False),
        ([100, 200, 300], [340, 350], False),
        ([100, 200, 300], [380, 390], True),  # every tenth is printed
        ([100, 200, 300], [379, 389], False),
        ([100, 200, 300], [599, 600], True),
        ([100, 197, 300], [349, 350], True),  # no equal distances
        ([100, 199, 300], [349, 350], False),
        ([0, 100, 197, 300], [349, 350], True),
        ([17, 100, 200, 300], [349, 350], False),
        ([300, 200, 100], [349, 350], True),
        ([100, 200, 200], [349, 350], True),
        ([200, 200, 200], [349, 350], True),
        ([10, 11, 12], [13, 14], True),
        ([10, 20, 30], [34, 35], False),
        ([10, 20, 30], [40, 41], True),
        ([10, 20, 30], [41, 42], False),
        ([10, 20, 30], [41, 41], True),  # a number that is printed twice
        ([10, 20, 30], [42, 42], False),
    ],
)
def test_where_stops_have_equal_distances_the_next_comes_at_the_same(
    at: list[int], index: list[int], so: bool
) -> None:
    assert may(fake([0, 1, *index]), 10.0, [(iteration, 100.0) for iteration in at]) is so


def test_the_newest_stops_are_kept() -> None:
    of = Unannounced()
    for iteration in range(50):
        of.note(iteration, 100.0)
    assert [stop.iteration for stop in of._stops] == list(range(18, 50))


@pytest.mark.parametrize(("first", "so"), [(0, False), (1, False), (2, True)])
def test_the_first_stop_counts_from_the_beginning_of_a_process_that_began_with_the_run(
    first: int, so: bool
) -> None:
    assert may(fake([first, first + 1, 253, 254]), 10.0, [(100, 100.0), (200, 100.0)]) is so
