"""Stalls in ten places of a training: is the right line of the user's code named, and none in a normal iteration?

    python bench/stacks.py [--stalls 200] [--normal 1000] [--seed 1]

A trainer of its own, with hooks, stalls in each of the ten places below in turns, at iterations drawn by lot; its
recording is read as `itermon report` reads it. Right is the function that stalls, and a line of it. The cost of a
look is the CPU time of the thread that looks, at a stack of 43 frames.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

STALL_S, HELD_S = 1.3, 7.5
NORMAL_S = 0.03
SOURCE = "x = 1\n" * 60_000
VALUES = [[*range(10)]] * 200
GARBAGE: list[list[Any]] = []


class Shards:
    """A loader."""

    def read_shard(self, seconds: float) -> None:
        time.sleep(seconds)


def save(seconds: float) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        json.dumps(VALUES, indent=1)  # the library's own loop, in Python


def print_to_a_blocked_pipe(seconds: float) -> None:
    script = f"sleep {seconds}; cat >{os.devnull}"
    with subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE, text=True) as reader:
        print("x" * 300_000, file=reader.stdin, flush=True)


def lock(seconds: float) -> None:
    threading.Semaphore(0).acquire(timeout=seconds)


def collector(seconds: float) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        gc.collect()


def child(seconds: float) -> None:
    subprocess.run(["sleep", str(seconds)], check=True)


def read_of_a_far_file(seconds: float) -> None:
    with subprocess.Popen(["sh", "-c", f"sleep {seconds}; echo x"], stdout=subprocess.PIPE) as far:
        far.stdout.read()  # type: ignore[union-attr]


def native_sleep(_seconds: float) -> None:
    ctypes.PyDLL(None).usleep(int(HELD_S * 1e6))  # the interpreter's lock is held


def compilation(seconds: float) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        compile(SOURCE, "x", "exec")


def name_of_a_host(seconds: float) -> None:
    asked, _answers = socket.socketpair()
    asked.settimeout(seconds)
    try:
        asked.recv(1)
    except TimeoutError:
        asked.close()


PLACES: dict[str, Callable[[float], None]] = {
    place.__name__: place
    for place in (
        Shards().read_shard,
        save,
        print_to_a_blocked_pipe,
        lock,
        collector,
        child,
        read_of_a_far_file,
        native_sleep,
        compilation,
        name_of_a_host,
    )
}


def train(stalls: int, normal: int, seed: int) -> None:
    """Be the trainer: prints where it stalled, and its recording."""
    import itermon

    chance = random.Random(seed)
    GARBAGE.extend([] for _ in range(200_000))
    gc.collect()
    gc.freeze()
    names = [name for name, _ in zip([*PLACES] * stalls, range(stalls), strict=False)]
    chance.shuffle(names)
    at = dict(zip(sorted(chance.sample(range(20, normal + stalls), stalls)), names, strict=True))
    with itermon.Hooks("stacks") as hooks:
        for index in range(normal + stalls):
            time.sleep(NORMAL_S * chance.uniform(0.8, 1.2))
            if index in at:
                PLACES[at[index]](STALL_S * chance.uniform(0.8, 1.5))
            time.sleep(NORMAL_S / 5)
            hooks.iteration(index)
    print(json.dumps({"recording": str(hooks.recording), "at": at}))


def judge(told: dict[str, Any]) -> None:
    """Read the recording, and say how many were named, rightly and wrongly."""
    from itermon.analysis.run import Run
    from itermon.events import Stack, decode_lines

    run = Run()
    events = decode_lines(Path(told["recording"]).read_bytes())
    run.apply(events)
    at = {int(index): name for index, name in told["at"].items()}
    spikes = {spike.index: spike for spike in run.findings(spikes=None).spikes}
    right: dict[str, int] = dict.fromkeys(PLACES, 0)
    for index, name in at.items():
        place = spikes[index].place if index in spikes else None
        found = place.at if place is not None else "-"
        if _is_in(found, name):
            right[name] += 1
        else:
            print(f"  {index}: {name}, but said {found}")
    of = {name: [*at.values()].count(name) for name in PLACES}
    for name, count in right.items():
        print(f"{name:<26} {count} of {of[name]}")
    named = [i for i, spike in spikes.items() if spike.place is not None and i not in at]
    looked = {event.iteration for event in events if isinstance(event, Stack)} - {*at}
    print(f"right: {sum(right.values())} of {len(at)}; normal iterations: {len(run.columns) - len(at):,},")
    print(f"looked at: {len(looked)}, named: {len(named)}")


def _is_in(found: str, name: str) -> bool:
    """Is it a line of the function that stalled?"""
    code = PLACES[name].__code__
    where, _, function = found.partition(" ")
    lines = {line for _, _, line in code.co_lines() if line}
    return function.endswith(name) and where.rpartition(":")[2] in map(str, lines)


def cost(looks: int = 3_000, depth: int = 40) -> None:
    """CPU time of the thread that looks at another one, `depth` calls deep."""
    from itermon.trainer_hooks.stacks.looking import look
    from itermon.trainer_hooks.stacks.places import Places

    places, over, deep = Places(), threading.Event(), threading.Event()

    def down(left: int) -> None:
        if left:
            down(left - 1)
        else:
            deep.set()
            over.wait()

    thread = threading.Thread(target=down, args=(depth,), daemon=True)
    thread.start()
    deep.wait()
    took = []
    for _ in range(looks):
        begun_ns = time.thread_time_ns()
        places.words(look(thread.ident or 0))
        took.append((time.thread_time_ns() - begun_ns) / 1e3)
    over.set()
    cuts = quantiles(took, n=100)
    print(f"a look at {depth + 6} frames: median {cuts[49]:.0f} us, 99 % below {cuts[98]:.0f} us")


def main() -> None:
    """The trainer in a process of its own, then what its recording says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stalls", type=int, default=200)
    parser.add_argument("--normal", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--train", action="store_true", help="be the trainer")
    options = parser.parse_args()
    if options.train:
        train(options.stalls, options.normal, options.seed)
        return
    cost()
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "ITERMON_RUNS_DIR": f"{folder}/runs",
            "ITERMON_SOCKETS_DIR": f"{folder}/sockets",
        }
        ended = subprocess.run(
            [sys.executable, __file__, "--train", *sys.argv[1:]], env=environment, check=True, capture_output=True
        )
        judge(json.loads(ended.stdout.splitlines()[-1]))


if __name__ == "__main__":
    main()
