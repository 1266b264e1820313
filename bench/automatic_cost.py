"""What `itermon.watch()` costs the training thread, an iteration: CPU time with it and without, with torch.

    python bench/automatic_cost.py [--pairs 6] [--iterations 3000] [--python PATH]

A small model's forward, backward and step, in a process of its own each time, for what is watched stays watched.
CPU time of the training thread, which other programs disturb less than the clock on the wall: medians of such
pairs, and of the pairs of two lone processes, `null`: what the figure is worth here.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
_TRAIN = """
import sys, time
if sys.argv[1] == "watch":
    import itermon
    itermon.watch("bench")
import torch
torch.set_num_threads(1)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, times = torch.ones(2, 4), []
for _ in range(int(sys.argv[2])):
    begun_ns = time.thread_time_ns()
    model(x).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    times.append(time.thread_time_ns() - begun_ns)
print(sorted(times)[len(times) // 2])
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--iterations", type=int, default=3000)
    default = ROOT / ".venv-frameworks" / "bin" / "python"
    parser.add_argument("--python", default=str(default) if default.exists() else sys.executable)
    options = parser.parse_args()
    more, null, alone = [], [], []
    for _ in range(options.pairs):
        first, watched, second = (one_us(options, how) for how in ("alone", "watch", "alone"))
        more.append(watched - (first + second) / 2)
        null.append(second - first)
        alone.append(first)
    costs = f"watched {median(more):+.1f} µs; null {median(null):+.1f} µs"
    print(f"an iteration alone {median(alone):.1f} µs of CPU; {costs} ({options.pairs} pairs)")


def one_us(options: argparse.Namespace, how: str) -> float:
    """CPU microseconds of the median iteration in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "itermon").symlink_to(ROOT)
        given = os.environ | {"PYTHONPATH": folder, "ITERMON_RUNS_DIR": folder, "ITERMON_SOCKETS_DIR": folder}
        command = [options.python, "-c", _TRAIN, how, str(options.iterations)]
        return int(subprocess.run(command, env=given, stdout=subprocess.PIPE, check=True).stdout) / 1e3


if __name__ == "__main__":
    main()
