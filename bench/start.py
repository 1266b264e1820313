"""How long a command takes before it does anything: medians of whole processes, run in turn.

python bench/start.py [REPETITIONS]

CPU time (user and system), which a busy machine stretches less than the clock on the wall. The floor of every
command is what it cannot do without: Python, and the two libraries that it is made with.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from typing import NamedTuple

COUNT = 1_000
LOGS = {
    "nanoGPT": (f"iter {i}: loss 3.5, time 200.00ms, mfu 10.00%\n" for i in range(COUNT)),
    "key=value": (f"step={i} loss=3.5 lr=0.001 dt_ms={200 + i % 7}\n" for i in range(COUNT)),
    "Keras": (
        f"Epoch {i // 100 + 1}/10\n" * (i % 100 == 0) + f"{i % 100 + 1}/100 [==>...] - ETA: 9s - loss: 3.5\n"
        for i in range(COUNT)
    ),
    "no log": (f"The quick brown fox jumps over {i} lazy dogs.\n" for i in range(COUNT)),
}


class Took(NamedTuple):
    """One process, in milliseconds."""

    cpu: float
    wall: float


def once(arguments: list[str]) -> Took:
    """From its start to its end; a log that nobody can read ends it with an error, which is no error here."""
    before, began_s = getrusage(RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall_s, after = time.perf_counter() - began_s, getrusage(RUSAGE_CHILDREN)
    return Took(1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime), 1e3 * wall_s)


def main() -> None:
    """Print the table."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # compiled modules are there, as from the second start on
    with tempfile.TemporaryDirectory() as folder:
        programs = {
            "python -c pass": ["-c", "pass"],
            "import click, msgspec": ["-c", "import click, msgspec"],
            "import textual.app": ["-c", "import textual.app"],
            "itermon --help": ["-m", "itermon", "--help"],
        }
        for name, lines in LOGS.items():
            log = Path(folder, f"{name}.log")
            log.write_text("".join(lines))
            programs[f"itermon report, 1,000 lines: {name}"] = ["-m", "itermon", "report", str(log)]
        took: dict[str, list[Took]] = {name: [] for name in programs}
        for turn in range(repetitions + 1):
            for name, arguments in programs.items():
                one = once(arguments)
                if turn:  # the first compiles the modules
                    took[name].append(one)
    python = median(each.cpu for each in took["python -c pass"])
    floor = median(each.cpu for each in took["import click, msgspec"])
    print(
        f"{f'medians of {repetitions}':42}{'CPU ms':>8}{'more than Python':>18}{'of the floor':>14}{'wall ms':>9}"
    )
    for name, processes in took.items():
        cpu, wall = median(each.cpu for each in processes), median(each.wall for each in processes)
        print(f"{name:42}{cpu:8.0f}{cpu - python:18.0f}{cpu / floor:12.1f} ×{wall:9.0f}")


if __name__ == "__main__":
    main()
