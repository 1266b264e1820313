"""Events of simulated runs for the tests of the analysis: seeded, small, and called simulated."""

from random import Random

from itermon.analysis.run import Run
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    Config,
    Event,
    Iteration,
    RunInfo,
    SpanBegin,
    SpanEnd,
)

NANOGPT = RunInfo(source_format="nanoGPT log", time_includes=(EVALUATION, CHECKPOINT))


def times(count: int, *, base_s: float = 0.2, noise: float = 0.01, seed: int = 1) -> list[float]:
    """Normal iterations: `noise` is their relative standard deviation."""
    random = Random(seed)
    return [base_s * max(0.5, random.gauss(1, noise)) for _ in range(count)]


def nanogpt(
    durations: list[float],
    *,
    every: int = 100,
    evaluation_s: float = 3.0,
    save_every: int = 0,
    save_s: float = 2.0,
) -> list[Event]:
    """What nanoGPT prints: an evaluation every `every`, inside the iteration's time, a checkpoint in some."""
    events: list[Event] = [NANOGPT, Config(origin="log", max_iterations=1_000, evaluation_interval=every)]
    for i, duration in enumerate(durations):
        total = duration
        if i % every == 0:
            events.append(SpanEnd(EVALUATION, iteration=i, values={"train_loss": 3.0, "val_loss": 3.1}))
            total += evaluation_s
            if i and save_every and i % save_every == 0:
                events.append(SpanBegin(CHECKPOINT, iteration=i))
                total += save_s
        events.append(Iteration(i, total, 3.0))
    return events


def watched(events: list[Event]) -> Run:
    """A run that has taken in `events`."""
    run = Run()
    run.apply(events)
    return run


def plain(durations: list[float]) -> list[Event]:
    """Iterations without a word about what is in them."""
    return [NANOGPT, *(Iteration(i, d, 3.0) for i, d in enumerate(durations))]
