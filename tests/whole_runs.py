"""Whole runs with all that can happen to one, seeded: what the analysis says of each stands in whole_runs.json.

python tests/whole_runs.py --write     after a change that is meant, and read the difference before it is kept
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from itertools import pairwise
from math import isfinite
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from itermon.analysis.run import Run
from itermon.analysis.whatif.compare import compare
from itermon.analysis.whatif.plan import plan
from itermon.analysis.whatif.scenario import Change
from itermon.events import (
    CHECKPOINT,
    COMPILE,
    DATA,
    EVALUATION,
    GC,
    SAMPLING,
    ClockKind,
    Config,
    Dropped,
    End,
    EndOfFile,
    EndReason,
    Event,
    GpuSample,
    HostSample,
    Iteration,
    Message,
    Phases,
    PrintedLoss,
    Progress,
    RunInfo,
    Severity,
    SpanBegin,
    SpanEnd,
    Strength,
    Total,
    Witness,
)

H100_FLOPS = 989e12
GPT2 = Config(
    origin="log",
    micro_batch_size=16,
    block_size=1024,
    gradient_accumulation=30,
    world_size=1,
    tokens_per_iteration=491_520,
    layers=12,
    heads=12,
    embedding=768,
    vocabulary=50_304,
    parameters=124_000_000,
    precision="bf16",
    gpu_name="NVIDIA H100 80GB HBM3",
)
EXPECTED = Path(__file__).with_suffix(".json")
COUNT = 64
ECHOES = ("config", "config_origins", "gpus", "machine")  # of the findings: they repeat the events
CHANGES = (
    Change(gradient_accumulation=16),
    Change(micro_batch_size=32),
    Change(evaluation_interval=200, checkpoint_interval=500),
    Change(gpu="A100"),
    Change(gpus=16, tokens=1e9),
    Change(micro_batch_size=128, memory_bytes=24e9),
    Change(faster_data=True),
    Change(target_s=0.1),
)
BEGAN_S = 1_700_000_000.0
DIGITS = 9


def events_of(seed: int) -> list[Event]:
    """A run of a few hundred iterations; which of its features it has follows from `seed`."""
    made = Made(Random(seed))
    for process in range(made.one_of(1, 1, 1, 2)):
        made.begin(process)
        for _ in range(made.one_of(3, 40, 90, 150, 300)):
            made.iterate()
    made.end()
    return made.events


class Made:
    """A run being made: its clock, its settings, and the events so far."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.one_of = lambda *values: random.choice(values)
        self.events: list[Event] = []
        self.clock = self.one_of(ClockKind.HOOK, ClockKind.LOG, ClockKind.ARRIVAL, None)
        self.level_s = self.one_of(0.004, 0.2, 1.7)
        self.mfu = self.one_of(None, 0.06, 0.35, 0.62)  # of an H100, which a run of GPT-2 reaches; None: anything
        if self.mfu is not None:
            self.level_s = 6 * GPT2.parameters * GPT2.tokens_per_iteration / (self.mfu * H100_FLOPS)
        self.noise = self.one_of(0.001, 0.01, 0.08)
        self.every = self.one_of(1, 1, 1, 10)
        self.evaluate_every, self.save_every = self.one_of(0, 0, 20, 50), self.one_of(0, 0, 40, 100)
        self.inside = self.one_of(
            (EVALUATION, CHECKPOINT, DATA, GC, COMPILE, SAMPLING), (EVALUATION, CHECKPOINT), ()
        )
        self.timed = self.one_of(True, True, False)  # do lines and hooks say how long a stop took?
        self.waits = self.one_of(None, None, 0.001, 0.02, 0.6)
        self.gpus, self.ranks = self.one_of(0, 0, 1, 2), self.one_of(1, 1, 4)
        self.witness = self.one_of(None, Witness.RATE, Witness.ELAPSED)
        self.shift_at, self.shift = self.one_of(0, 60, 130), self.one_of(0.8, 1.15, 1.6)
        self.trouble = self.one_of(*[""] * 6, "nan", "grown", "zero", "spikes", "period")
        self.at_s, self.index, self.elapsed_s = BEGAN_S, 0, 0.0
        self.energy_j = 1e6
        self.power_w, self.heat = self.one_of((200, 690), (640, 699), (90, 130)), self.one_of(0.0, 0.0, 0.1)
        self.reads = self.one_of(0, 1e6, 3e9)

    def begin(self, process: int) -> None:
        """Another process: it may go on from an earlier iteration."""
        if process:
            self.at_s += 60.0
            self.index = max(0, self.index - self.one_of(0, 7, 10_000))
        info = RunInfo(
            name="simulated", source_format="simulated", clock=self.clock, time_includes=self.inside,
            host="a", pid=77 + process, resumed=self.one_of(None, True) if process else None,
            synchronised=self.one_of(None, False, True), started_at_s=BEGAN_S,
            gpu_names=self.one_of((), ("NVIDIA H100 80GB HBM3",), ("NVIDIA A100-SXM4-40GB",) * 2),
        )  # fmt: skip
        self.events.append(info)
        self.events.append(self.config())
        self.process_from = self.index

    def config(self) -> Config:
        if self.mfu is not None:
            return msgspec.structs.replace(GPT2, max_iterations=self.one_of(None, 250, 2_000))
        known = self.one_of(True, True, False)
        return Config(
            origin="log",
            micro_batch_size=self.one_of(8, 64) if known else None,
            block_size=1024 if known else None,
            gradient_accumulation=self.one_of(1, 8) if known else None,
            world_size=self.one_of(None, 1, 8),
            layers=12, heads=12, embedding=768, vocabulary=50_304,
            parameters=self.one_of(None, 124_000_000, 1_300_000_000),
            max_iterations=self.one_of(None, 250, 2_000),
            evaluation_interval=self.evaluate_every or None,
            checkpoint_interval=self.save_every or None,
            precision=self.one_of(None, "bf16", "fp32"),
            compiled=self.one_of(None, True),
            cost_per_hour=self.one_of(None, 2.5),
            extra={"device": "cpu"} if self.one_of(False, False, True) else {"lr": "6e-4"},
        )  # fmt: skip

    def iterate(self) -> None:
        """One line, or one iteration of hooks, and what comes with it."""
        began_s, done = self.at_s, self.index - self.process_from
        index = self.index + self.every - 1
        level_s = self.level_s * (self.shift if self.shift_at and done > self.shift_at else 1.0)
        seconds = level_s * self.random.gauss(1, self.noise)
        seconds *= 6.0 if done < 2 else 1.0
        seconds += (
            level_s * self.random.choice((0.0, 3.0, 8.0)) if self.trouble == "spikes" and done % 17 == 5 else 0.0
        )
        seconds += 4 * level_s if self.trouble == "period" and index % 25 == 0 else 0.0
        inside_s = outside_s = 0.0
        for kind, cost_s in self.stops(index, done, level_s):
            self.at_s += cost_s
            self.stop(kind, index, cost_s)
            inside_s, outside_s = (
                (inside_s + cost_s, outside_s) if kind in self.inside else (inside_s, outside_s + cost_s)
            )
        self.at_s = began_s + seconds * self.every + inside_s + outside_s
        self.at_s += 2 * level_s if self.random.random() < 0.01 else 0.0  # a gap that nothing explains
        self.elapsed_s += self.at_s - began_s
        self.sample(began_s)
        for rank in range(self.ranks):
            self.events.append(self.iteration(index, (seconds * self.every + inside_s) / self.every, rank))
        self.index = index + 1

    def stops(self, index: int, done: int, level_s: float) -> list[tuple[str, float]]:
        random = self.random
        found = []
        if self.evaluate_every and index % self.evaluate_every == 0 and index:
            found.append((EVALUATION, 12 * level_s * random.gauss(1, 0.05)))
        if self.save_every and index % self.save_every == 0 and index:
            found.append((CHECKPOINT, 7 * level_s * random.gauss(1, 0.1)))
        if self.clock == ClockKind.HOOK and done in (0, 30):
            found.append((COMPILE, 20 * level_s))
        if random.random() < 0.01:
            found.append((random.choice((GC, DATA)), 2 * level_s))
        return found

    def stop(self, kind: str, index: int, cost_s: float) -> None:
        hook = self.clock == ClockKind.HOOK
        at_s = self.at_s if self.clock else None
        strength = Strength.HOOK if hook else Strength.LOG
        if hook:
            self.events.append(SpanBegin(kind, at_s - cost_s if at_s else None, index, strength=strength))
        values = (
            {"val_loss": 3.1 - index / 1e4}
            if kind == EVALUATION
            else {"bytes": 1.5e9}
            if kind == CHECKPOINT
            else {}
        )
        self.events.append(
            SpanEnd(kind, at_s, index, cost_s if self.timed or hook else None, strength, values=values)
        )

    def iteration(self, index: int, seconds: float, rank: int) -> Iteration:
        loss, bad = 3.0 * 0.999**index + 0.5, ""
        if self.trouble == "nan" and index > 70:
            loss, bad = None, "nan"
        elif self.trouble == "zero" and index > 70:
            loss = 0.0
        elif self.trouble == "grown" and index > 100:
            loss *= 5
        late_s = 0.3 * self.level_s if self.ranks > 1 and rank == 2 else 0.0
        return Iteration(
            index,
            seconds if self.every == 1 or self.timed else None,
            loss,
            at_s=self.at_s + rank / 1e4 if self.clock else None,
            averaged_over=self.every,
            mfu=0.31 if self.timed else None,
            tokens_per_s=4e5 if not self.timed else None,
            data_wait_s=None if self.waits is None else self.waits * self.level_s + late_s,
            gradient_norm=1.5,
            learning_rate=6e-4,
            rank=rank if self.ranks > 1 else None,
            bad_loss=bad,
            witness=self.witness if self.witness == Witness.RATE else None,
            elapsed_s=self.elapsed_s if self.witness == Witness.ELAPSED else None,
        )

    def sample(self, began_s: float) -> None:
        """What machine and GPUs say of these seconds, about once in ten iterations; and other odds and ends."""
        random = self.random
        if not self.gpus or random.random() > 0.3:
            return
        hot = random.random() < self.heat
        for gpu in range(self.gpus):
            self.energy_j += 600.0 * (self.at_s - began_s)
            self.events.append(GpuSample(
                self.at_s, gpu, name="NVIDIA H100 80GB HBM3", power_w=random.uniform(*self.power_w),
                power_limit_w=700.0,
                energy_j=self.energy_j, memory_used_bytes=60 << 30, memory_total_bytes=80 << 30,
                utilization=random.uniform(0.9, 1.0), temperature_c=88.0 if hot else 60.0,
                sm_clock_hz=1.1e9 if hot else 1.9e9, sm_clock_max_hz=1.98e9,
                limits=("thermal",) if hot else ("power cap",),
            ))  # fmt: skip
        self.events.append(HostSample(
            self.at_s, 1.0, trainer_cpu=random.uniform(0.5, 6), machine_cores=16, loader_workers=4,
            resident_bytes=9 << 30, read_bytes=int(random.uniform(0, self.reads)), write_bytes=10**8,
            io_pressure=random.uniform(0, 0.3) if self.reads > 1e9 else 0.0, cpu_pressure=0.1,
            memory_available_bytes=50 << 30,
        ))  # fmt: skip
        phases = {"forward": 0.3 * self.level_s, "backward": 0.5 * self.level_s, "optimizer": 0.05 * self.level_s}
        self.events.append(Phases(max(0, self.index - 1), phases, rank=0 if self.ranks > 1 else None))

    def end(self) -> None:
        """What is said at the end of it, if anything."""
        one_of, at_s = self.one_of, self.at_s if self.clock else None
        self.events.append(PrintedLoss(max(0, self.index - 1), loss=2.5, validation_loss=2.7))
        if one_of(True, False):
            self.events.append(SpanEnd(EVALUATION, at_s and at_s + 5.0, self.index, 4.0, values={"val_loss": 2.6}))
        if one_of(True, False):
            self.events.append(Message("loss spike: skipped", Severity.WARNING, at_s=at_s, line=9))
            self.events.append(Dropped(3, what="lines"))
        if one_of(True, False):
            self.events.append(Total(self.elapsed_s * 1.02, origin="train_runtime"))
        ends: tuple[list[Event], ...] = (
            [],
            [Progress(self.index, 3, 8, at_s)],
            [SpanBegin(CHECKPOINT, at_s, self.index, strength=Strength.HOOK)],
            [End(at_s=at_s)],
            [End(EndReason.KILLED, at_s, "SIGKILL (signal 9)", -9)],
            [EndOfFile(at_s, self.at_s + 5.0)],
            [EndOfFile(at_s, self.at_s + 90_000.0)],
            [],
            [EndOfFile(at_s, self.at_s + 1.0)],
            [End(at_s=at_s)],
            [Message("CUDA out of memory", Severity.ERROR, line=99, ending=EndReason.FAILED), EndOfFile(at_s)],
            [Message("Training complete", line=99, ending=EndReason.FINISHED), EndOfFile(at_s)],
        )
        self.events += one_of(*ends)


