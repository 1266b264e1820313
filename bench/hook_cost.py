"""What one call of a hook costs the training thread, beside its floor and its peers, in one run.

    python bench/hook_cost.py [--calls 20000] [--rounds 15]

One call tells one iteration with five scalars. Back to back: the median over rounds of the mean call (the queue
is let run empty between rounds). Paced: each call is timed alone, after a step of about 1 ms of the loop's own
Python, caches cold as in a training; percentiles of those. The floor appends a tuple with `perf_counter_ns()`
to a deque, in a function as the others are, and its deque is emptied by a thread that does nothing else. Ours
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

    yield hooks.iteration, log
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


def burst_ours_ns(iteration: Any, first: int, calls: int) -> float:
    """The same for ours, as a user writes it."""
    a, b, c, d, e = SCALARS
    begun = time.perf_counter_ns()
    for i in range(first, first + calls):
        iteration(i, loss=a, gradient_norm=b, learning_rate=c, tokens=d, mfu=e)
    return (time.perf_counter_ns() - begun) / calls


def paced_ns(log: Any, first: int, calls: int) -> list[int]:
    """Each of `calls` alone, after about a millisecond of Python."""
    a, b, c, d, e = SCALARS
    clock = time.perf_counter_ns
    times = []
    for i in range(first, first + calls):
        until = clock() + 1_000_000
        work = 0
        while clock() < until:
            work += sum(range(50))
        begun = clock()
        log(i, a, b, c, d, e)
        times.append(clock() - begun)
    return sorted(times)


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
    parser.add_argument("--calls", type=int, default=20_000, help="paced calls of ours and of the floor")
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
    print(f"{'':<30}{'back to back':>14}{'× floor':>9}{'paced p50':>12}{'p99':>10}{'p99.9':>10}{'max':>10}")
    for name, log in logs.items():
        share = 1 if BACKENDS[name][1] == 2000 else 10
        times = paced_ns(log[1] if name == "itermon" else log, rounds * 2000, calls // share)
        p50, p99, p999 = (times[int(len(times) * q)] / 1e3 for q in (0.5, 0.99, 0.999))
        mean = median(bursts[name])
        figures = f"{mean / 1e3:>11.3f} µs{mean / base:>9.1f}{p50:>9.2f} µs{p99:>7.1f} µs{p999:>7.1f} µs"
        print(f"{name:<30}{figures}{times[-1] / 1e3:>7.0f} µs")


if __name__ == "__main__":
    main()
