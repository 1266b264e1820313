"""Reading the history of a nanoGPT log, from bytes to labelled iterations, beside others that get the same fields.

    python bench/read.py [ITERATIONS] [REPETITIONS]        1,000,000 and 5: about a minute

Each program is a process of its own on the same file, warm in the page cache; repetitions are interleaved, so that
a drifting machine hits all alike. Times are CPU seconds of the whole process, its start included: on one core and
left alone, that is what it takes. What is missing on this machine (gcc, mawk, lnav) is left out and said. lnav
only knows lines with a time stamp: it gets them.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from screen import HEADER, write_log

LNAV_FORMAT = {
    "nanogpt_log": {
        "title": "nanoGPT",
        "regex": {
            "iter": {
                "pattern": "^(?<timestamp>\\S+) iter (?<iter>\\d+): loss (?<loss>[\\d.]+), "
                "time (?<time_ms>[\\d.]+)ms, mfu (?<mfu>-?[\\d.]+)%$"
            },
            "other": {"pattern": "^(?<timestamp>\\S+) (?<body>(?!iter ).*)$"},
        },
        "value": {
            "iter": {"kind": "integer"},
            "loss": {"kind": "float"},
            "time_ms": {"kind": "float"},
            "mfu": {"kind": "float"},
        },
        "sample": [{"line": "2026-01-01T00:00:00.000 iter 1: loss 2.5, time 1.0ms, mfu 4.0%"}],
    }
}
MAWK = (
    '/^iter /{gsub(/[^0-9. -]/,""); i[n]=$1; l[n]=$2; t[n]=$3; m[n]=$4; s+=$3; n++}'
    'END{printf "%d iterations, %.2f s\\n", n, s/1e3}'
)


def ours(path: Path, *, analysed: bool) -> None:
    """itermon: every line read, and with `analysed` labelled and all findings made."""
    from itermon.analysis.run import Run
    from itermon.collectors.logs.log_source import LogSource
    from itermon.events import Iterations

    run, count = Run(), 0
    for batch in LogSource(path, follow=False).batches(threading.Event()):
        if analysed and not batch.preview:
            run.apply(batch.events)
        count += 0 if batch.preview else sum(len(e) if isinstance(e, Iterations) else 1 for e in batch.events)
    if analysed:
        found = run.findings(spikes=None)
        count = found.progress.iterations_seen
        print(f"{count} iterations, {sum(run.columns.duration_s):.2f} s, {len(found.spikes)} spikes with causes")
    else:
        print(f"{count} events")


def bare_loop(path: Path) -> None:
    """One regular expression a line, and the numbers converted and kept."""
    import re
    from array import array

    match = re.compile(r"iter (\d+): loss ([\d.]+), time ([\d.]+)ms, mfu (-?[\d.]+)%").match
    columns = array("q"), array("d"), array("d"), array("d")
    with path.open() as file:
        for line in file:
            if found := match(line):
                index, loss, milliseconds, mfu = found.groups()
                columns[0].append(int(index))
                columns[1].append(float(loss))
                columns[2].append(float(milliseconds))
                columns[3].append(float(mfu))
    print(f"{len(columns[0])} iterations, {sum(columns[2]) / 1e3:.2f} s")


def commands(folder: Path, log: Path) -> dict[str, list[str]]:
    """What is measured, by name."""
    this = [sys.executable, __file__]
    found = {
        "itermon: labelled, all findings": [*this, "--ours", str(log)],
        "itermon: events only": [*this, "--events", str(log)],
        "bare Python loop, one regex a line": [*this, "--bare", str(log)],
    }
    if shutil.which("gcc"):
        parser = folder / "parse"
        subprocess.run(["gcc", "-O2", "-o", parser, Path(__file__).with_name("parse.c")], check=True)
        found["C parser"] = [str(parser), str(log)]
    if shutil.which("mawk"):
        found["mawk, fields kept"] = ["mawk", MAWK, str(log)]
    found["grep -c mfu"] = ["grep", "-c", "mfu", str(log)]
    if shutil.which("lnav"):
        formats = folder / ".lnav" / "formats" / "installed"
        formats.mkdir(parents=True)
        (formats / "nanogpt.json").write_text(json.dumps(LNAV_FORMAT))
        query = ";SELECT count(*) AS n, sum(time_ms) AS ms, sum(loss), sum(mfu) FROM nanogpt_log WHERE iter > -1"
        stamped = str(with_stamps(folder, log))
        found["lnav, the same fields by SQL"] = ["lnav", "-n", "-c", query, "-c", ":write-json-to -", stamped]
    return found


def with_stamps(folder: Path, log: Path) -> Path:
    """The same log with a time stamp in front of each line."""
    path = folder / "stamped.log"
    with log.open() as source, path.open("w") as file:
        for number, line in enumerate(source):
            seconds = 1_767_225_600 + number // 10
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
            file.write(f"{stamp}.{number % 10}00 {line}")
    return path


def measure(command: list[str], home: Path) -> tuple[float, float, str]:
    """CPU seconds, resident MB at the most, and what it printed."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(home)}
    )
    assert process.stdout is not None
    printed = process.stdout.read().decode(errors="replace")
    _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, " ".join(printed.split())[:90]


def main(iterations: int, repetitions: int) -> None:
    """Measure all and print a table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "train.log"
        write_log(log, iterations)
        lines = sum(1 for _ in log.open())
        print(
            f"{lines:,} lines, {log.stat().st_size / 1e6:.0f} MB, {os.cpu_count()} cores; medians of {repetitions}"
        )
        print(f"(header {len(HEADER.splitlines())} lines; load {os.getloadavg()[0]:.1f})\n")
        todo = commands(folder, log)
        results: dict[str, list[tuple[float, float, str]]] = {name: [] for name in todo}
        for _ in range(repetitions):
            for what, command in todo.items():
                results[what].append(measure(command, folder))
        ours_s = statistics.median(run[0] for run in results["itermon: labelled, all findings"])
        print(f"{'':36}{'CPU s':>8}  {'min–max':13}{'lines/s':>12}{'× itermon':>11}{'MB':>6}")
        for what, runs in results.items():
            seconds = sorted(run[0] for run in runs)
            middle = statistics.median(seconds)
            memory = max(run[1] for run in runs)
            print(
                f"{what:36}{middle:8.2f}  {seconds[0]:5.2f}–{seconds[-1]:<7.2f}{lines / middle:12,.0f}"
                f"{ours_s / middle:11.2f}{memory:6.0f}"
            )
        print()
        for what, runs in results.items():
            print(f"{what:36}{runs[-1][2]}")
        for tool in ("gcc", "mawk", "lnav"):
            if not shutil.which(tool):
                print(f"{tool} is not installed here: left out")


if __name__ == "__main__":
    modes = {"--ours": (ours, True), "--events": (ours, False)}
    if sys.argv[1:2] == ["--bare"]:
        bare_loop(Path(sys.argv[2]))
    elif sys.argv[1:2] and sys.argv[1] in modes:
        ours(Path(sys.argv[2]), analysed=modes[sys.argv[1]][1])
    else:
        numbers = [int(text.replace(",", "").replace("_", "")) for text in sys.argv[1:]]
        main(*(numbers + [1_000_000, 5][len(numbers) :]))
