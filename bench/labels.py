"""How well slow iterations are found and explained: on real logs with their lines hidden, and on simulated runs.

    python bench/labels.py [../shared/corpus]

Real: the lines of evaluations and checkpoints are taken out of each nanoGPT log, so that only the times are left;
what is then called periodic is held against the hidden lines (F1 over printed iterations, without the first).
Simulated: seeded noise of 0.5 to 5 %, stalls of 1.3 to 6 times, a lasting shift of 10 %, two cadences.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from random import Random
from threading import Event as Flag
from typing import TYPE_CHECKING

from corpus import real_logs

from itermon.analysis.run import Run
from itermon.collectors.logs.log_source import LogSource
from itermon.events import CHECKPOINT, EVALUATION, Iteration, RunInfo, Strength

if TYPE_CHECKING:
    from collections.abc import Sequence

    from itermon.analysis.findings import Spike

HIDDEN = re.compile(r"(?:^|\x1b\[[\d;]*m)\s*(?:step \S*\d+\S*: train loss|saving checkpoint)")


def read(path: Path) -> Run:
    run = Run()
    for batch in LogSource(path, follow=False).batches(Flag()):
        if not batch.preview:
            run.apply(batch.events)
    return run


def real() -> None:
    folder = real_logs(sys.argv[1:])
    if folder is None:
        return
    print("real logs, evaluation and checkpoint lines hidden")
    right = called = there = 0
    for path in sorted(folder.glob("nanogpt/*")):
        lines = path.read_text("utf-8", "replace").splitlines(keepends=True)
        truth = {read(path).columns.index[p] for p in read(path).spans.by_position if p}
        with tempfile.NamedTemporaryFile("w", suffix=".log") as hidden:
            hidden.writelines(line for line in lines if not HIDDEN.search(line))
            hidden.flush()
            spikes = read(Path(hidden.name)).findings(spikes=None).spikes
        found = periodic(spikes)
        right, called, there = right + len(found & truth), called + len(found), there + len(truth)
        print(f"  {path.name[:60]:60} hidden {len(truth):4}  called {len(found):4}  right {len(found & truth):4}")
    print(f"  F1 {2 * right / (called + there):.3f} (at least 0.95)")


def periodic(spikes: Sequence[Spike]) -> set[int]:
    """What the timings, or the settings by them, say to return; its name is another question."""
    return {s.index for s in spikes if s.position and any(c.strength == Strength.PERIOD for c in s.causes)}


def watched(times: list[float], step: int = 1) -> Run:
    run = Run()
    run.apply([RunInfo(time_includes=(EVALUATION, CHECKPOINT))])
    run.apply([Iteration(i, t, 3.0) for i, t in enumerate(times) if i % step == 0])
    return run


def noisy(random: Random, count: int, noise: float) -> list[float]:
    return [0.3 * max(0.5, random.gauss(1, noise)) for _ in range(count)]


def stalls() -> None:
    print("stalls of 1.5 to 6 times in 10,000 iterations, 10 runs each (recall 1.00; at most 5 false at 2 %)")
    for noise in (0.005, 0.02, 0.05):
        hit = there = false = 0
        for seed in range(10):
            random = Random(seed)
            times = noisy(random, 10_000, noise)
            stalled = set(random.sample(range(100, 10_000), 20))
            for i in stalled:
                times[i] *= random.uniform(1.5, 6)
            found = {s.index for s in watched(times).findings(spikes=None).spikes}
            real_ones = {i for i in stalled if times[i] >= 1.5 * 0.3}
            hit, there, false = hit + len(found & real_ones), there + len(real_ones), false + len(found - stalled)
        print(f"  noise {noise:.1%}: recall {hit / there:.3f}, false per 10,000 {false / 10:.1f}")


def shifts() -> None:
    print("a shift of +10 % or -10 %, 200 runs each (found within 15), and none in 5 x 40,000 iterations")
    for noise in (0.005, 0.01, 0.02, 0.03, 0.05):
        delays: list[int] = []
        for seed in range(200):
            random = Random(1_000 + seed)
            at = random.randrange(200, 900)
            times = noisy(random, 1_000, noise)
            times[at:] = [t * (1.1 if seed % 2 else 0.9) for t in times[at:]]
            delays.append(delay(times, at))
        invented = sum(len(watched(noisy(Random(seed), 40_000, noise)).timing.shifts) for seed in range(5, 10))
        late = sum(d > 15 for d in delays)
        print(
            f"  noise {noise:.1%}: median delay {sorted(delays)[100]}, worst {max(delays)},"
            f" later than 15: {late} of 200, invented in 200,000: {invented}"
        )


def delay(times: list[float], at: int) -> int:
    """Iterations after `at` until a shift near it was reported."""
    run = watched(times[:at])
    for i in range(at, len(times)):
        run.apply([Iteration(i, times[i], 3.0)])
        if any(abs(s.index - at) <= 20 for s in run.intake.timing.shifts):
            return i - at + 1
    return 999


def cadences() -> None:
    print("two cadences without a line: evaluation every 250, checkpoint every 1,000, offsets, every 10th printed")
    for step, offset in ((1, 0), (1, 7), (10, 0)):
        random = Random(11)
        times = noisy(random, 20_000, 0.02)
        truth = {}
        for i in range(offset or 250, 20_000, 250):
            both = i % 1_000 == offset
            times[i] += 4.0 + 3.0 * both
            truth[i] = both
        spikes = watched(times, step).findings(spikes=None).spikes
        called = periodic(spikes)
        rare = {s.index for s in spikes if any("every 1,000 " in c.evidence for c in s.causes)}
        printed = {i for i in truth if i % step == 0}
        saves = {i for i in printed if truth[i]}
        f1 = 2 * len(called & printed) / (len(called) + len(printed))
        rare_f1 = 2 * len(rare & saves) / max(1, len(rare) + len(saves))
        print(f"  printed every {step}, offset {offset}: F1 {f1:.3f}, the rarer of them F1 {rare_f1:.3f}")


if __name__ == "__main__":
    real()
    stalls()
    shifts()
    cadences()
