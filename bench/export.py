"""What exporting 16 ranks costs: one scrape, and the process at a scrape every 15 s; and do its counters hold?

    python bench/export.py                 # a minute or two; --every-s 15 --for-s 90 is the long form

16 recordings grow as 16 trainers write them. A scrape is timed beside the smallest answer of the same library (one
gauge): what its server and this machine take for nothing. The CPU is the exporter's own, by its process's clock,
beside that of one that follows no run. Then trainers and exporter restart ten times, and each counter is compared
with the sums of the recordings: iterations, seconds and tokens by hand, lost seconds by cause as one reading of
whole recordings has them.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from metric_recordings import Recorder, head, trained
from prometheus_client import CollectorRegistry, Gauge, start_http_server

from itermon.analysis.run import Run
from itermon.events import End, EndReason, Event, Iteration, decode_lines

RANKS, BEFORE, RESTARTS = 16, 5_000, 10


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("--every-s", type=float, default=5.0, help="from scrape to scrape")
    options.add_argument("--for-s", type=float, default=40.0)
    options.add_argument("--restarts", action="store_true", help="the counters alone")
    options.add_argument("--rate", type=float, default=2.0, help="iterations a second, of each rank")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ITERMON_RUNS_DIR"] = folder + "/runs"
        recorder = Recorder(Path(folder) / "runs")
        try:
            if not chosen.restarts:
                cost(recorder, chosen.every_s, chosen.for_s, chosen.rate)
                recorder.close()
            restarts(recorder)
        finally:
            recorder.close()


def cost(recorder: Recorder, every_s: float, for_s: float, rate: float) -> None:
    """Scrapes and CPU, with 16 ranks that train and with none."""
    start_s = time.time() - BEFORE / 8
    events = [trained(0, BEFORE + int(rate * for_s * 4), start_s, seed=rank) for rank in range(RANKS)]
    cuts = [place(part, BEFORE) for part in events]
    paths = []
    for rank in range(RANKS):
        called = f"bench-rank{rank}" if rank else "bench"
        first = events[rank][: cuts[rank]]
        paths.append(
            recorder.begin(called, 100 + rank, *head("bench", rank, start_s, world=RANKS), *first, at_s=start_s)
        )
    with Exporter("bench") as busy, Exporter("nobody") as idle:
        busy.wait_for(RANKS)
        before = busy.cpu_s(), idle.cpu_s()
        times_s, sizes = [], []
        began_s = time.monotonic()
        done = 0
        while time.monotonic() - began_s < for_s:
            time.sleep(every_s)
            due = int(rate * (time.monotonic() - began_s))
            for rank, path in enumerate(paths):
                recorder.write(
                    path, *events[rank][place(events[rank], BEFORE + done) : place(events[rank], BEFORE + due)]
                )
            done = due
            took_s, text = scraped(busy.url)
            times_s.append(took_s)
            sizes.append(len(text))
        span_s = time.monotonic() - began_s
        used = [(now - then) / span_s for now, then in zip((busy.cpu_s(), idle.cpu_s()), before, strict=True)]
        series = len(re.findall(r"^itermon", text, re.MULTILINE))
    print(
        f"{RANKS} ranks, {BEFORE:,} iterations each before, {rate:g} a second each; a scrape every {every_s:g} s"
    )
    longest, least = 1e3 * max(times_s), 1e3 * floor_s()
    print(f"  a scrape: median {1e3 * median(times_s):.1f} ms, longest {longest:.1f} ms (one gauge: {least:.1f})")
    print(f"  its size: {max(sizes) / 1e3:.0f} kB, {series} series, {series / RANKS:.0f} a rank")
    print(f"  CPU: {100 * used[0]:.2f} % of a core (following no run: {100 * used[1]:.2f} %)")


def restarts(recorder: Recorder) -> None:
    """After each restart of all trainers a new exporter is asked, and one that has lived through them all."""
    equal, asked, causes = Counter[str](), Counter[str](), set[str]()
    now_s = time.time() - 100_000
    paths: list[list[Path]] = [[] for _ in range(RANKS)]
    with Exporter("again", "1") as old:
        for process in range(RESTARTS + 1):
            for rank in range(RANKS):
                called, at_s = (f"again-rank{rank}" if rank else "again"), now_s + 100 * process
                mine = trained(process * 100, 130, at_s + 10, seed=rank)
                path = recorder.begin(
                    called, 1_000 + 100 * process + rank, *head("again", rank, at_s, world=RANKS), *mine, at_s=at_s
                )
                paths[rank].append(path)
            expected = [sums(each, rank) for rank, each in enumerate(paths)]
            with Exporter("again", "1") as new:
                for exporter in (old, new):
                    for its, mine in zip(exporter.wait_for(RANKS, expected[0].iterations), expected, strict=True):
                        for what, value in mine._asdict().items():
                            equal[what] += getattr(its, what) == value
                            asked[what] += 1
                        causes |= {cause for cause, lost_s in its.lost_s.items() if lost_s}
            for rank in range(RANKS):
                recorder.end(paths[rank][-1])
    print(f"{RESTARTS} restarts of trainers and exporter: a rank's counters equal the sums of its recordings in")
    for what, name in NAMES.items():
        print(f"  {name:<22} {equal[what]} of {asked[what]}")
    print(f"  causes with lost seconds: {', '.join(sorted(causes))}")


def place(events: list[Event], count: int) -> int:
    """Behind the iteration with this number."""
    seen = 0
    for number, event in enumerate(events):
        seen += isinstance(event, Iteration)
        if seen == count:
            return number + 1
    return len(events)


class Counts(NamedTuple):
    """Of one rank. Tokens: those of all ranks, by rank 0."""

    iterations: float
    spent_s: float
    tokens: float | None
    lost_s: dict[str, float]


NAMES = {
    "iterations": "iterations",
    "spent_s": "their seconds",
    "tokens": "tokens",
    "lost_s": "lost seconds by cause",
}


def sums(paths: list[Path], rank: int) -> Counts:
    """Of recordings of which the newest lives. What is lost: of each, taken in whole, one by one."""
    run, found = Run(), 0
    spent_s = 0.0
    for path in paths:
        events = decode_lines(path.read_bytes())
        iterations = [event for event in events if isinstance(event, Iteration)]
        found += len(iterations)
        spent_s += sum(event.duration_s or 0.0 for event in iterations)
        run.apply(events)
        if path != paths[-1]:
            run.apply([End(reason=EndReason.LOST)])
            run.end_process(over=False)
    tokens = float(found * RANKS * 4 * 256) if rank == 0 else None
    lost_s = {cause: lost.seconds for cause, lost in run.pulse().counted.items()}
    return Counts(float(found), spent_s, tokens, lost_s)


class Exporter:
    """`itermon export` as a process of its own."""

    def __init__(self, run: str, every: str = "15") -> None:
        command = [sys.executable, "-m", "itermon", "export", run, "--listen", "127.0.0.1:0", "--no-machine"]
        self._process = subprocess.Popen([*command, "--every", every], stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        self.url = self._process.stderr.readline().split()[-1]

    def __enter__(self) -> Exporter:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(30)

    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wait_for(self, ranks: int, iterations: float = 0.0) -> list[Counts]:
        """What it counts of each rank, once all are there."""
        for _ in range(600):
            _, text = scraped(self.url)
            counts, seconds = values(text, "itermon_iterations_total"), values(text, "itermon_spent_seconds_total")
            if len(counts) == ranks and all(count >= iterations for count in counts.values()):
                tokens, lost_s = values(text, "itermon_tokens_total"), by_cause(text)
                return [Counts(counts[n], seconds[n], tokens.get(n), lost_s[n]) for n in map(str, range(ranks))]
            time.sleep(0.1)
        raise SystemExit("the exporter does not tell of all ranks")


def values(text: str, name: str) -> dict[str, float]:
    """By rank."""
    return {
        rank: float(value)
        for rank, value in re.findall(rf'^{name}{{rank="(\d+)"[^}}]*}} (\S+)', text, re.MULTILINE)
    }


def by_cause(text: str) -> dict[str, dict[str, float]]:
    """Lost seconds by rank, of the causes that have any."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    line = r'^itermon_lost_seconds_total{cause="([^"]+)",rank="(\d+)"[^}]*} (\S+)'
    for cause, rank, seconds in re.findall(line, text, re.MULTILINE):
        if float(seconds):
            found[rank][cause] = float(seconds)
    return found


def scraped(url: str) -> tuple[float, str]:
    """One scrape, as Prometheus does it."""
    asked = urllib.request.Request(url, headers={"Accept": "application/openmetrics-text"})
    began_s = time.perf_counter()
    with urllib.request.urlopen(asked, timeout=30) as answer:
        text = answer.read()
    return time.perf_counter() - began_s, text.decode()


def floor_s() -> float:
    """The same library's answer with one gauge."""
    registry = CollectorRegistry()
    Gauge("one", "One.", registry=registry).set(1)
    server = start_http_server(0, "127.0.0.1", registry)[0]
    try:
        return median(scraped(f"http://127.0.0.1:{server.server_port}/metrics")[0] for _ in range(20))
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    main()
