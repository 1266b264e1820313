"""What a guard of twenty runs costs: its share of a core, and its memory, measured; and a week of it by the clock.

    python bench/guard.py [--runs 20] [--seconds 30] [--lines 20000] [--days 0] [--seed 1]

First `--runs` logs of `--lines` lines, each written on once a second, are looked after for `--seconds` by the
guard itself, with its own thread. Then half an hour passes by a clock made by hand, in the same loop. Asked: 1 %
of a core and 60 MB. With `--days` so many pass, in which whatever can befall it does, see `campaigns/guarded.py`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from random import Random

import psutil
from campaigns import guarded
from campaigns.tally import Tally, table

from itermon.cli.guard.guard import give_memory_back
from itermon.cli.guard.older import OlderFile
from itermon.collectors.logs.log_source import LogSource
from itermon.collectors.polled import Polled
from itermon.events import Batch, Iteration, SourceState
from itermon.notices.guard import Guard, Guarded
from itermon.notices.notifier import Notifier
from itermon.notices.telling import About
from itermon.notices.told import Store

WEEK_S = 7 * 86_400.0
SAMPLE_S = 1_800.0
EACH_S = 10.0


def line(index: int) -> str:
    return f"iter {index}: loss {3 + index % 7 / 100:.4f}, time {1000 + index % 5}.00ms, mfu 20.00%\n"


def measured(runs: int, seconds: float, lines: int) -> tuple[float, float]:
    """The share of a core, and the memory in MB, of a guard of living logs."""
    process = psutil.Process()
    with tempfile.TemporaryDirectory() as folder:
        logs = [Path(folder) / f"run{number}.log" for number in range(runs)]
        for log in logs:
            log.write_text("".join(map(line, range(lines))))
        feeds = [Polled(LogSource(log, poll_s=0.0), log) for log in logs]
        found = [
            Guarded(About(str(log), log.name), feed, older=OlderFile)
            for log, feed in zip(logs, feeds, strict=True)
        ]
        guard = Guard(Notifier([], Store(None, time.time())), lambda known: [] if known else found)
        while any(one.catches_up for one in found):
            time.sleep(guard.step() or 0.0)
        give_memory_back()
        begun_s, used_s, index, writes_s = time.monotonic(), process.cpu_times(), lines, 0.0
        due_s = begun_s
        while (now_s := time.monotonic()) < begun_s + seconds:
            before_s = time.thread_time()
            for log in logs:
                with log.open("a") as file:
                    file.write(line(index))
            index += 1
            writes_s += time.thread_time() - before_s
            if now_s >= due_s:
                due_s = now_s + (guard.step() or 0.0)
            time.sleep(1.0)
        after = process.cpu_times()
        cpu_s = after.user + after.system - used_s.user - used_s.system - writes_s
        guard.close()
        return cpu_s / (time.monotonic() - begun_s), process.memory_info().rss / 1e6


class Made:
    """A feed of a run that has an iteration every `EACH_S`."""

    def __init__(self) -> None:
        self.waiting: list[Batch] = []

    def drain(self, most: int = 1_000) -> list[Batch]:
        taken, self.waiting = self.waiting[:most], self.waiting[most:]
        return taken

    def stop(self) -> None:
        self.waiting.clear()


def week(runs: int) -> tuple[float, int]:
    """CPU seconds of a week, from `SAMPLE_S` of it, and what it told."""
    clock = [1_772_600_000.0]
    feeds = [Made() for _ in range(runs)]
    found = [Guarded(About(str(number), str(number)), feed) for number, feed in enumerate(feeds)]
    notifier = Notifier([], Store(None, clock[0]), clock=lambda: clock[0])
    guard = Guard(
        notifier, lambda known: [] if known else found, clock=lambda: clock[0], monotonic=lambda: clock[0]
    )
    begun_s, used_s, index, told = clock[0], time.process_time(), 0, 0
    while clock[0] < begun_s + SAMPLE_S:
        if clock[0] >= begun_s + EACH_S * index:
            for feed in feeds:
                feed.waiting.append(
                    Batch([Iteration(index=index, duration_s=EACH_S, at_s=clock[0])], state=SourceState.LIVE)
                )
            index += 1
        clock[0] += guard.step() or 0.0
        told += sum(": seen: " not in said for said in guard.said)
        guard.said.clear()
    return (time.process_time() - used_s) * WEEK_S / SAMPLE_S, told


def long_time(runs: int, days: float, seed: int) -> Tally:
    """Days of a guard to which things happen; prints its memory meanwhile."""
    tally = Tally("guarded")
    lasts_s = days * 86_400.0
    with tempfile.TemporaryDirectory() as folder:
        scene = guarded.Scene(Path(folder), Random(seed), runs, max(4.0, days / 14 * 24) * 3_600.0)
        with guarded.a_disk_that_may_be_full(scene):
            for memory_mb in guarded.passing(scene, lasts_s, max(12, round(6 * days))):
                lines = sum(trainer.lines for trainer in scene.trainers)
                print(f"day {scene.world.awake_s / 86_400:.1f}: {lines:,} lines, {memory_mb:.0f} MB", flush=True)
        guarded.judged(scene, tally, f"{days} days")
    troubles = sum(len(trainer.troubles) for trainer in scene.trainers)
    print(f"{troubles} troubles, {len(scene.line.arrived)} messages, killed {scene.kills} times")
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--lines", type=int, default=20_000)
    parser.add_argument("--days", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.days:
        print(table([long_time(asked.runs, asked.days, asked.seed)]))
        return
    share, memory_mb = measured(asked.runs, asked.seconds, asked.lines)
    print(
        f"{asked.runs} logs of {asked.lines:,} lines, a line a second: {share:.2%} of a core, {memory_mb:.0f} MB"
    )
    cpu_s, told = week(asked.runs)
    share = cpu_s / WEEK_S
    print(f"by a clock made by hand, an iteration every {EACH_S:.0f} s: {share:.2%} of a core, {told} messages")


if __name__ == "__main__":
    main()
