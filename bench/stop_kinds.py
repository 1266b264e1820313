"""Evaluation or checkpoint? Distinguished by GPU and host samples alone, on scripted runs.

    python bench/stop_kinds.py

Scripted, not recorded: iterations of 0.5 to 20 s; stops at random places, so that no cadence helps; no line, no
hook span. In an evaluation the GPU draws 75 to 105 % of its usual power; in a checkpoint 12 to 45 % while
0.2 to 2 GB/s are written; in a data stall as little while they are read. Samples once a second, at a random phase,
power with 3 % of noise, host counters that come up to a second late.
"""

from __future__ import annotations

from collections import Counter
from random import Random

from itermon.analysis.run import Run
from itermon.events import (
    CHECKPOINT,
    DATA,
    EVALUATION,
    Event,
    GpuSample,
    HostSample,
    Iteration,
    RunInfo,
)

KINDS = (EVALUATION, CHECKPOINT, DATA)
LIMIT_W = 700.0


def scripted(random: Random, iterations: int = 400) -> tuple[list[Event], dict[int, set[str]]]:
    """The events of one run in the order of their times, and what was in each slow iteration."""
    base_s, usual_w = random.uniform(0.5, 20), random.uniform(250, 690)
    stops = sorted(random.sample(range(80, iterations - 5), 20))
    truth: dict[int, set[str]] = {}
    phases: list[tuple[float, float, float, str]] = []  # begin, end, power share, kind
    timed: list[tuple[float, Event]] = []
    at_s = 1_000.0
    for i in range(iterations):
        begun_s = at_s
        if i in stops:
            kinds = random.choice([[EVALUATION], [CHECKPOINT], [EVALUATION, CHECKPOINT], [DATA]])
            truth[i] = set(kinds)
            for kind in kinds:
                length_s = random.uniform(max(4, base_s), max(8, 3 * base_s))
                share = random.uniform(0.75, 1.05) if kind == EVALUATION else random.uniform(0.12, 0.45)
                phases.append((at_s, at_s + length_s, share, kind))
                at_s += length_s
        at_s += base_s * random.gauss(1, 0.01)
        timed.append((at_s, Iteration(i, at_s - begun_s, at_s=at_s)))
    rate = random.uniform(0.2e9, 2e9)
    sample_s = 1_000.0 + random.random()
    late_s = random.random()
    while sample_s < at_s + 3:
        phase = next((p for p in phases if p[0] < sample_s <= p[1]), None)
        share = phase[2] if phase else 1.0
        power_w = usual_w * share * random.gauss(1, 0.03)
        timed.append((sample_s, GpuSample(sample_s, power_w=power_w, power_limit_w=LIMIT_W)))
        earlier = next((p for p in phases if p[0] < sample_s - late_s <= p[1]), None)
        moved = int(rate) if earlier and earlier[3] != EVALUATION else random.randrange(0, 400_000)
        reads = moved if earlier and earlier[3] == DATA else random.randrange(0, 200_000)
        writes = 0 if earlier and earlier[3] == DATA else moved
        timed.append((sample_s, HostSample(sample_s, interval_s=1.0, read_bytes=reads, write_bytes=writes)))
        sample_s += 1.0
    timed.sort(key=lambda pair: pair[0])
    return [RunInfo(clock="hook"), *(event for _, event in timed)], truth


def main() -> None:
    right, seen, mixed = Counter[str](), Counter[str](), Counter[str]()
    for seed in range(50):
        events, truth = scripted(Random(seed))
        run = Run()
        run.apply(events)
        spikes = {s.index: {c.kind for c in s.causes} for s in run.findings(spikes=None).spikes}
        for index, kinds in truth.items():
            name = " + ".join(sorted(kinds))
            seen[name] += 1
            right[name] += spikes.get(index) == kinds
            if spikes.get(index) != kinds:
                mixed[f"{name} called {' + '.join(sorted(spikes.get(index, set()))) or 'nothing'}"] += 1
    for name, count in sorted(seen.items()):
        print(f"{name:28}{right[name]:5} of {count:4} right ({right[name] / count:.1%})")
    print(f"{'all':28}{sum(right.values()):5} of {sum(seen.values()):4} right")
    single = sum(right[k] for k in (EVALUATION, CHECKPOINT)) / sum(seen[k] for k in (EVALUATION, CHECKPOINT))
    print(f"evaluation distinguished from checkpoint: {single:.1%} (at least 95 %)")
    for name, count in mixed.most_common(6):
        print(f"  {count:4} {name}")


if __name__ == "__main__":
    main()
