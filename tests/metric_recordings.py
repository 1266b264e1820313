"""Recordings as hooks write them, for the tests of what is exported of them."""

from __future__ import annotations

import fcntl
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from itermon import run_files
from itermon.events import (
    CHECKPOINT,
    SPAN_KINDS,
    ClockKind,
    Config,
    End,
    EndReason,
    Event,
    Iteration,
    RunInfo,
    SpanBegin,
    SpanEnd,
    Strength,
    encode_all,
)

BEGAN_S = time.mktime((2026, 1, 1, 12, 0, 0, 0, 1, -1))
USUAL_S = 0.125  # as all times here it has few binary digits: sums are exact in any order


def head(name: str, rank: int = 0, at_s: float = BEGAN_S, *, world: int = 2) -> list[Event]:
    """What a trainer says first: 4 × 256 tokens a rank and iteration."""
    info = RunInfo(
        name=name, rank=rank, host="node1", clock=ClockKind.HOOK, time_includes=SPAN_KINDS, started_at_s=at_s
    )
    sizes = {"micro_batch_size": 4, "block_size": 256, "gradient_accumulation": 1}
    return [info, Config(world_size=world, max_iterations=10_000, **sizes)]


def trained(first: int, count: int, at_s: float, *, seed: int = 1) -> list[Event]:
    """Iterations with a checkpoint in every 50th and an unexplained stall now and then."""
    random, events = Random(seed), []
    for i in range(first, first + count):
        took_s = USUAL_S + random.randrange(4) / 1024
        if i % 50 == 49:
            events.append(SpanBegin(CHECKPOINT, at_s=at_s, iteration=i, strength=Strength.HOOK))
            at_s += 1.0
            end = SpanEnd(CHECKPOINT, at_s=at_s, iteration=i, duration_s=1.0, strength=Strength.HOOK)
            events.append(end)
            took_s += 1.0
        stall_s = 0.5 if random.random() < 0.02 else 0.0
        at_s += took_s + stall_s - (1.0 if i % 50 == 49 else 0.0)
        events.append(Iteration(i, took_s + stall_s, loss=3.0, at_s=at_s, data_wait_s=1 / 512))
    return events


@dataclass
class Recorder:
    """Writes recordings into the folder of runs, and holds their locks as living trainers do."""

    folder: Path
    _locks: dict[str, int] = field(default_factory=dict)

    def begin(self, name: str, pid: int, *events: Event, at_s: float = BEGAN_S) -> Path:
        """The recording of a trainer that lives."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self.folder / f"{run_files.run_id(name, pid, at_s)}.jsonl"
        path.write_bytes(encode_all(list(events)))
        self._locks[path.name] = os.open(path, os.O_RDONLY)
        fcntl.flock(self._locks[path.name], fcntl.LOCK_EX)
        return path

    def write(self, path: Path, *events: Event) -> None:
        """It goes on."""
        with path.open("ab") as file:
            file.write(encode_all(list(events)))

    def end(self, path: Path, reason: EndReason | None = None) -> None:
        """Its process is gone: with a word, or without one."""
        if reason is not None:
            self.write(path, End(reason))
        os.close(self._locks.pop(path.name))

    def close(self) -> None:
        """All trainers are gone."""
        for lock in self._locks.values():
            os.close(lock)
        self._locks.clear()
