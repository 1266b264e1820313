"""Stops that nobody announces, and silences that are none of them."""

from __future__ import annotations

from simulated_runs import times

from itermon.analysis.incidents.unannounced import FIRST_S, Unannounced
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
