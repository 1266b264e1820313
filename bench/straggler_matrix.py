"""Who makes the ranks wait, and is the right thing said? A confusion matrix of simulated windows, and real traces.

    PYTHONPATH=.build .venv/bin/python bench/straggler_matrix.py [--windows 1000] [--traces FOLDER]

Each window is `RANKS` ranks, 64 iterations of about 90 ms, each phase of each rank 3 to 10 % noisy, now and then a
rank held up by anything. Injected is a tenth of an iteration: always into one rank's data, forward or backward;
into one half of the ranks; each time into another rank (there a quarter of an iteration); or nothing.
Real processes are in `stragglers.py`. The traces are ByteDance-Seed/StragglerAnalysis's (`timeline-*.json.gz`).
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from pipeline_traces import of_trace

from itermon.analysis.run import Run
from itermon.events import BACKWARD, BEFORE_STEP, DATA, FORWARD, OPTIMIZER, SYNC, Iteration, Phases

if TYPE_CHECKING:
    from itermon.analysis.findings import Findings
    from itermon.events import Event

RANKS, ITERATIONS, SHARE, IN_TURNS = 4, 64, 0.1, 0.25
WORK_S = {DATA: 0.006, FORWARD: 0.028, BACKWARD: 0.045, BEFORE_STEP: 0.003, OPTIMIZER: 0.008}
USUAL_S = sum(WORK_S.values())
INTO = (DATA, FORWARD, BACKWARD)
CASES = (*INTO, "half of them", "in turns", "nothing")
SAID = ("right rank, phase", "right rank", "wrong rank", "these ranks", "in turns", "nothing")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--windows", type=int, default=100, help="of each case; ten times as many of nothing")
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--traces", type=Path, default=Path("../shared/corpus/gpu/bytedance-stragglers"))
    options = parser.parse_args()
    print(f"{RANKS} ranks, {ITERATIONS} iterations; injected: {SHARE:.0%} of one, {IN_TURNS:.0%} in turns")
    print(f"{'injected':<14}" + "".join(f"{said:>20}" for said in SAID))
    for case in CASES:
        count = options.windows * (10 if case == "nothing" else 1)
        found = Counter(said(*window(f"{options.seed} {case} {seed}", case)) for seed in range(count))
        print(f"{case:<14}" + "".join(f"{found[word]:>20,}" for word in SAID), flush=True)
    for trace in sorted(options.traces.glob("timeline-*.json.gz")):
        print(f"\n{trace.name}: {words(of_trace(trace).findings())}")


def window(seed: str, case: str, ranks: int = RANKS) -> tuple[str, int, Run]:
    """One window: what was injected, into which rank, and what was seen."""
    chance = random.Random(seed)
    late, noise = chance.randrange(ranks), chance.uniform(0.03, 0.1)
    events: list[Event] = []
    for index in range(ITERATIONS):
        own = [{phase: s * max(0.1, chance.gauss(1, noise)) for phase, s in WORK_S.items()} for _ in range(ranks)]
        if chance.random() < 0.05:
            own[chance.randrange(ranks)][FORWARD] += chance.uniform(0.005, 0.2)
        if case in INTO:
            own[late][case] += SHARE * USUAL_S
        for rank in range(ranks // 2, ranks) if case == "half of them" else ():
            own[rank][FORWARD] += SHARE * USUAL_S
        if case == "in turns":
            own[chance.randrange(ranks)][DATA] += IN_TURNS * USUAL_S
        last_s = max(sum(phases.values()) for phases in own)
        for rank, phases in enumerate(own):
            sync_s = last_s - sum(phases.values()) + 0.002
            events.append(Iteration(index, last_s + 0.002, rank=rank, data_wait_s=phases[DATA]))
            events.append(Phases(index, {**phases, SYNC: sync_s}, rank=rank))
    run = Run()
    run.apply(events)
    return case, late, run


def said(case: str, late: int, run: Run) -> str:
    """What the findings say, as a column of the matrix."""
    found = run.findings()
    if found.straggler is not None:
        if case not in INTO or found.straggler.rank != late:
            return "wrong rank"
        return "right rank, phase" if found.straggler.phase == case else "right rank"
    if found.imbalance is None:
        return "nothing"
    if found.imbalance.group is None:
        return "in turns"
    is_right = case == "half of them" and found.imbalance.group == (RANKS // 2, RANKS - 1)
    return "these ranks" if is_right else "wrong rank"


def words(found: Findings) -> str:
    """What is said of who makes the others wait."""
    if found.straggler is not None:
        late = found.straggler
        return (
            f"rank {late.rank} is late in {late.share:.0%} of {late.iterations} iterations"
            f" ({late.local_s:.1f} s, the others {late.others_s:.1f} s; {late.phase or 'in all it does'})"
        )
    if found.imbalance is None:
        return "nothing"
    other = found.imbalance
    who = f"ranks {other.group[0]} to {other.group[1]} together" if other.group else "in turns"
    return (
        f"imbalance, {who}: {other.share:.0%} of an iteration; {other.last_ranks} ranks were the last,"
        f" the same one in at most {other.most_often:.0%} of {other.iterations} iterations; nobody is named"
    )


if __name__ == "__main__":
    main()
