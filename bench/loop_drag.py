"""How much slower a loop of 1 ms iterations becomes with everything on: hooks, recording, one viewer attached.

    python bench/loop_drag.py [--processes 6] [--pairs 12] [--iterations 300] [--work python|wait]

The loop runs alone and, in turns, with five scalars an iteration, a data wait and two micro-steps marked; each of
these runs is paired with the mean of the two lone ones around it, so that a machine that drifts hits both alike.
While the loop runs alone, our thread stands still, as if there were none.
`null` are lone runs in the same place, as if they were hooked: what the figures are worth here. `python` burns the
millisecond in Python and so pays for all the time that our thread holds the interpreter; `wait` lets go of it, as
a trainer does that waits for its GPU. Reported are the medians of the pairs' ratios: of the wall time (what our
thread still works when the loop has ended is added), which other programs on the machine disturb, and of the CPU
time of the loop's thread and ours together, which they disturb less. Fresh processes, because how small objects
happen to lie in memory makes a loop of integers 2 % slower or faster for the life of a process.

What looks at the training thread (`trainer_hooks/stacks`) must cost a normal iteration nothing, which no clock can
show: so the instructions that the interpreter executes in the loop's thread are counted, with it and without it.
`--instructions` prints these counts alone.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any

COUNTED = 200
"""Iterations whose instructions are counted."""

_VIEWER = "import socket, sys\ns = socket.socket(1)\ns.connect(sys.argv[1])\nwhile s.recv(1 << 20): pass"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=6)
    parser.add_argument("--pairs", type=int, default=12, help="in each process")
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--work", choices=["python", "wait"], default="python")
    parser.add_argument("--one", action="store_true", help="be one of the processes")
    parser.add_argument("--instructions", action="store_true", help="count the loop's instructions, and no more")
    parser.add_argument("--count", action="store_true", help="be the process that counts them")
    options = parser.parse_args()
    if options.count:
        print(instructions())
        return
    if options.instructions:
        print_instructions()
        return
    if options.one:
        print(json.dumps(one_process(options.pairs, options.iterations, options.work)))
        return
    ratios: dict[str, list[float]] = {}
    for _ in range(options.processes):
        done = subprocess.run(
            [sys.executable, __file__, "--one", *sys.argv[1:]], stdout=subprocess.PIPE, check=True
        )
        for name, values in json.loads(done.stdout).items():
            ratios.setdefault(name, []).extend(values)
    work = median(ratios.pop("our thread's µs"))
    print(
        f"{options.processes} × {options.pairs} pairs of {options.iterations} iterations of 1 ms ({options.work})"
    )
    for name, values in ratios.items():
        low, middle, high = (100 * (ratio - 1) for ratio in quantiles(values, n=4))
        print(f"  {name:<15} {middle:+.2f} % (median; quartiles {low:+.2f} to {high:+.2f} %)")
    print(f"  our thread works {work:.1f} µs for each iteration of 1,000 µs (median)")
    print_instructions()


def print_instructions() -> None:
    """Of the loop's thread, with the looks at slow iterations and without them."""
    on, off = (
        subprocess.run(
            [sys.executable, __file__, "--count"],
            stdout=subprocess.PIPE, env=os.environ | {"ITERMON_STACKS": stacks}, check=True, text=True,
        ).stdout.strip()
        for stacks in ("1", "0")
    )  # fmt: skip
    print(f"  the loop's thread executes {on} instructions in {COUNTED} iterations, {off} with ITERMON_STACKS=0")


def instructions() -> int:
    """How many the interpreter executes in this thread in a loop with hooks, our thread being at work."""
    count = 0

    def step(frame: Any, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return step

    with tempfile.TemporaryDirectory() as folder:
        os.environ["ITERMON_RUNS_DIR"] = str(Path(folder) / "runs")
        os.environ["ITERMON_SOCKETS_DIR"] = str(Path(folder) / "sockets")
        import itermon

        with itermon.Hooks("drag") as hooks:
            loop(hooks, 10, 0)  # what is made once has been made
            gc.disable()
            sys.settrace(step)
            loop(hooks, COUNTED, 0)
            sys.settrace(None)
    return count


def one_process(pairs: int, iterations: int, work: str) -> dict[str, list[float]]:
    """Ratios of `pairs` runs with hooks, and of as many without."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ITERMON_RUNS_DIR"] = str(Path(folder) / "runs")
        os.environ["ITERMON_SOCKETS_DIR"] = str(Path(folder) / "sockets")
        import itermon

        hooks = itermon.Hooks("drag")
        with subprocess.Popen([sys.executable, "-c", _VIEWER, str(hooks.address)]) as viewer:
            while len(hooks._emitter.delivery.server) < 1:
                time.sleep(0.01)
            size = calibrate() if work == "python" else 0
            go_on = held(hooks)
            runs = [
                timed(hooks if turn % 4 == 1 else None, hooks._emitter.thread.ident, go_on, iterations, size)
                for turn in range(4 * pairs + 1)
            ]
            go_on.set()
            viewer.kill()
        hooks.close()
    return {
        "wall time": paired([wall_s for wall_s, _, _ in runs], 1),
        "  null": paired([wall_s for wall_s, _, _ in runs], 3),
        "CPU time": paired([cpu_s for _, cpu_s, _ in runs], 1),
        "  null ": paired([cpu_s for _, cpu_s, _ in runs], 3),
        "our thread's µs": [thread_s / iterations * 1e6 for _, _, thread_s in runs[1::4]],
    }


def paired(times_s: list[float], first: int) -> list[float]:
    """Every fourth run from `first` on, against the two before and after it."""
    return [
        2 * times_s[place] / (times_s[place - 1] + times_s[place + 1]) for place in range(first, len(times_s), 4)
    ]


def held(hooks: Any) -> threading.Event:
    """Have the hooks' thread stand still between two ticks while this is not set."""
    go_on = threading.Event()
    wait = hooks._emitter.delivery.server.wait

    def wait_if_let(until_s: float) -> None:
        go_on.wait()
        wait(until_s)

    hooks._emitter.delivery.server.wait = wait_if_let
    return go_on


def timed(
    hooks: Any, thread: int, go_on: threading.Event, iterations: int, size: int
) -> tuple[float, float, float]:
    """Seconds of one run: wall, CPU of both threads, CPU of ours until it is done with what the loop left."""
    clock = time.pthread_getcpuclockid(thread)
    if hooks is None:
        go_on.clear()
    else:
        go_on.set()
    time.sleep(0.15)  # more than a tick: it stands still or is at work, and is done with the last run
    thread_begun_s, loop_begun_s = time.clock_gettime(clock), time.thread_time()
    wall_s = loop(hooks, iterations, size)
    loop_s, thread_ended_s = time.thread_time() - loop_begun_s, time.clock_gettime(clock)
    while hooks is not None and hooks._queue:
        time.sleep(0.01)
    time.sleep(0.05)  # it has taken the last marks, and encodes them
    thread_s = time.clock_gettime(clock) - thread_begun_s
    return wall_s + thread_s - (thread_ended_s - thread_begun_s), loop_s + thread_s, thread_s


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
