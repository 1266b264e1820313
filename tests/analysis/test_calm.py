"""The incidents of a run that goes on: the same as all figures give, wherever it answers, and for less."""

from __future__ import annotations

import random
from math import nan

import pytest
from simulated_runs import times

from itermon.analysis import snapshot
from itermon.analysis.run import Run
from itermon.events import ClockKind, End, EndReason, Event, Iteration, RunInfo

HOOKS = RunInfo(source_format="hooks", pid=7, clock=ClockKind.HOOK)
LOG = RunInfo(source_format="nanoGPT log")


def steps(durations: list[float], losses: list[float], first: int = 0, at_s: float = 1_000.0) -> list[Event]:
    events: list[Event] = []
    for index, (duration_s, loss) in enumerate(zip(durations, losses, strict=True), first):
        at_s += duration_s
        good = loss == loss
        events.append(Iteration(index, duration_s, loss if good else None, at_s=at_s, bad_loss=not good))
    return events


def troubled(seed: int) -> list[Event]:
    """A run with a stall, and losses that jump, are no numbers, or 0; or slower; some begin a second time."""
    chance = random.Random(seed)
    durations = times(700, base_s=1.0, seed=seed)
    losses = [3.0 + chance.gauss(0.0, 0.02) for _ in durations]
    durations[chance.randrange(100, 300)] = chance.choice([20.0, 200.0, 4_000.0])
    what, place = chance.choice(["jump", "nan", "zero", "slower"]), chance.randrange(250, 400)
    for n in range(place, 700):
        if what == "jump":
            losses[n] += 3.0
        elif what == "slower":
            durations[n] *= 1.5
        else:
            losses[n] = nan if what == "nan" else 0.0
    first = chance.choice([0, 0, 350])
    again = steps(durations[first:], losses[first:], 0, 9_000.0) if first else []
    return [*steps(durations[: first or 700], losses[: first or 700]), *again]


@pytest.mark.parametrize("info", [HOOKS, LOG], ids=["hooks", "log"])
@pytest.mark.parametrize("seed", range(12))
def test_it_says_what_all_figures_say(seed: int, info: RunInfo) -> None:
    run, chance, calm_ones = Run(), random.Random(seed), 0
    events = [info, *troubled(seed)]
    while events:
        taken = chance.randrange(1, 40)
        run.apply(events[:taken])
        del events[:taken]
        for silent_s in (0.0, 5.0, 29.0, 31.0, 400.0):
            now_s = (run.intake.last_at_s or 0.0) + silent_s
            calm = run.calm(now_s)
            if calm is not None:
                calm_ones += 1
                assert calm.incidents == run.findings(now_s).incidents
            else:
                assert silent_s >= 29.0
    assert calm_ones > 30


def test_it_says_how_long_nothing_need_be_heard() -> None:
    run = Run()
    run.apply([HOOKS, *steps(times(200, base_s=20.0), [3.0] * 200)])
    heard_s = run.intake.last_at_s or 0.0
    calm = run.calm(heard_s)
    assert calm is not None
    assert calm.silence_s == pytest.approx(60.0, rel=0.05)
    assert run.calm(heard_s + calm.silence_s - 0.01) is not None
    assert run.calm(heard_s + calm.silence_s + 0.01) is None
    young = Run()
    young.apply([HOOKS])
    calm = young.calm(heard_s)
    assert calm is not None
    assert calm.silence_s == 3_600.0, "no time is usual yet"


def test_a_run_that_is_over_needs_all_figures() -> None:
    run = Run()
    run.apply([HOOKS, *steps([1.0] * 50, [3.0] * 50), End(EndReason.FINISHED, at_s=2_000.0)])
    assert run.calm(2_000.0) is None


def test_nothing_that_costs_a_millisecond_is_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run()
    run.apply([HOOKS, *steps(times(200, base_s=1.0), [3.0] * 200)])
    monkeypatch.setattr(snapshot.Snapshot, "__init__", None)
    assert run.calm((run.intake.last_at_s or 0.0) + 5.0) is not None
