"""From exec to the first full screen, beside a static Textual app of as many cells: CPU, time, bytes.

    python bench/start_screen.py [REPETITIONS] [LOG]      a log of 5,000 iterations, 200 × 50, in turns

A screen is full when the newest iteration and the line of keys stand on it. CPU time, of all threads, is what a
busy machine stretches least; compiled modules are there already, as they are from the second start on.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from ptyrun import PtyRun
from screen import ITERMON, write_log
from static_screen import LAST_WORD

COUNT = 5_000
SIZE = {"columns": 200, "rows": 50}


class Start(NamedTuple):
    """What passed until the screen was full."""

    cpu_s: float
    wall_s: float
    written: int  # bytes


def start(command: list[str], words: list[bytes]) -> Start:
    """One program, until all of `words` stand on its screen."""
    run = PtyRun(command, **SIZE)
    clock = (~run.process.pid << 3) | 2  # of a process's CPU time, see clock_getcpuclockid(3)
    for word in words:
        if word not in run.written and run.read(60, until=word) is None:
            raise SystemExit(f"{command}: never wrote {word!r}")
    cpu_s, wall_s = time.clock_gettime(clock), time.perf_counter() - run.started_s
    found = Start(cpu_s, wall_s, len(run.written))
    run.stop()
    return found


def main(repetitions: int, log: str) -> None:
    """Print the medians and their ratio."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        if not log:
            log = str(Path(folder, "train.log"))
            write_log(Path(log), COUNT)
        programs = {
            "static Textual app": (
                [sys.executable, str(Path(__file__).with_name("static_screen.py"))],
                [LAST_WORD.encode()],
            ),
            "itermon": ([*ITERMON, log], [newest(log), b"quit"]),
        }
        starts: dict[str, list[Start]] = {name: [] for name in programs}
        for turn in range(repetitions + 1):
            for name, (command, words) in programs.items():
                one = start(command, words)
                if turn:  # the first compiles the modules
                    starts[name].append(one)
    print(f"{f'medians of {repetitions}':24}{'CPU ms':>8}{'wall ms':>9}{'bytes':>9}")
    medians = {
        name: [statistics.median(column) for column in zip(*seen, strict=True)] for name, seen in starts.items()
    }
    for name, (cpu_s, wall_s, written) in medians.items():
        print(f"{name:24}{1e3 * cpu_s:8.0f}{1e3 * wall_s:9.0f}{written:9,.0f}")
    (cpu_of, wall_of, _), (cpu_s, wall_s, _) = medians["static Textual app"], medians["itermon"]
    print(f"{'ratio (target 1.15)':24}{cpu_s / cpu_of:8.2f}{wall_s / wall_of:9.2f}   (at most 40,000 bytes)")


def newest(log: str) -> bytes:
    """The number of the newest iteration, as the screen writes it."""
    last = Path(log).read_bytes()[-1_000:].decode().rstrip().rpartition("\niter ")[2]
    return f"{int(last.partition(':')[0]):,}".encode()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9, sys.argv[2] if len(sys.argv) > 2 else "")
