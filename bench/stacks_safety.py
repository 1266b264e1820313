"""Looks at another thread by the hundred thousand, while it forks, is signalled, recurses and collects garbage.

    python3.12 bench/stacks_safety.py [LOOKS [SEED]]

For any Python from 3.10 on, without anything installed: only `looking.py` is loaded. It says what it did, and
crashes or hangs where a look is not safe.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

LOOKING = Path(__file__).parents[1] / "trainer_hooks" / "stacks" / "looking.py"
LOOKS = 1_000_000
FORK_EVERY_S = 0.05


class Node:
    """A part of a circle, whose end runs Python code within a collection."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        sum(range(20))


def looking() -> Any:
    """The module, by itself."""
    spec = importlib.util.spec_from_file_location("looking", LOOKING)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def recurse(depth: int, at_the_bottom: Callable[[], int]) -> int:
    """Down, and up again."""
    return recurse(depth - 1, at_the_bottom) if depth else at_the_bottom()


def disturb(over: threading.Event, chance: random.Random) -> tuple[int, int]:
    """The main thread's life until `over`: how many turns, how many children."""
    turns = forks = 0
    next_fork_s = time.monotonic()

    def collect() -> int:
        garbage = [Node() for _ in range(chance.randrange(50))]
        return gc.collect(chance.randrange(3)) if chance.random() < 0.5 else len(garbage)

    def fork() -> int:
        child = os.fork()
        if not child:
            gc.collect()
            os._exit(0)
        return os.waitpid(child, 0)[1]

    while not over.is_set():
        turns += 1
        is_time = time.monotonic() >= next_fork_s
        recurse(chance.randrange(900), fork if is_time else collect)
        if is_time:
            next_fork_s = time.monotonic() + FORK_EVERY_S
            forks += 1
    return turns, forks


def main(looks: int = LOOKS, seed: int = 1) -> None:
    """Look until there were so many, and say what happened meanwhile."""
    module, over, chance = looking(), threading.Event(), random.Random(seed)
    sys.setrecursionlimit(5_000)
    sys.setswitchinterval(1e-5)
    signals: list[int] = []
    signal.signal(signal.SIGALRM, lambda number, _frame: signals.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    gc.callbacks.append(lambda _phase, _info: sum(range(20)))
    trainer, frames = threading.get_ident(), 0

    def look() -> None:
        nonlocal frames
        for _ in range(looks):
            frames += len(module.look(trainer))
        over.set()

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    turns, forks = disturb(over, chance)
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert gc.isenabled()
    assert not module.may_look() or frames
    beside = f"{turns:,} turns, {forks:,} forks, {len(signals):,} signals"
    print(f"Python {sys.version.split()[0]}: {looks:,} looks, {frames / looks:.0f} frames each, beside {beside}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
