"""What the screen costs: bytes to the terminal, CPU, memory, first paint. Prints our figures beside peers'.

    python bench/screen.py            everything, about nine minutes
    python bench/screen.py bytes      bytes a second and CPU: busy, only the now line ticking, finished; peers
    python bench/screen.py changes    the now line, 2 and 10 lines a second, on a million too; two sizes
    python bench/screen.py memory     resident memory after a million iterations
    python bench/screen.py paint      first paint of a log of 1,000,000 iterations and of an empty one

A terminal of 120 × 40, 24-bit colour, two updates a second, ten new iterations a second where it is busy.
"""

from __future__ import annotations

import random
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ptyrun import PtyRun

from itermon import events

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WARM_UP_S, MEASURED_S, BUSY = 6.0, 20.0, 0.25
MILLION = 1_000_000
ITERMON = (sys.executable, "-m", "itermon")


def line(index: int, seconds: float) -> str:
    """A line of nanoGPT's log."""
    return f"iter {index}: loss {3 + 7 / (1 + index / 300):.4f}, time {seconds * 1e3:.2f}ms, mfu 41.20%\n"


HEADER = (
    "tokens per iteration will be: 491,520\nnumber of parameters: 123.59M\n"
    "Overriding: batch_size = 12\nOverriding: block_size = 1024\n"
)


def write_log(path: Path, iterations: int, base_s: float = 0.1) -> None:
    """A nanoGPT log with evaluations and checkpoints every 500 iterations."""
    dice = random.Random(1)
    with path.open("w") as file:
        file.write(HEADER)
        for n in range(iterations):
            seconds = dice.gauss(base_s, 0.01 * base_s)
            if n % 500 == 0:
                file.write(f"step {n}: train loss 3.1000, val loss 3.2000\n")
                if n:
                    file.write("saving checkpoint to out\n")
                seconds += 30 * base_s
            file.write(line(n, seconds))


def write_finished(path: Path) -> None:
    """A recording of a run that said good-bye."""
    write_log(path.with_suffix(".log"), 3_000)
    with path.open("wb") as file:
        file.write(events.encode(events.RunInfo(name="finished", source_format="hooks", clock="hook")))
        for n in range(3_000):
            file.write(events.encode(events.Iteration(n, 0.1 + 0.001 * (n % 7), 3.0, at_s=1.7e9 + 0.1 * n)))
        file.write(events.encode(events.End("finished", at_s=1.7e9 + 300)))


class Writer:
    """Ten iterations a second, or so many, at the end of a log."""

    def __init__(self, path: Path, first: int, per_s: float = 10.0) -> None:
        self._file = path.open("a")
        self._index, self._next_s = first, time.perf_counter()
        self._each_s = 1 / per_s
        self._dice = random.Random(2)

    def __call__(self) -> None:
        """Write what is due."""
        while time.perf_counter() >= self._next_s:
            slow = 3.0 if self._index % 500 == 0 else 0.0
            self._file.write(line(self._index, self._dice.gauss(self._each_s, 0.01 * self._each_s) + slow))
            self._file.flush()
            self._index += 1
            self._next_s += self._each_s


class OneLine:
    """One line while we watch, and then nothing: what follows lasts longer than the measurement."""

    def __init__(self, path: Path, index: int) -> None:
        self._path, self._index = path, index
        self._due_s = time.perf_counter() + 2.0

    def __call__(self) -> None:
        """Write the line when it is due."""
        if time.perf_counter() >= self._due_s:
            with self._path.open("a") as file:
                file.write(line(self._index, 30.0))
            self._due_s = float("inf")


def cost(
    command: Sequence[str], each: Callable[[], None] | None = None, size: tuple[int, int] = (120, 40)
) -> tuple[float, float, float]:
    """Bytes a second, CPU in percent of a core, memory in MB."""
    run = PtyRun(command, columns=size[0], rows=size[1])
    run.read(WARM_UP_S, each=each)
    before_s = 0.0
    while run.cpu_s() - before_s > BUSY:  # it reads its history
        before_s = run.cpu_s()
        run.read(1.0, each=each)
    written, cpu_s, began_s = len(run.written), run.cpu_s(), time.perf_counter()
    run.read(MEASURED_S, each=each)
    span_s = time.perf_counter() - began_s
    row = (
        (len(run.written) - written) / span_s,
        100 * (run.cpu_s() - cpu_s) / span_s,
        run.memory_bytes() / 1e6,
    )
    run.stop()
    return row


