"""The home screen with many runs: its first screen, and what it costs when it only stands there.

    python bench/home.py [--living 20] [--recordings 80] [--iterations 10000] [--seconds 20]

The living runs are recordings whose lock a process of ours holds, and which it writes an iteration a second to.
The first screen stands when the newest run is on it, with the lines of the last time and without. The long form
has recordings of 100,000 iterations: `--iterations 100000`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from ptyrun import PtyRun

from itermon.events import ClockKind, Config, End, Iteration, RunInfo, encode_all

ITERMON = (sys.executable, "-m", "itermon")
_BEGUN_S = 1.7e9
_PART_S = 10.0
_LIVING = """
import fcntl, sys, time
from itermon.events import Iteration, encode_all
files = [open(path, "ab", buffering=0) for path in sys.argv[2:]]
for file in files: fcntl.flock(file, fcntl.LOCK_EX)
print("locked", flush=True)
i = int(sys.argv[1])
while True:
    for file in files: file.write(encode_all([Iteration(i, 1.0, 2.5, at_s=time.time())]))
    i += 1
    time.sleep(1.0)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, usual in (
        ("living", 20),
        ("recordings", 80),
        ("iterations", 10_000),
        ("seconds", 20),
        ("rounds", 3),
    ):
        parser.add_argument(f"--{name}", type=int, default=usual)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for variable, place in (("ITERMON_RUNS_DIR", "runs"), ("ITERMON_SOCKETS_DIR", "socks"), ("HOME", "home")):
            (folder / place).mkdir(mode=0o700)
            os.environ[variable] = str(folder / place)
        os.environ.pop("XDG_CACHE_HOME", None)
        os.chdir(folder)
        living = [path for number in range(options.living) if (path := recorded(folder, "live", number, 500))]
        for number in range(options.recordings):
            recorded(folder, "old", number, options.iterations, end=True)
        command = [sys.executable, "-c", _LIVING, "500", *map(str, living)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            measured(options)
            writer.kill()


def recorded(folder: Path, name: str, number: int, count: int, *, end: bool = False) -> Path:
    """A recording; the newest one has the highest number."""
    events = [
        RunInfo(name=f"{name}-{number}", source_format="hooks", clock=ClockKind.HOOK, started_at_s=_BEGUN_S),
        Config(origin="hook", max_iterations=2 * count, cost_per_hour=3.5),
        *(Iteration(i, 0.1 + i % 7 / 1e3, 3 + 1 / (1 + i), at_s=_BEGUN_S + i / 10) for i in range(count)),
        *([End()] if end else []),
    ]
    path = (
        folder
        / "runs"
        / f"{name}-{number}.20260101-{number // 60:02d}{number % 60:02d}00.{number + 5_000_000}.jsonl"
    )
    path.write_bytes(encode_all(events))
    return path


def measured(options: argparse.Namespace) -> None:
    word = b"live-0" if options.living else b"old-0"
    cold = PtyRun(ITERMON, columns=120, rows=40)
    print(f"{options.living} living runs, {options.recordings} recordings of {options.iterations:,} iterations")
    print(f"  first screen, nothing kept      {(cold.read(60, until=word) or float('nan')) * 1e3:>8.0f} ms")
    used_s, last_s = cold.cpu_s(), float("-inf")
    begun_s, begun_at_s = used_s, time.monotonic()
    while used_s - last_s > 0.03 * _PART_S:  # until all are read: then it rests
        cold.read(_PART_S)
        used_s, last_s = cold.cpu_s(), used_s
    share = (last_s - begun_s) / max(_PART_S, time.monotonic() - begun_at_s - _PART_S)
    print(f"  meanwhile: of a core            {share * 100:>8.1f} %")
    print(f"  CPU until all lines are there   {cold.cpu_s():>8.1f} s")
    cold.stop()
    times = []
    for _ in range(options.rounds):
        warm = PtyRun(ITERMON, columns=120, rows=40)
        times.append(warm.read(60, until=word) or float("nan"))
        if len(times) < options.rounds:
            warm.stop()
    print(f"  first screen, median of {options.rounds:<8}{median(times) * 1e3:>8.0f} ms")
    warm.read(10.0)
    begun_s, written = warm.cpu_s(), len(warm.written)
    warm.read(options.seconds)
    print(f"  then: of a core                 {(warm.cpu_s() - begun_s) / options.seconds * 100:>8.1f} %")
    print(f"  then: to the terminal           {(len(warm.written) - written) / options.seconds:>8.0f} B/s")
    warm.stop()


if __name__ == "__main__":
    main()
