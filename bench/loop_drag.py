"""How much slower a loop of 1 ms iterations becomes with everything on: hooks, recording, one viewer attached.

    python bench/loop_drag.py [--pairs 40] [--iterations 500] [--work python|wait]

Runs in pairs, in turns: the loop alone, and the loop with five scalars an iteration, a data wait and two micro-
steps told. `python` burns the millisecond in Python and so pays for every moment that our thread holds the
interpreter; `wait` lets go of it, as a trainer does that waits for its GPU. Reported are the medians of the
pairs' ratios: of the wall time, which other programs on the machine disturb, and of the CPU time of the loop's
thread and ours together, which they disturb less: the loop cannot be slowed by more than that.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any

_VIEWER = "import socket, sys\ns = socket.socket(1)\ns.connect(sys.argv[1])\nwhile s.recv(1 << 20): pass"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--iterations", type=int, default=500)
    parser.add_argument("--work", choices=["python", "wait"], default="python")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ITERMON_RUNS_DIR"] = str(Path(folder) / "runs")
        os.environ["ITERMON_SOCKETS_DIR"] = str(Path(folder) / "sockets")
        import itermon

        hooks = itermon.Hooks("drag")
        with subprocess.Popen([sys.executable, "-c", _VIEWER, str(hooks.address)]) as viewer:
            while len(hooks._server) < 1:
                time.sleep(0.01)
            size = calibrate() if options.work == "python" else 0
            walls, cpus, threads = [], [], []
            for turn in range(options.pairs):
                times = {}
                for with_hooks in (False, True) if turn % 2 else (True, False):
                    times[with_hooks] = timed(hooks, options.iterations, size, with_hooks=with_hooks)
                walls.append(times[True][0] / times[False][0])
                cpus.append(times[True][1] / times[False][1])
                threads.append((times[True][2] - times[False][2]) / options.iterations * 1e6)
            viewer.kill()
        hooks.close()
    print(
        f"{options.pairs} pairs of {options.iterations} iterations of 1 ms ({options.work}), one viewer attached"
    )
    for name, ratios in (("wall time", walls), ("CPU time", cpus)):
        low, middle, high = (100 * (ratio - 1) for ratio in quantiles(ratios, n=4))
        print(f"  {name:<10} {middle:+.2f} % (median; quartiles {low:+.2f} to {high:+.2f} %)")
    print(f"  our thread works {median(threads):.1f} µs for each iteration of 1,000 µs (median)")


def timed(hooks: Any, iterations: int, size: int, *, with_hooks: bool) -> tuple[float, float, float]:
    """Seconds of one loop: wall, CPU of both threads, CPU of ours until it is done with what the loop left."""
    clock = time.pthread_getcpuclockid(hooks._thread.ident)
    thread_s = time.clock_gettime(clock)
    before_s = thread_s + time.thread_time()
    took_s = loop(hooks if with_hooks else None, iterations, size)
    loop_s = time.thread_time()
    time.sleep(0.25)
    thread_s = time.clock_gettime(clock) - thread_s
    return took_s, loop_s + time.clock_gettime(clock) - before_s, thread_s


def work(size: int) -> int:
    return sum(i * i for i in range(size))


def calibrate() -> int:
    """How much work is a millisecond here."""
    size, took = 1000, 0.0
    for _ in range(20):
        begun = time.perf_counter()
        for _ in range(50):
            work(size)
        took = (time.perf_counter() - begun) / 50
        size = max(100, int(size * 0.001 / took))
    return size


def loop(hooks: Any, iterations: int, size: int) -> float:
    """One training loop; a `size` of 0 waits instead of working."""
    begun = time.perf_counter()
    for i in range(iterations):
        if hooks is not None:
            with hooks.data():
                pass
            hooks.micro_step(1, 2)
        if size:
            work(size)
        else:
            time.sleep(0.001)
        if hooks is not None:
            hooks.micro_step(2, 2)
            hooks.iteration(i, loss=3.0, gradient_norm=0.5, learning_rate=6e-4, tokens=1024, mfu=0.4)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