def measure_bytes(folder: Path) -> None:
    """The table of bytes and CPU."""
    busy, waiting, finished = folder / "busy.log", folder / "now.log", folder / "finished.jsonl"
    write_log(busy, 5_000)
    write_log(waiting, 5_000, base_s=30.0)
    write_finished(finished)
    rows: list[tuple[str, Sequence[str], Callable[[], Callable[[], None]] | None, str]] = [
        ("itermon, busy", (*ITERMON, str(busy)), lambda: Writer(busy, 5_000), "<= 2,000 B/s, <= 3 %"),
        ("itermon, only the now line", (*ITERMON, str(waiting)), lambda: OneLine(waiting, 5_000), "<= 400 B/s"),
        ("itermon, finished run", (*ITERMON, str(finished)), None, "0 B/s"),
        (
            "stock Textual dashboard",
            (sys.executable, str(Path(__file__).with_name("stock_dashboard.py"))),
            None,
            "",
        ),
    ]
    for peer, options in (("top", ("-d", "0.5")), ("htop", ("-d", "5")), ("nvitop", ())):
        if found := shutil.which(peer):
            rows.append((f"{peer}, twice a second" if options else peer, (found, *options), None, ""))
    print(f"{'120 x 40, 2 updates a second':<32}{'B/s':>10}{'CPU %':>8}{'MB':>7}   target")
    for name, command, each, target in rows:
        rate, cpu, memory = cost(command, each() if each else None)
        print(f"{name:<32}{rate:>10,.0f}{cpu:>8.1f}{memory:>7.0f}   {target}", flush=True)


def measure_changes(folder: Path) -> None:
    """Bytes and CPU by what changes, on a small log and on a million iterations."""
    waiting, million = folder / "now.log", folder / "million.log"
    twice, busy = folder / "twice.log", folder / "busy.log"
    write_log(waiting, 5_000, base_s=30.0)
    write_log(twice, 5_000, base_s=0.5)
    write_log(busy, 5_000)
    write_log(million, MILLION)
    rows: list[tuple[str, Path, Callable[[], Callable[[], None]], str]] = [
        ("the now line alone", waiting, lambda: OneLine(waiting, 5_000), "<= 200 B/s"),
        ("2 lines/s", twice, lambda: Writer(twice, 5_000, 2.0), "<= 500 B/s, <= 2 %"),
        ("10 lines/s", busy, lambda: Writer(busy, 5_000), "<= 1,500 B/s"),
        ("a million, the clock alone", million, lambda: lambda: None, "<= 1 %"),
        ("a million, 10 lines/s", million, lambda: Writer(million, MILLION), "<= 1,500 B/s, <= 3 %"),
    ]
    print(f"{'':<32}{'size':>9}{'B/s':>10}{'CPU %':>8}   target")
    for name, log, each, target in rows:
        for size in ((120, 40), (200, 50)):
            rate, cpu, _ = cost((*ITERMON, "--no-machine", str(log)), each(), size)
            print(f"{name:<32}{f'{size[0]}×{size[1]}':>9}{rate:>10,.0f}{cpu:>8.1f}   {target}", flush=True)


def measure_memory(folder: Path) -> None:
    """Resident memory with the history of a long run."""
    log = folder / "million.log"
    write_log(log, MILLION)
    run = PtyRun((*ITERMON, str(log)))
    settled_s, before = 0.0, 0
    while settled_s < 4 and run.process.poll() is None:
        run.read(1.0)
        settled_s = settled_s + 1 if abs(run.memory_bytes() - before) < 1 << 19 and run.cpu_s() > 1 else 0
        before = run.memory_bytes()
    print(f"after {MILLION:,} iterations: {run.memory_bytes() / 1e6:.0f} MB (target 90 MB), ", end="")
    print(f"history read within {time.perf_counter() - run.started_s - 4:.0f} s")
    run.stop()


def measure_paint(folder: Path) -> None:
    """Time to the first full screen, long log and empty log in turn."""
    log, empty = folder / "million.log", folder / "empty.log"
    if not log.exists():
        write_log(log, MILLION)
    empty.touch()
    times: dict[str, list[float]] = {"long": [], "empty": []}
    for _ in range(9):
        for name, path, word in (("empty", empty, b"quit"), ("long", log, f"{MILLION - 1:,}".encode())):
            run = PtyRun((*ITERMON, str(path)))
            seen_s = run.read(30, until=word)
            run.stop()
            if seen_s is None:
                print(f"first paint of the {name} log: never saw {word!r}")
                return
            times[name].append(seen_s)
    long_s, empty_s = (statistics.median(times[name]) for name in ("long", "empty"))
    print(
        f"first paint, median of 9: empty log {empty_s * 1e3:.0f} ms; {log.stat().st_size / 1e6:.0f} MB log ",
        end="",
    )
    print(f"{long_s * 1e3:.0f} ms; ratio {long_s / empty_s:.2f} (target 1.5)")


def main() -> None:
    """Measure what was asked for."""
    parts = {"bytes": measure_bytes, "changes": measure_changes, "memory": measure_memory, "paint": measure_paint}
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or parts:
            parts[name](Path(folder))


if __name__ == "__main__":
    main()
