"""Passes with faults at random, seeded, against the library of the tests that stands in for NVML.

    python bench/nvml_faults.py [--passes 100000] [--gpus 2] [--per-mille 4] [--seed 7]

Every call fails so often, with any of NVML's codes, while a scripted clock makes a second of every pass: GPUs get
lost, NVML has to be initialised anew, and comes back. No exception may escape, nothing that the library lends may
stay lent, no memory may grow, and whatever is absent must be `None` with a reason.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests" / "collectors" / "nvml"
MARKS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passes", type=int, default=100_000)
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--per-mille", type=int, default=4)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(run(options.passes)))
        return
    sys.path.insert(0, str(TESTS))  # the library's source and its build are the tests'
    import standin

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        standin.build(folder)
        script = folder / "script"
        faults = f"0 - seed {options.seed}\n0 - random {options.per_mille}\n"
        script.write_text(f"0 - gpus {options.gpus}\n{faults}{standin.HEALTHY}\n0 * pid 1\n0 * pid_memory 1\n")
        done = subprocess.run(
            [sys.executable, __file__, "--child", "--passes", str(options.passes)],
            env=standin.environment(folder, script), check=True, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
    found = json.loads(done.stdout)
    print(f"{options.passes:,} passes over {options.gpus} GPUs, {options.per_mille / 10:.1f} % of all calls fail")
    for name, value in found.items():
        print(f"  {name:<52}{value}")


def run(passes: int) -> dict[str, object]:
    """In the child: the loader finds the stand-in."""
    import msgspec

    from itermon.collectors.nvml.library import Library
    from itermon.collectors.nvml.sampler import NvmlSampler
    from itermon.events import GpuSample

    library = ctypes.CDLL("libnvidia-ml.so.1")
    library.standin_at.argtypes = [ctypes.c_double]
    now = [0.0]
    sampler = NvmlSampler("all", library=Library(lambda: now[0]))
    fields = [f.name for f in msgspec.structs.fields(GpuSample) if f.default is None and f.name != "mig"]
    samples = lost = values = unexplained = 0
    blocks, resident = [], []
    began = time.perf_counter()
    for number in range(passes):
        now[0] = float(number)
        library.standin_at(now[0])
        for event in sampler.sample():
            if not isinstance(event, GpuSample):
                continue
            samples += 1
            lost += bool(event.lost)
            known = [f for f in fields if getattr(event, f) is not None]
            values += len(known)
            explained = not known if event.lost else len(known) + len(event.absent) == len(fields)
            unexplained += not explained
        if (number + 1) % (passes // MARKS) == 0:
            gc.collect()
            blocks.append(sys.getallocatedblocks())
            resident.append(resident_kib())
    calls = library.standin_calls()
    sampler.close()
    lent = [getattr(library, f"standin_{what}")() for what in ("inits", "samples", "sets")]
    return {
        "exceptions that escaped": 0,  # one would have ended this process, and the command with it
        "samples": f"{samples:,}, of them {lost:,} of a lost GPU",
        "values that were there": f"{values:,}",
        "samples with a field neither there nor explained": unexplained,
        "calls of NVML": f"{calls:,}",
        "still lent: initialisations, GPM samples, sets": " ".join(map(str, lent)),
        "Python objects, after each tenth": " ".join(f"{n:,}" for n in blocks),
        "resident memory, KiB, after each tenth": " ".join(map(str, resident)),
        "seconds": f"{time.perf_counter() - began:.1f}",
    }


def resident_kib() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


if __name__ == "__main__":
    main()
