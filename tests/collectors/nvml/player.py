"""Plays scenes: drives the sampler against the library that stands in for NVML. Run by the tests as a child.

One scene a line of JSON on stdin, its passes as one line on stdout. A child, because the loader looks at
LD_LIBRARY_PATH only when a program starts, and because the real library may be on this machine too.
"""

import ctypes
import gc
import json
import os
import sys
import tracemalloc
from pathlib import Path

import msgspec

from itermon.collectors.nvml.library import Library
from itermon.collectors.nvml.sampler import NvmlSampler


class ScriptedTrainer:
    """A trainer as the scene describes it."""

    def __init__(self, pids: list[int], variables: dict[str, str], missing: dict[str, str]) -> None:
        self._pids = pids
        self._variables = variables
        self._missing = missing
        self.now_s = 0.0

    def missing(self) -> str:
        return self._missing.get(str(self.now_s), "")

    def pids(self) -> list[int]:
        return self._pids

    def variable(self, name: str) -> str | None:
        return self._variables.get(name)


def play(standin: ctypes.CDLL, scene: dict) -> dict:
    """Sample at each of the scene's times; what came of it, and what the library still lends at the end."""
    Path(os.environ["NVML_STANDIN"]).write_text(scene["script"], errors="surrogateescape")
    standin.standin_at.argtypes = [ctypes.c_double]
    now = [0.0]
    trainer = ScriptedTrainer(scene.get("pids", []), scene.get("variables", {}), scene.get("missing", {}))
    sampler = NvmlSampler(
        scene.get("wish"), trainer, library=Library(lambda: now[0]), wall=lambda: 1_700_000_000.0 + now[0]
    )
    sampler._host_ids = scene.get("host_ids", True)
    before = standin.standin_calls()
    passes, calls, memory = [], [], []
    for now[0] in scene["times"]:
        standin.standin_at(now[0])
        trainer.now_s = now[0]
        events = sampler.sample()
        if scene.get("keep", True):
            passes.append(msgspec.to_builtins(events))
        calls.append(standin.standin_calls() - before)
        if scene.get("measure_memory") and len(calls) % 1000 == 0:
            gc.collect()
            memory.append(tracemalloc.get_traced_memory()[0])
    sampler.close()
    lent = {"inits": standin.standin_inits(), "samples": standin.standin_samples(), "sets": standin.standin_sets()}
    return {"passes": passes, "calls": calls, "memory": memory, "lent": lent}


if __name__ == "__main__":
    library = ctypes.CDLL("libnvidia-ml.so.1")
    if not hasattr(library, "standin_at"):
        sys.exit("the real NVML was loaded, not the one that stands in for it")
    for line in sys.stdin:
        request = json.loads(line)
        if request.get("measure_memory"):
            tracemalloc.start()
        sys.stdout.write(json.dumps(play(library, request)) + "\n")
        sys.stdout.flush()
        tracemalloc.stop()
