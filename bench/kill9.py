"""kill -9 of a trainer at random moments: does its recording open, and how much is missing?

    python bench/kill9.py [--kills 100] [--seed 1]

The trainer tells an iteration every millisecond and writes the number of the last one into shared memory, so what
is missing is counted exactly. Reported: recordings that could not be read, lines other than the last that were
incomplete, and how long before its end the last recorded iteration lies.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

_TRAINER = """
import mmap, os, struct, sys, time
import itermon
memory = mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 16)
hooks = itermon.Hooks("victim")
i = 0
while True:
    time.sleep(0.001)
    hooks.iteration(i, loss=3.0)
    struct.pack_into("qd", memory, 0, i, time.time())
    i += 1
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    missing_s, missing, broken, unread = [], [], 0, 0
    for _ in range(options.kills):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            last_index, last_s = kill_one(folder, chance.uniform(0.05, 0.6))
            lines = next(folder.glob("runs/*.jsonl")).read_bytes().split(b"\n")
            events = []
            for number, line in enumerate(lines, 1):
                try:
                    events.append(json.loads(line))
                except ValueError:
                    broken += number < len(lines)
            iterations = [event for event in events if event["type"] == "iteration"]
            if not iterations or events[0]["type"] != "run":
                unread += 1
                continue
            missing_s.append(max(0.0, last_s - iterations[-1]["at_s"]))
            missing.append(last_index - iterations[-1]["index"])
    print(f"{options.kills} kills -9 of a trainer with an iteration every millisecond")
    print(f"  recordings that could not be read      {unread}")
    print(f"  incomplete lines but the last          {broken}")
    for name, of in (("median", median), ("most", max)):
        figures = f"{of(missing_s) * 1e3:.0f} ms, {of(missing):.0f} iterations"
        print(f"  missing at the end, {name:<6}             {figures}")


def kill_one(folder: Path, after_s: float) -> tuple[int, float]:
    """Run a trainer, kill it `after_s` after its first iteration was recorded: its last iteration and its time."""
    shared = folder / "shared"
    shared.write_bytes(struct.pack("qd", -1, 0.0))
    environment = {
        **os.environ,
        "ITERMON_RUNS_DIR": str(folder / "runs"),
        "ITERMON_SOCKETS_DIR": str(folder / "s"),
    }
    with subprocess.Popen([sys.executable, "-c", _TRAINER, str(shared)], env=environment) as trainer:
        while not any(b'"iteration"' in path.read_bytes() for path in folder.glob("runs/*.jsonl")):
            time.sleep(0.01)
        time.sleep(after_s)
        trainer.kill()
    with shared.open("r+b") as file, mmap.mmap(file.fileno(), 16) as memory:
        index, at_s = struct.unpack_from("qd", memory, 0)
    return index, at_s


if __name__ == "__main__":
    main()