def findings_of_all() -> dict[str, Any]:
    """What the analysis says of each run, of what-ifs about it, and of some beside the next; in JSON's types."""
    runs = []
    for seed in range(COUNT):
        events, run = events_of(seed), Run()
        for place in range(0, len(events), 37):  # as it comes: in pieces
            run.apply(events[place : place + 37])
        runs.append(run)
    said: dict[str, Any] = {}
    for seed, run in enumerate(runs):
        now_s = run.findings().progress.last_event_at_s
        found = run.findings(None if now_s is None else now_s + 3.0, spikes=4)
        said[f"run {seed}"] = told(run, found, CHANGES[seed % len(CHANGES)])
    for seed, (a, b) in enumerate(pairwise(runs[: COUNT // 3])):
        said[f"{seed} beside {seed + 1}"] = plainly(compare(a, b))
    return said


def told(run: Run, found: Any, change: Change) -> dict[str, Any]:
    """What is found of a run, what it would be with a change, and what a screen shows of it."""
    half = max(5, len(run.columns) // 2)
    return {
        "findings": plainly({k: v for k, v in msgspec.structs.asdict(found).items() if k not in ECHOES}),
        "plan": plainly(plan(found, change)),
        "ledger of a part": plainly({row.cause: (row.seconds, row.count) for row in run.ledger(5, half)}),
        "chart": plainly(run.chart(0, len(run.columns) - 1, 3)),
        "next spike": plainly(spike.index if (spike := run.next_spike(half, 1)) else None),
    }


def plainly(value: object) -> Any:
    """As JSON: floats to so many digits as no order of additions changes, and nothing that says nothing."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(k): plainly(v) for k, v in value.items() if v not in (None, "", (), [], {})}
    if isinstance(value, list | tuple):
        return [plainly(v) for v in value]
    if isinstance(value, msgspec.Struct):
        return plainly(msgspec.structs.asdict(value))
    return msgspec.to_builtins(value)


def write(said: Mapping[str, Any], into: Path) -> None:
    if sys.argv[1:] == ["--write"]:
        lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(found)}" for name, found in said.items())
        into.write_text("{\n" + lines + "\n}\n")
    print(f"{len(said)} runs and pairs")  # noqa: T201


if __name__ == "__main__":
    write(findings_of_all(), EXPECTED)
