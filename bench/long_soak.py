"""A real watch for long: a log grows by 200 lines a second; memory, descriptors and CPU of the screen, by tenths.

    python bench/long_soak.py [--minutes 60] [--lines-a-second 200]

The first tenth fills caches and is not compared. After it memory may grow by no more than an iteration takes, and
descriptors and CPU not at all; at the end the log's page has to have counted every line. `campaigns/soak.py` does
the same for a month, by a clock of its own.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from campaigns.soak import MOST_BYTES_AN_ITERATION, SLACK_BYTES
from ptyrun import PtyRun

STEP_S = 0.1
TENTHS = 10
EVALUATED_EVERY = 2_000
MOST_MORE_CPU = 1.5  # between the second tenth and the last: a busy machine's share wavers


class Used(NamedTuple):
    """What the watch held at the end of a tenth, and used in it."""

    lines: int
    memory_bytes: int
    descriptors: int
    cpu_share: float
    terminal_bytes_per_s: float


def main() -> None:
    """Watch, print each tenth, and judge; exit code 1 where something grew or was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--lines-a-second", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "train.log"
        path.touch()
        screen = PtyRun([sys.executable, "-m", "itermon", "--no-machine", str(path)])
        try:
            print(f"{'lines':>9} {'memory MiB':>11} {'descriptors':>12} {'CPU':>7} {'bytes/s':>8}", flush=True)
            used = _watch(screen, path, options.minutes * 60, options.lines_a_second)
            screen.written.clear()
            screen.press(b"l")
            counted = screen.read(30, until=f"{used[-1].lines:,} lines".encode())
        finally:
            screen.stop()
    faults = _faults(used) + ([] if counted else ["the log's page did not count every line"])
    print("\n".join(faults) or "nothing grew, nothing was lost")
    sys.exit(1 if faults else 0)


def _watch(screen: PtyRun, path: Path, seconds: float, lines_a_second: int) -> list[Used]:
    used: list[Used] = []
    number, began_s = 0, time.monotonic()
    with path.open("w") as log:
        for tenth in range(1, TENTHS + 1):
            cpu_s, tenth_s, written = screen.cpu_s(), time.monotonic(), 0
            until_s = began_s + seconds * tenth / TENTHS
            while (now_s := time.monotonic()) < until_s:
                due = int((now_s - began_s) * lines_a_second)
                log.write("".join(map(_line, range(number, due))))
                log.flush()
                number = max(number, due)
                screen.read(STEP_S)
                written += len(screen.written)
                screen.written.clear()
            took_s = time.monotonic() - tenth_s
            descriptors = len(os.listdir(f"/proc/{screen.process.pid}/fd"))  # noqa: PTH208 - not real files
            share = (screen.cpu_s() - cpu_s) / took_s
            used.append(Used(number, screen.memory_bytes(), descriptors, share, written / took_s))
            _print(used[-1])
    return used


def _line(number: int) -> str:
    if number % EVALUATED_EVERY == EVALUATED_EVERY - 1:
        return f"step {number}: train loss 3.0000, val loss 3.1000\n"
    return f"iter {number}: loss {3 + 1 / (number + 1):.4f}, time {4.9 + number % 7 / 50:.2f}ms, mfu 40.00%\n"


def _print(one: Used) -> None:
    print(
        f"{one.lines:9,} {one.memory_bytes / 2**20:11.1f} {one.descriptors:12} {one.cpu_share:7.1%} "
        f"{one.terminal_bytes_per_s:8,.0f}",
        flush=True,
    )


def _faults(used: list[Used]) -> list[str]:
    first, last = used[0], used[-1]
    found = []
    if last.memory_bytes - first.memory_bytes > SLACK_BYTES + MOST_BYTES_AN_ITERATION * (last.lines - first.lines):
        found.append(f"memory grew from {first.memory_bytes:,} to {last.memory_bytes:,} bytes")
    if last.descriptors > first.descriptors:
        found.append(f"descriptors grew from {first.descriptors} to {last.descriptors}")
    if last.cpu_share > MOST_MORE_CPU * used[1].cpu_share:
        found.append(f"CPU grew from {used[1].cpu_share:.1%} to {last.cpu_share:.1%}")
    return found


if __name__ == "__main__":
    main()
