"""Stops that nobody announces, and silences that are none of them."""

from __future__ import annotations

from math import nan
from types import SimpleNamespace
from typing import Any

import pytest
from simulated_runs import times

from itermon.analysis.findings import Eta, Findings, Now, Schedule
from itermon.analysis.incidents.unannounced import FIRST_S, LONGER, Unannounced
from itermon.analysis.outlook.now import LONG_SILENCE_S, SILENT
from itermon.analysis.run import Run
from itermon.events import ClockKind, Iteration, RunInfo


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
            "last_at_s": 1_100.0,
            "labels": SimpleNamespace(periods=()),
            **given,
        }
    )


def may(
    run: Any, silent_s: float | None, stops: list[tuple[int, float]] | None = None, *, timed: bool = False
) -> bool:
    of = Unannounced()
    for stop in stops or []:
        of.note(*stop)
    plan = (Schedule("evaluation", mean_s=3.0 if timed else None),)
    return of.may_explain(run, Findings(now=Now(elapsed_s=silent_s), eta=Eta(schedules=plan)))


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
        (fake(INDEX, last_at_s=110.0), SILENT * 10.0, True),
        (fake(INDEX, last_at_s=110.0), SILENT * 10.0 + 1, False),
        (fake(INDEX, last_at_s=None), 1.0, False),
        (fake(INDEX, begun_s=nan), 1.0, False),
        (fake(INDEX, labels=SimpleNamespace(periods=("one",))), 1.0, False),
    ],
)
def test_a_first_stop_is_short_and_shorter_than_what_the_process_has_run(
    run: Any, silent_s: float | None, so: bool
) -> None:
    assert may(run, silent_s) is so


def test_where_what_stops_take_is_known_a_silence_is_none_of_them() -> None:
    assert may(fake(INDEX), 1.0, timed=True) is False


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


@pytest.mark.parametrize(
    ("at", "index", "so"),
    [
        ([100, 200], [249, 250], True),
        ([100, 200, 300], [399, 400], True),
        ([100, 200, 300], [397, 398], True),
        ([100, 200, 300], [396, 397], False),
        ([100, 200, 300], [401, 402], True),
        ([100, 200, 300], [402, 403], False),
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
        ([10, 11, 12], [13, 14], True),
        ([10, 20, 30], [34, 35], False),
        ([10, 20, 30], [40, 41], True),
        ([10, 20, 30], [41, 42], False),
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
