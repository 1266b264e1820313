"""What the analysis costs: events a second through `Run.apply`, bytes an iteration, and a refresh of the screen,
of one process and of four ranks.

    python bench/apply.py [--most 10000000]

The floor beside it, in the same run: appending each event's number to a list. Ratios hold on a busy machine,
absolute figures (of CPU time) less so.
"""

from __future__ import annotations

import argparse
import resource
from random import Random
from statistics import median
from time import process_time
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK = 5_000
HEADER: list[Event] = [
    RunInfo(source_format="nanoGPT log", time_includes=(EVALUATION, CHECKPOINT)),
    Config(origin="log", max_iterations=10_000_000, evaluation_interval=250, checkpoint_interval=1_000),
]


def chunks(count: int) -> Iterator[list[Event]]:
    """Iterations of 2 % noise, an evaluation every 250, a checkpoint every 1,000, in chunks."""
    random = Random(7)
    noise = [1 + random.gauss(0, 0.02) for _ in range(9_973)]
    for start in range(0, count, CHUNK):
        events: list[Event] = []
        for i in range(start, min(start + CHUNK, count)):
            duration_s = 0.25 * noise[i % 9_973]
            if i % 250 == 0:
                events.append(SpanEnd(EVALUATION, iteration=i, values={"val_loss": 3.0}))
                duration_s += 4.0
                if i % 1_000 == 0 and i:
                    events.append(SpanBegin(CHECKPOINT, iteration=i))
                    duration_s += 2.0
            events.append(Iteration(i, duration_s, 3.0, 0.5))
        yield events


def floor(events: list[Event], numbers: list[float]) -> float:
    begun = process_time()
    for event in events:
        numbers.append(event.duration_s if type(event) is Iteration else 0.0)  # type: ignore[arg-type] # noqa: PERF401
    return process_time() - begun


def memory_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as statm:  # noqa: PTH123
        return int(statm.read().split()[1]) * resource.getpagesize()


def refresh_ms(run: Run, calls: int = 20) -> float:
    """Median milliseconds of what the screen asks for at each tick: findings and a chart of the whole run."""
    times = []
    for _ in range(calls):
        begun = process_time()
        run.findings()
        run.chart(0, len(run.columns) - 1, 120)
        times.append(process_time() - begun)
    return 1e3 * median(times)


def of_ranks(count: int, ranks: int = 4) -> Run:
    """A run of several ranks, of which one is late by up to 0.2 s, and an unexplained stall every 100."""
    random, run = Random(3), Run()
    for start in range(0, count, CHUNK):
        events: list[Event] = []
        for i in range(start, min(start + CHUNK, count)):
            late_s = 0.2 * random.random()
            duration_s = 0.5 + late_s + (0.0 if i % 100 else 3.0)
            for rank in range(ranks):
                waited_s = 0.1 + (late_s if rank == 2 else 0.0)
                events.append(Iteration(i, duration_s, rank=rank, data_wait_s=waited_s))
        run.apply(events)
    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=10_000_000)
    most = parser.parse_args().most
    heads = ("iterations", "events/s", "list append/s", "ratio", "bytes/iteration", "refresh ms")
    print("".join(f"{head:>17}" for head in heads))
    for count in (1_000, 10_000, 100_000, 1_000_000, 10_000_000):
        if count > most:
            break
        run, numbers, ours_s, floor_s, events = Run(), [0.0], 0.0, 0.0, 0
        run.apply(HEADER)
        at_million = memory_bytes()
        for number, chunk in enumerate(chunks(count)):
            if number * CHUNK == 1_000_000:
                at_million = memory_bytes()
            begun = process_time()
            run.apply(chunk)
            ours_s += process_time() - begun
            events += len(chunk)
            floor_s += floor(chunk, numbers)
            numbers.clear()
        beyond = count - 1_000_000
        each = f"{(memory_bytes() - at_million) / beyond:.1f}" if beyond > 0 else "-"
        rates = f"{events / ours_s:>17,.0f}{events / floor_s:>17,.0f}{ours_s / floor_s:>16.1f}x"
        print(f"{count:>17,}{rates}{each:>17}{refresh_ms(run):>17.2f}", flush=True)
    print("\n4 ranks, one of them late: refresh")
    for count in (10_000, 100_000, 300_000):
        if count <= most:
            print(f"{count:>17,}{refresh_ms(of_ranks(count)):>17.2f} ms", flush=True)


if __name__ == "__main__":
    main()
