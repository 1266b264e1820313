"""What `itermon.watch()` costs a training with torch on the CPU, beside the same loop without it, in turns.

    python bench/automatic_cost.py [--processes 3] [--pairs 40] [--python PATH]

Two loops of a forward, a backward and a step: a tiny one, of which the training thread's CPU time is compared, in
microseconds an iteration; and one with 7 ms of work in each, of which wall time and CPU time are compared, as a
share. For a lone run all that was wrapped is put back as it was. Every sixth run is watched, and paired with the
mean of the two lone ones around it. `null` are lone runs in the same place: what the figures are worth here. For
the `floor` four tuples with `perf_counter_ns()` are appended to a deque around backward and step: what the machine
asks for that. Of a run of the tiny loop it is the median iteration. The wall time has on top what our thread still
works when the loop has ended; the CPU time, which other programs disturb less, is that of the loop's thread and
ours together. At the end, the figure that no load moves: with hot caches, around stubs (`automatic_hot.py`).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any

import automatic_hot

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]
TINY, LONG_S = 200, 0.007
"""Iterations in a run of the tiny loop, and how long one of the other loop takes, of 25 in a run."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=40, help="in each process, of each loop")
    parser.add_argument("--one", action="store_true", help="be one of the processes")
    default = ROOT / ".venv-frameworks" / "bin" / "python"
    parser.add_argument("--python", default=str(default) if default.exists() else sys.executable)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one_process(options.pairs)))
        return
    found: dict[str, list[float]] = {}
    for _ in range(options.processes):
        for name, values in json.loads(other_process(options)).items():
            found.setdefault(name, []).extend(values)
    alone_us = median(found.pop("alone"))
    load = os.getloadavg()[0]
    print(f"{options.processes} × {options.pairs} pairs of each loop; load {load:.1f} on {os.cpu_count()} cores")
    print(f"an iteration of {alone_us:.0f} µs of CPU; one of {LONG_S * 1e3:.0f} ms (median; quartiles):")
    for name, values in found.items():
        low, middle, high = quantiles(values, n=4)
        print(f"  {name:<30} {middle:+.2f}   {low:+.2f} to {high:+.2f}")
    print(automatic_hot.line(options.python))


def other_process(options: argparse.Namespace) -> str:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "itermon").symlink_to(ROOT)
        given = os.environ | {"PYTHONPATH": folder, "ITERMON_RUNS_DIR": folder, "ITERMON_SOCKETS_DIR": folder}
        command = [options.python, __file__, "--one", "--pairs", str(options.pairs)]
        return subprocess.run(command, env=given, stdout=subprocess.PIPE, check=True, text=True).stdout


def one_process(pairs: int) -> dict[str, list[float]]:
    import torch

    import itermon

    torch.set_num_threads(1)
    before = wrapped(torch)
    hooks = itermon.watch("bench", read_output=False)
    states = before, floor(torch, before), wrapped(torch)
    tiny = trainer(torch, torch.nn.Linear(4, 1), torch.ones(2, 4))
    long = calibrated(torch)
    runs = [timed(hooks, states, tiny, TINY, turn) for turn in range(6 * pairs + 1)]
    long_runs = [timed(hooks, states, long, 25, turn) for turn in range(6 * pairs + 1)]
    cpu_us = [run["iteration"] * 1e6 for run in runs]
    found = {"alone": cpu_us[::2]}
    for name, first in (("thread's CPU, µs more", 1), ("  floor", 3), ("  null", 5)):
        found[name] = [middle - (one + other) / 2 for one, middle, other in neighbours(cpu_us, first)]
    for clock in ("wall", "CPU"):
        times_s = [run[clock] for run in long_runs]
        for name, first in (
            (f"7 ms: {clock} time, % more", 1),
            (f"  floor of the {clock} time", 3),
            (f"  null of the {clock} time", 5),
        ):
            shares = [2 * middle / (one + other) - 1 for one, middle, other in neighbours(times_s, first)]
            found[name] = [100 * share for share in shares]
    return found


def neighbours(values: list[float], first: int) -> list[tuple[float, float, float]]:
    """Every sixth value from `first` on, between the one before and the one after it."""
    return [(values[at - 1], values[at], values[at + 1]) for at in range(first, len(values), 6)]


def trainer(torch: Any, model: Any, batch: Any) -> Callable[[int], list[float]]:
    """A loop; it gives the CPU seconds of its thread by iteration."""
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)

    def train(iterations: int) -> list[float]:
        times_s = []
        for _ in range(iterations):
            begun_s = time.thread_time()
            model(batch).mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            times_s.append(time.thread_time() - begun_s)
        return times_s

    return train


def calibrated(torch: Any) -> Callable[[int], list[float]]:
    """A loop whose iterations take 7 ms of CPU here."""
    model, rows = torch.nn.Sequential(*(torch.nn.Linear(256, 256) for _ in range(4))), 64
    for _ in range(4):
        train = trainer(torch, model, torch.ones(rows, 256))
        train(3)
        rows = max(1, int(rows * LONG_S / median(train(10))))
    return trainer(torch, model, torch.ones(rows, 256))


def wrapped(torch: Any) -> tuple[dict[tuple[Any, str], Any], list[tuple[dict[int, Any], dict[int, Any]]]]:
    """All that is watched in these loops, as it is now."""
    optimizer = sys.modules["torch.optim.optimizer"]
    functions = [(torch.Tensor, "backward"), (torch.nn.Module, "eval"), (torch.nn.Module, "named_parameters")]
    hooks = [optimizer._global_optimizer_pre_hooks, optimizer._global_optimizer_post_hooks]
    return {place: getattr(*place) for place in functions}, [(there, dict(there)) for there in hooks]


def floor(torch: Any, before: Any) -> Any:
    """Four appends, and nothing else, in the place of what is watched."""
    functions, (first, last) = before
    queue: deque[tuple[str, int]] = deque(maxlen=1000)
    clock, backward = time.perf_counter_ns, functions[torch.Tensor, "backward"]

    def watched(tensor: Any, *arguments: Any, **named: Any) -> Any:
        queue.append(("", clock()))
        result = backward(tensor, *arguments, **named)
        queue.append(("", clock()))
        return result

    def stamp(_optimizer: Any, _arguments: Any, _named: Any) -> None:
        queue.append(("", clock()))

    functions = {**functions, (torch.Tensor, "backward"): watched}
    return functions, [(first[0], {**first[1], -1: stamp}), (last[0], {**last[1], -1: stamp})]


def timed(
    hooks: Any, states: Any, train: Callable[[int], list[float]], iterations: int, turn: int
) -> dict[str, float]:
    """Seconds of one run, on the wall and of CPU, and of its median iteration, of the loop's thread alone."""
    functions, step_hooks = states[{1: 2, 3: 1}.get(turn % 6, 0)]
    for (owner, name), function in functions.items():
        setattr(owner, name, function)
    for there, some in step_hooks:
        there.clear()
        there.update(some)
    clock = time.pthread_getcpuclockid(hooks.emitter.thread.ident)
    train(3)
    ours_begun_s, begun_s = time.clock_gettime(clock), time.perf_counter()
    times_s = train(iterations)
    wall_s = time.perf_counter() - begun_s
    ours_ended_s = time.clock_gettime(clock)
    time.sleep(0.15)  # more than a tick: what the loop left is recorded
    ours_s = time.clock_gettime(clock)
    return {
        "iteration": median(times_s),
        "wall": wall_s + ours_s - ours_ended_s,
        "CPU": sum(times_s) + ours_s - ours_begun_s,
    }


if __name__ == "__main__":
    main()
