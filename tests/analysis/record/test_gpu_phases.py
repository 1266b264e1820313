"""GPU seconds by phase: of an iteration that somebody looks at, and what is usual."""

from __future__ import annotations

import pytest

from itermon.analysis.findings import GpuPhase
from itermon.analysis.run import Run
from itermon.events import (
    BadEventError,
    Iteration,
    Phases,
    RunInfo,
    decode,
)

# The bounds as numbers of its own: from the code, a test would move with them.
KEPT = 1_024


def reported(index: int, forward_s: float = 0.1, rank: int | None = None) -> list[Iteration | Phases]:
    phases = Phases(index, {"forward": forward_s, "\x1b[2J": 1.0}, rank=rank)
    return [Iteration(index, 0.5, at_s=1e9 + index / 2, rank=rank), phases]


def of(run: Run, index: int) -> tuple[GpuPhase, ...]:
    spike = run.spike(run.columns.index.index(index))
    assert spike is not None
    return spike.gpu_phases


def test_the_iteration_looked_at_has_its_phases_beside_the_usual_ones() -> None:
    run = Run()
    for index in range(100):
        run.apply(reported(index, 0.3 if index == 90 else 0.1))
    assert of(run, 90) == (GpuPhase("forward", 0.3, 0.1),)
    assert run.findings().gpu_phases_s == {"forward": 0.1}


def test_without_phases_there_is_none() -> None:
    run = Run()
    run.apply([Iteration(0, 0.5), Iteration(1, 0.5)])
    assert of(run, 1) == ()
    assert run.findings().gpu_phases_s == {}


def test_the_phases_are_those_of_the_rank_that_is_shown() -> None:
    run = Run()
    for index in range(10):
        run.apply([*reported(index, 0.1, rank=0), *reported(index, 0.4, rank=1)])
    assert of(run, 9) == (GpuPhase("forward", 0.1, 0.1),)


def test_another_process_has_phases_of_its_own() -> None:
    run = Run()
    run.apply([RunInfo(name="first"), *reported(0), *reported(1)])
    run.apply([RunInfo(name="second"), Iteration(0, 0.5), Iteration(1, 0.5)])
    assert of(run, 1) == ()
    run.apply([Phases(1, {"forward": 0.2})])
    first, second = run.spike(1), run.spike(3)
    assert first is not None
    assert second is not None
    assert (first.gpu_phases, second.gpu_phases) == ((), (GpuPhase("forward", 0.2, 0.2),))


def test_no_more_is_kept_than_anybody_looks_at() -> None:
    run = Run()
    for index in range(KEPT + 1):
        run.apply(reported(index))
    assert of(run, 0) == ()
    assert of(run, 1) != ()


def test_impossible_seconds_are_no_event() -> None:
    with pytest.raises(BadEventError):
        decode(b'{"type":"phases","iteration":1,"phases":{"forward":-1.0}}')


def test_phases_that_nobody_knows_leave_those_that_are_known() -> None:
    run = Run()
    run.apply([*reported(0), Phases(0, {"other": 1.0})])
    assert run.findings().gpu_phases_s == {"forward": 0.1}


def test_usual_is_what_the_newest_64_iterations_took() -> None:
    run = Run()
    for index in range(128):
        run.apply(reported(index, 0.3 if index < 64 else 0.1))
    assert run.findings().gpu_phases_s == {"forward": 0.1}
    run.apply([event for index in range(128, 161) for event in reported(index, 0.5)])
    assert run.findings().gpu_phases_s == {"forward": 0.5}, "33 of the 64"


def test_what_the_host_says_beside_the_gpu_is_told_apart_and_usual_only_if_most_iterations_have_it() -> None:
    run = Run()
    for index in range(40):
        logged = {"logging": 0.02} if index % 2 else {"logging": 0.02, "data": 0.01}
        beside = logged | ({"evaluation": 4.0} if index % 20 == 19 else {})
        run.apply([*reported(index), Phases(index, beside, on_host=True, whole=False)])
    assert of(run, 39) == (
        GpuPhase("forward", 0.1, 0.1),
        GpuPhase("logging", 0.02, 0.02, on_host=True),
        GpuPhase("evaluation", 4.0, 4.0, on_host=True),
    )
    findings = run.findings()
    assert findings.gpu_phases_s == {"forward": 0.1}
    assert findings.host_phases_s == {"data": 0.01, "logging": 0.02}


def test_on_the_cpu_one_clock_says_all() -> None:
    run = Run()
    run.apply([Iteration(0, 0.5), Phases(0, {"forward": 0.1, "logging": 0.2}, on_host=True), Iteration(1, 0.5)])
    findings = run.findings()
    assert (findings.gpu_phases_s, findings.host_phases_s) == ({}, {"forward": 0.1, "logging": 0.2})
