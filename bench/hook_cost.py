"""What one call of a hook costs the training thread, beside its floor and its peers, in one run.

    python bench/hook_cost.py [--calls 20000] [--rounds 15]

One call tells one iteration with five scalars. Back to back: the median over rounds of the mean call (the queue
is let run empty between rounds). Paced: each call is timed alone, after a step of some 2 ms that copies 4 MB and
runs Python of its own, caches cold as in a training; percentiles of those, the floor and ours in turns. The floor
appends a tuple with `perf_counter_ns()` to a deque, in a function as the others are, and its deque is emptied by a
thread that does nothing else. Ours
is recorded, and has three viewers attached that read, and one that is stopped. Peers that are not installed are
left out: pip install tensorboardX wandb prometheus-client.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SCALARS = (3.1416, 0.71, 6e-4, 524_288, 0.42)
PACED_BYTES = 4 << 20  # are copied before each paced call: a core's caches hold less
_VIEWER = "import socket, sys\ns = socket.socket(1)\ns.connect(sys.argv[1])\nwhile s.recv(1 << 20): pass"


@contextlib.contextmanager
def floor() -> Iterator[Any]:
    """An append of a tuple."""
    queue: deque[tuple[Any, ...]] = deque()
    append, clock = queue.append, time.perf_counter_ns
    stop = threading.Event()

    def drain() -> None:
        while not stop.wait(0.1):
            while queue:
                queue.popleft()

    def log(index: int, a: float, b: float, c: float, d: int, e: float) -> None:
        append((clock(), index, a, b, c, d, e))

    threading.Thread(target=drain, daemon=True).start()
    yield log
    stop.set()


@contextlib.contextmanager
def ours() -> Iterator[Any]:
    """`Hooks.iteration`, recorded, with three viewers that read and one that is stopped."""
    import itermon

    hooks = itermon.Hooks("bench")
    viewers = [subprocess.Popen([sys.executable, "-c", _VIEWER, str(hooks.address)]) for _ in range(4)]
    while len(hooks._emitter.delivery.server) < 4:
        time.sleep(0.01)
    viewers[0].send_signal(signal.SIGSTOP)

    def log(i: int, a: float, b: float, c: float, d: int, e: float) -> None:
        hooks.iteration(i, loss=a, gradient_norm=b, learning_rate=c, tokens=d, mfu=e)

    yield hooks, log
    hooks.close()
    for viewer in viewers:
        viewer.kill()
        viewer.wait()


@contextlib.contextmanager
def printing() -> Iterator[Any]:
    """A line per iteration to a file, flushed."""
    with tempfile.TemporaryFile("w") as file:

        def log(i: int, a: float, b: float, c: float, d: int, e: float) -> None:
            print(
                f"iter {i}: loss {a:.4f}, norm {b:.3f}, lr {c:.2e}, tokens {d}, mfu {e:.2%}", file=file, flush=True
            )

        yield log


@contextlib.contextmanager
def tensorboard() -> Iterator[Any]:
    """Five `add_scalar` of tensorboardX."""
    from tensorboardX import SummaryWriter

    with tempfile.TemporaryDirectory() as folder, SummaryWriter(folder) as writer:

        def log(i: int, a: float, b: float, c: float, d: int, e: float) -> None:
            writer.add_scalar("loss", a, i)
            writer.add_scalar("norm", b, i)
            writer.add_scalar("lr", c, i)
            writer.add_scalar("tokens", d, i)
            writer.add_scalar("mfu", e, i)

        yield log


@contextlib.contextmanager
def wandb_offline() -> Iterator[Any]:
    """`run.log` of an offline wandb run."""
    import wandb

    with tempfile.TemporaryDirectory() as folder:
        run = wandb.init(mode="offline", dir=folder, settings=wandb.Settings(silent=True, console="off"))

        def log(i: int, a: float, b: float, c: float, d: int, e: float) -> None:
            run.log({"loss": a, "norm": b, "lr": c, "tokens": d, "mfu": e}, step=i)

        yield log
        run.finish()


@contextlib.contextmanager
def prometheus() -> Iterator[Any]:
    """Five `Gauge.set`."""
    from prometheus_client import Gauge

    gauges = [Gauge(name, name) for name in ("loss", "norm", "lr", "tokens", "mfu")]

    def log(_i: int, *values: float) -> None:
        for gauge, value in zip(gauges, values, strict=True):
            gauge.set(value)

    yield log


def burst_ns(log: Any, first: int, calls: int) -> float:
    """The mean call of `calls` back to back."""
    a, b, c, d, e = SCALARS
    begun = time.perf_counter_ns()
    for i in range(first, first + calls):
        log(i, a, b, c, d, e)
    return (time.perf_counter_ns() - begun) / calls


def burst_ours_ns(hooks: Any, first: int, calls: int) -> float:
    """The same for ours, as a user writes it."""
    a, b, c, d, e = SCALARS
    iteration = hooks.iteration
    begun = time.perf_counter_ns()
    for i in range(first, first + calls):
        iteration(i, loss=a, gradient_norm=b, learning_rate=c, tokens=d, mfu=e)
    return (time.perf_counter_ns() - begun) / calls


def once_ns(log: Any, i: int, a: float, b: float, c: float, d: int, e: float) -> int:
    """One call."""
    begun = time.perf_counter_ns()
    log(i, a, b, c, d, e)
    return time.perf_counter_ns() - begun


def once_ours_ns(hooks: Any, i: int, a: float, b: float, c: float, d: int, e: float) -> int:
    """One call of ours, as a user writes it."""
    begun = time.perf_counter_ns()
    hooks.iteration(i, loss=a, gradient_norm=b, learning_rate=c, tokens=d, mfu=e)
    return time.perf_counter_ns() - begun


def paced_ns(logs: dict[str, Any], first: int, calls: int) -> dict[str, list[int]]:
    """Each of `calls` alone, after about two milliseconds of other work, in turns; ascending."""
    clock = time.perf_counter_ns
    source, target = bytearray(PACED_BYTES), bytearray(PACED_BYTES)
    times: dict[str, list[int]] = {name: [] for name in logs}
    for i in range(first, first + calls):
        for name, log in logs.items():
            until = clock() + 2_000_000
            target[:] = source
            work = 0
            while clock() < until:
                work += sum(range(50))
            ours = name == "itermon"
            times[name].append(once_ours_ns(log[0], i, *SCALARS) if ours else once_ns(log, i, *SCALARS))
    return {name: sorted(found) for name, found in times.items()}


BACKENDS: dict[str, tuple[Callable[[], Any], int]] = {  # and of how many calls a round has
    "deque.append (floor)": (floor, 2000),
    "itermon": (ours, 2000),
    "print, flushed": (printing, 2000),
    "5 × Prometheus Gauge.set": (prometheus, 2000),
    "wandb offline run.log": (wandb_offline, 200),
    "5 × tensorboardX add_scalar": (tensorboard, 200),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=3_000, help="paced calls of ours and of the floor")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        os.environ["ITERMON_RUNS_DIR"] = str(Path(folder) / "runs")
        os.environ["ITERMON_SOCKETS_DIR"] = str(Path(folder) / "sockets")
        logs: dict[str, Any] = {}
        for name, (make, _) in BACKENDS.items():
            try:
                logs[name] = stack.enter_context(make())
            except ImportError as error:
                print(f"left out: {name} ({error})")
        measure(logs, options.calls, options.rounds)


def measure(logs: dict[str, Any], calls: int, rounds: int) -> None:
    bursts: dict[str, list[float]] = {name: [] for name in logs}
    for turn in range(rounds):  # in turns: a drifting machine hits all alike
        for name, log in logs.items():
            size = BACKENDS[name][1]
            if name == "itermon":
                bursts[name].append(burst_ours_ns(log[0], turn * size, size))
            else:
                bursts[name].append(burst_ns(log, turn * size, size))
            time.sleep(0.25)
    base = median(bursts["deque.append (floor)"])
    pair = {name: logs[name] for name in ("deque.append (floor)", "itermon")}
    paced = paced_ns(pair, rounds * 2000, calls)
    for name in logs.keys() - pair.keys():
        paced |= paced_ns({name: logs[name]}, rounds * 2000, calls // (1 if BACKENDS[name][1] == 2000 else 10))
    columns = f"{'back to back':>14}{'× floor':>9}{'paced p50':>12}{'× floor':>9}{'p99':>10}{'p99.9':>10}"
    print(f"{'':<30}{columns}{'max':>10}")
    floor_us = middle_us(paced["deque.append (floor)"])
    for name in logs:
        p50, mean = middle_us(paced[name]), median(bursts[name])
        p99, p999 = (paced[name][int(len(paced[name]) * q)] / 1e3 for q in (0.99, 0.999))
        figures = f"{mean / 1e3:>11.3f} µs{mean / base:>9.1f}{p50:>9.2f} µs{p50 / floor_us:>9.1f}"
        print(f"{name:<30}{figures}{p99:>7.1f} µs{p999:>7.1f} µs{paced[name][-1] / 1e3:>7.0f} µs")


def middle_us(ascending: list[int]) -> float:
    return ascending[len(ascending) // 2] / 1e3


if __name__ == "__main__":
    main()
