"""Chrome traces of jobs with pipeline stages (ByteDance-Seed/StragglerAnalysis), as the events of their ranks."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from itermon.analysis.run import Run
from itermon.events import BACKWARD, FORWARD, OPTIMIZER, SYNC, Iteration, Phases

if TYPE_CHECKING:
    from pathlib import Path

_PHASES = {"forward-compute": FORWARD, "backward-compute": BACKWARD, "optimizer": OPTIMIZER}


def of_trace(path: Path) -> Run:
    """The run in a Chrome trace of compute by data-parallel rank (process) and stage (thread).

    What a rank does before it must wait is its compute; all stages of one data-parallel rank lie side by side in
    ranks of one group: rank = stage x data-parallel size + data-parallel rank, as Megatron numbers them.
    """
    with gzip.open(path) as file:
        entries = json.load(file)
    compute: dict[int, dict[tuple[int, int], dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    ends: dict[int, list[float]] = defaultdict(list)
    stage_of = {(e["pid"], e["tid"]): _stage(e) for e in entries if e["name"] == "thread_name"}
    for entry in entries:
        if entry["ph"] != "X":
            continue
        step = entry["args"]["step"]
        ends[step] += [entry["ts"] / 1e6, (entry["ts"] + entry["dur"]) / 1e6]
        if phase := _PHASES.get(entry["name"]):
            of = compute[step][stage_of[entry["pid"], entry["tid"]], entry["pid"]]
            of[phase] = of.get(phase, 0.0) + entry["dur"] / 1e6
    run = Run()
    for step, ranks in sorted(compute.items()):
        seconds = max(ends[step]) - min(ends[step])
        for rank, (_, phases) in enumerate(sorted(ranks.items())):
            sync_s = max(0.0, seconds - sum(phases.values()))
            run.apply([Iteration(step, seconds, rank=rank), Phases(step, {**phases, SYNC: sync_s}, rank=rank)])
    return run


def _stage(entry: dict[str, Any]) -> int:
    return int(entry["args"]["name"].split()[2].rstrip(","))
