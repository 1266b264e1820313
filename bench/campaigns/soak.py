"""A long watch, compressed: a log that grows, is read, analysed and drawn again and again, by a clock of our own.

Each round is an hour of a run with one iteration a second, a rotation of the log now and then, GPU samples, and a frame
each minute; so 720 rounds are a month. Descriptors must not grow, and memory by no more than an iteration may take.
"""

from __future__ import annotations

import gc
import tempfile
import time
from pathlib import Path
from random import Random

import psutil

from itermon.analysis.run import Run
from itermon.collectors.files.tail import Tail
from itermon.collectors.logs.reader import LogReader
from itermon.events import GpuSample, Iteration, RunInfo, SourceState, expand
from itermon.tui.layout import draw_screen
from itermon.tui.scene import Scene, Standing
from itermon.tui.view import View

from .tally import Tally, rounds

SIZE = (120, 36)
FRAMES_AN_HOUR = 60
SECONDS_A_FRAME = 60
WARM_ROUNDS = 6  # until every cache and every bounded buffer is full
MOST_BYTES_AN_ITERATION = 64  # three times what the columns take, for blocks that are allocated ahead
SLACK_BYTES = 8 << 20  # of the allocator


def run(seconds: float | None, seed: int, *, most: int | None = None) -> Tally:
    """Hours until `seconds` have passed, or `most` of them."""
    tally = Tally("soak")
    with tempfile.TemporaryDirectory() as folder:
        watch = _Watch(Path(folder) / "train.log", Random(seed))
        before: tuple[int, int, int] | None = None
        cpu_s: list[float] = []
        for number in rounds(seconds, most):
            start_s = time.process_time()
            watch.one_hour()
            cpu_s.append(time.process_time() - start_s)
            if number + 1 == WARM_ROUNDS:
                before = _used(watch)
        tally.operations = watch.written
        tally.lost, tally.doubled = max(0, watch.written - watch.read), max(0, watch.read - watch.written)
        if before is not None:
            _compare(tally, before, _used(watch), cpu_s)
        watch.tail.close()
    return tally


class _Watch:
    """A log, its reader, its run and the screen of it."""

    def __init__(self, path: Path, rng: Random) -> None:
        self.path, self._rng = path, rng
        self.tail, self.reader, self.run = Tail(path), LogReader(name="soak"), Run()
        self.written = self.read = 0
        self._now_s = 1.7e9
        self._file = path.open("w")
        self.run.apply([RunInfo(name="soak")])

    def one_hour(self) -> None:
        """An iteration a second, and a frame a minute."""
        if self._rng.random() < 0.1:
            self._rotate()
        for _ in range(FRAMES_AN_HOUR):
            for _ in range(SECONDS_A_FRAME):
                self._now_s += 1.0
                stop_ms = 9000 if self.written % 250 == 0 else self._rng.randrange(20)
                self._file.write(f"iter {self.written}: loss 2.5000, time {980 + stop_ms}.00ms, mfu 40.00%\n")
                self.written += 1
            self._file.flush()
            self._take_in()
            self._draw()

    def _rotate(self) -> None:
        self._file.close()
        self.path.rename(self.path.with_suffix(".1"))
        self._file = self.path.open("w")

    def _take_in(self) -> None:
        restarts = self.tail.restarts
        while data := self.tail.read():
            if self.tail.restarts != restarts:
                restarts = self.tail.restarts
                self.reader.replace_file()
            events = self.reader.feed(data, self._now_s)
            self.read += sum(type(event) is Iteration for event in expand(events))
            self.run.apply(events)
        self.run.apply([GpuSample(at_s=self._now_s, power_w=300.0 + self._rng.random(), name="NVIDIA A100")])

    def _draw(self) -> None:
        standing = Standing(state=SourceState.LIVE, now_s=self._now_s)
        draw_screen(Scene(self.run, self.run.findings(self._now_s), standing, View()), SIZE)


def _used(watch: _Watch) -> tuple[int, int, int]:
    """Memory in bytes, descriptors, iterations so far."""
    gc.collect()
    return psutil.Process().memory_info().rss, psutil.Process().num_fds(), watch.read


def _compare(tally: Tally, before: tuple[int, int, int], after: tuple[int, int, int], cpu_s: list[float]) -> None:
    grown, iterations = after[0] - before[0], after[2] - before[2]
    if after[1] > before[1]:
        tally.exceptions += 1
        tally.note(f"descriptors grew from {before[1]} to {after[1]}")
    if grown > SLACK_BYTES + MOST_BYTES_AN_ITERATION * iterations:
        tally.exceptions += 1
        tally.note(f"memory grew by {grown:,} bytes in {iterations:,} iterations")
    quarter = max(1, len(cpu_s) // 4)
    early, late = sum(cpu_s[quarter : 2 * quarter]) / quarter, sum(cpu_s[-quarter:]) / quarter
    tally.note(
        f"{len(cpu_s)} hours: memory {before[0] >> 20} -> {after[0] >> 20} MiB ({grown / max(1, iterations):.0f} bytes an "
        f"iteration), descriptors {before[1]} -> {after[1]}, CPU an hour {early:.2f} -> {late:.2f} s"
    )
