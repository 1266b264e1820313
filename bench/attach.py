"""Attaching to a living run of a million iterations: when its first screen stands, what the trainer feels of it.

    python bench/attach.py [--iterations 1000000] [--rounds 7]

A trainer tells a million iterations through its hooks, and then goes on with one a millisecond, timing its
own. A viewer attaches on a terminal of 120 × 40; its first screen stands when the number of the run's last
iterations is on it. Beside it, in turns: `itermon LOG` on a nanoGPT log of the same iterations. Then the
history itself: from attaching to the last event of the past. The trainer's loop is timed while it is served,
and while another process burns as much CPU as a viewer does: what is left between the two is the serving.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

from ptyrun import PtyRun

from itermon.collectors.runs.socket import SocketSource
from itermon.events import SourceState

ITERMON = (sys.executable, "-m", "itermon")
_TRAINER = """
import os, sys, time
import itermon
count = int(sys.argv[1])
hooks = itermon.Hooks("million")
hooks.begin()
for i in range(count):
    while len(hooks._queue) > 30_000: time.sleep(0.01)
    hooks.iteration(i, loss=3.0)
print(hooks.address, flush=True)
while True:
    begun = time.perf_counter()
    for _ in range(100):
        sum(k * k for k in range(12_000))
        i += 1
        hooks.iteration(i, loss=3.0)
    print(time.perf_counter() - begun, flush=True)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["ITERMON_RUNS_DIR"], os.environ["ITERMON_SOCKETS_DIR"] = f"{folder}/runs", f"{folder}/sockets"
        log = folder / "train.log"
        log.write_text(
            "".join(f"iter {i}: loss 3.0000, time 1.00ms, mfu 10.00%\n" for i in range(options.iterations))
        )
        with subprocess.Popen(
            [sys.executable, "-c", _TRAINER, str(options.iterations)], stdout=subprocess.PIPE, text=True
        ) as trainer:
            assert trainer.stdout is not None
            address = Path(trainer.stdout.readline().strip())
            laps: list[tuple[float, float]] = []
            threading.Thread(target=follow, args=(trainer.stdout, laps), daemon=True).start()
            first_screens(log, address, options)
            history(address, laps, options.rounds)
            trainer.kill()


def follow(lines: object, laps: list[tuple[float, float]]) -> None:
    """Keep what the trainer says of its loop: when, and seconds of a hundred iterations."""
    laps.extend((time.perf_counter(), float(line)) for line in lines)  # type: ignore[attr-defined]


def first_screens(log: Path, address: Path, options: argparse.Namespace) -> None:
    """The two ways in turns."""
    newest = f"{options.iterations:,}"[:3].encode()
    cases = {
        "the log from disk": ((*ITERMON, str(log)), f"{options.iterations - 1:,}".encode()),
        "attached to the trainer": ((*ITERMON, "attach", str(address)), newest),
    }
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(options.rounds):
        for name, (command, word) in cases.items():
            run = PtyRun(command)
            seen_s = run.read(20, until=word)
            run.stop()
            times[name].append(float("nan") if seen_s is None else seen_s)
    print(f"first screen of {options.iterations:,} iterations, median of {options.rounds}")
    for name, taken in times.items():
        print(f"  {name:<28}{median(taken) * 1e3:>7.0f} ms")
    attached, from_disk = (median(times[name]) for name in ("attached to the trainer", "the log from disk"))
    print(f"  {'ratio':<28}{attached / from_disk:>10.2f}")


def history(address: Path, laps: list[tuple[float, float]], rounds: int) -> None:
    """The whole past through the socket, and the trainer's loop meanwhile."""
    taken, served, alone = [], [], []
    for _ in range(rounds):
        begun_s = time.perf_counter()
        with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as burner:
            time.sleep(2.0)
            burner.kill()
        from_s = time.perf_counter()
        count = 0
        for batch in SocketSource(address).batches(threading.Event()):
            count += 0 if batch.preview else len(batch.events)
            if batch.state == SourceState.LIVE:
                break
        until_s = time.perf_counter()
        taken.append(until_s - from_s)
        alone += [lap for at_s, lap in laps if begun_s + 0.3 < at_s < from_s]
        served += [lap for at_s, lap in laps if from_s + 0.1 < at_s < until_s]
    print(f"history of {count:,} events through the socket: {median(taken):.2f} s (median of {rounds})")
    if served and alone:
        slower = 100 * (median(served) / median(alone) - 1)
        print(f"  the trainer's 100 iterations meanwhile {median(served) * 1e3:.0f} ms, ", end="")
        print(f"beside a process that only burns CPU {median(alone) * 1e3:.0f} ms: {slower:+.1f} %")


if __name__ == "__main__":
    main()
