"""Whole runs with what those of whole_runs.py have not: leaks, hangs, looks, other jobs, several trainings.

python tests/eventful_runs.py --write     after a change that is meant, and read the difference before it is kept
"""

from __future__ import annotations

from random import Random
from typing import Any

from msgspec.structs import replace
from whole_runs import BEGAN_S, CHANGES, EXPECTED, Made, plainly, told, write

from itermon.analysis.run import Run
from itermon.events import (
    BACKWARD,
    CHECKPOINT,
    COMPILE,
    DATA,
    EVALUATION,
    FORWARD,
    GC,
    OPTIMIZER,
    SYNC,
    Alive,
    ClockKind,
    Collective,
    CollectiveWitness,
    Config,
    End,
    EndReason,
    Event,
    GpuSample,
    HostSample,
    Iteration,
    Launch,
    Message,
    Phases,
    RankState,
    Severity,
    SpanEnd,
    Stack,
    Strength,
    Witness,
)

SAID = EXPECTED.with_name("eventful_runs.json")
EACH = 4  # runs of each kind
MIDWAY = ("verdict", "now", "eta", "level", "progress", "incidents", "spikes", "losses")

GIB = 1 << 30
READ = ("numpy/memmap.py:230 __new__", "data.py:48 read_shard", "train.py:9 main", "train.py:20 <module>")
SAVE = ("zipfile.py:7 write", "save.py:3 keep", "train.py:30 main")
LOADER = ("torch/utils/data/dataloader.py:701 __next__", "train.py:3 main")
WAITS = ("torch/distributed/distributed_c10d.py:2810 all_reduce", "train.py:48 step")
BACK = ("torch/autograd/graph.py:824 _engine_run_backward", "train.py:40 step")


class Eventful(Made):
    """A run with whatever else its seed has, and all of it about one thing."""

    lengths, processes = (150, 300), 1

    def __init__(self, seed: int) -> None:
        super().__init__(Random(seed))
        self.more = Random(10_000 + seed)
        self.number = seed % EACH
        self.extra_s = 0.0
        self.done = 0
        self.clock, self.trouble = self.clock or ClockKind.LOG, ""
        self.prepare()

    def prepare(self) -> None: ...

    def made(self) -> list[Event]:
        """Its events; what a kind of run has else than others it says in `prepare` and `between`."""
        for process in range(self.processes):
            self.between(process)
            self.begin(process)
            for done in range(self.lengths[self.number % len(self.lengths)]):
                self.done = done
                self.iterate()
        self.end()
        return self.events

    def between(self, process: int) -> None: ...


class Filling(Eventful):
    """Something grows evenly, or at each evaluation: memory of the run, of a GPU, or a disk."""

    lengths = (300,)

    def prepare(self) -> None:
        self.level_s, self.mfu, self.gpus = self.more.choice((3.0, 7.0)), None, 0
        self.evaluate_every, self.save_every = (0, 0) if self.number % 2 else (20, 0)
        self.what = ("resident", "gpu", "shared", "disk")[self.number]

    def sample(self, began_s: float) -> None:
        grown = self.done // 20 * 20 if self.evaluate_every else self.done
        used = int((0.4 + 0.0011 * grown + self.more.gauss(0, 0.0008)) * 64 * GIB)
        memory = {"memory_total_bytes": 64 * GIB, "memory_available_bytes": 64 * GIB - used}
        given = {
            "resident": {**memory, "resident_bytes": used - 5 * GIB},
            "shared": {"shared_used_bytes": used, "shared_total_bytes": 64 * GIB},
            "disk": {"disk_free_bytes": 64 * GIB - used},
        }
        if self.what == "gpu":
            self.events.append(GpuSample(self.at_s, 1, memory_used_bytes=used, memory_total_bytes=64 * GIB))
        else:
            self.events.append(HostSample(self.at_s, self.at_s - began_s, **given[self.what]))  # type: ignore[arg-type]

    def end(self) -> None: ...


class Jumping(Filling):
    """Three or four large jumps, of which nobody knows where they end."""

    def sample(self, began_s: float) -> None:
        used = (9 + 2 * (self.done // (40 if self.number % 2 else 70))) * GIB + self.more.randrange(1 << 20)
        left = {"memory_total_bytes": 64 * GIB, "memory_available_bytes": 60 * GIB - used}
        self.events.append(HostSample(self.at_s, 1.0, resident_bytes=used, **left))

    def config(self) -> Config:
        return replace(super().config(), iterations_per_epoch=40 if self.number % 2 else 70)


class Hanging(Eventful):
    """Its ranks wait for one of them."""

    def prepare(self) -> None:
        self.ranks, self.clock, self.lengths = 4, ClockKind.HOOK, (40, 90)

    def end(self) -> None:
        at_s, index = self.at_s + 40.0, self.index

        def looked(rank: int, frames: tuple[str, ...], own: int = 1) -> Stack:
            return Stack(at_s, index, 40.0, frames, own, rank=rank)

        def waits(rank: int, sequence: int | None = 900, **more: Any) -> Collective:
            given = {"group": "0", "operation": "ALLREDUCE", "elements": (64, 64), "waited_s": 600.0, **more}
            return Collective(rank, sequence=sequence, at_s=at_s, line=77 + rank, **given)

        gone = "killed: SIGKILL (signal 9)"
        found: list[list[Event]] = [
            [looked(rank, READ if rank == 2 else WAITS) for rank in range(4)],
            [*(RankState(rank, at_s, 40 + rank, "b", ended=gone * (rank == 3)) for rank in range(4))],
            [*(waits(rank, enqueued=905, completed=899) for rank in (0, 1, 3)),
             waits(2, None, operation="", elements=(), enqueued=899, completed=899, place="train.py:77 log")],
            [*(waits(rank, 900 + (rank == 1), witness=CollectiveWitness.RECORDER) for rank in range(4)),
             *(looked(rank, BACK) for rank in range(4))],
            [*(looked(rank, WAITS if rank % 2 else SAVE) for rank in range(4))],
            [*(waits(r, elements=(64, 64 + r // 3)) for r in range(4)), RankState(1, at_s, doing=CHECKPOINT)],
            [*(waits(rank) for rank in range(3)), *(looked(rank, BACK) for rank in range(3))],
            [waits(rank, None, missing=rank == 1, witness=CollectiveWitness.BARRIER) for rank in range(2)],
        ]  # fmt: skip
        for events in (found[self.number], found[self.number + EACH][: self.number]):
            self.events += events


class InTurns(Eventful):
    """Eight ranks: one of them, half of them in turns, or any of them is late."""

    def prepare(self) -> None:
        self.ranks, self.every, self.waits = 8, 1, None
        self.level_s, self.mfu, self.inside = 0.5, None, (EVALUATION, CHECKPOINT, DATA, GC, COMPILE)

    def iterate(self) -> None:
        late = (5, self.more.randrange(4, 8), self.more.randrange(8), 6 if self.done > 100 else 0)[self.number]
        self.late = {late: self.more.uniform(0.25, 0.35)}
        super().iterate()

    def iteration(self, index: int, seconds: float, rank: int) -> Iteration:
        late_s = self.late.get(rank, 0.0) * self.level_s
        sync_s = max(self.late.values()) * self.level_s - late_s + 0.01
        own = {DATA: 0.01, FORWARD: 0.3 * self.level_s, BACKWARD: 0.5 * self.level_s, SYNC: sync_s}
        own[(FORWARD, BACKWARD, DATA, FORWARD)[self.number]] += late_s
        return replace(super().iteration(index, seconds, rank), phases=own)


class Looked(Eventful):
    """Somebody looks at its slow iterations."""

    def prepare(self) -> None:
        self.clock, self.ranks, self.level_s, self.mfu, self.every = ClockKind.HOOK, 1, 0.2, None, 1

    def sample(self, began_s: float) -> None:
        super().sample(began_s)
        slow = self.done > 20 and self.more.random() < 0.05
        self.extra_s = self.more.uniform(1, 9) * slow
        for part in (0.2, 0.5, 0.9) if slow else ():
            frames, waited_s = self.more.choice((READ, READ, SAVE, LOADER)[: 2 + self.number]), part * self.extra_s
            look = Stack(self.at_s + waited_s, self.index, waited_s, frames, 1, count=2, native=part > 0.8)
            self.events.append(look)
        self.at_s, self.elapsed_s = self.at_s + self.extra_s, self.elapsed_s + self.extra_s

    def iteration(self, index: int, seconds: float, rank: int) -> Iteration:
        return super().iteration(index, seconds + self.extra_s / self.every, rank)


class Talking(Eventful):
    """Its lines say more: scalars of all kinds, and what is left of the run."""

    lengths = (300, 150)

    def iteration(self, index: int, seconds: float, rank: int) -> Iteration:
        said = {"reward": 1.0 + self.more.random()} | ({"kl": self.more.random() / 9} if index % 7 == 3 else {})
        left_s = (2_000 - index) * self.level_s * (1.0, 1.4, 0.7, 1.02)[self.number]
        one, rate = super().iteration(index, seconds, rank), 6e-4 * 0.999**index
        return replace(one, scalars=said, remaining_s=max(0.0, left_s), learning_rate=rate, tokens=500_000 + index)

    def config(self) -> Config:
        of_experts = {"parameters": 1_300_000_000, "active_parameters": 300_000_000, "trained_parameters": 9 << 20}
        return replace(super().config(), max_iterations=2_000, **(of_experts if self.number % 2 else {}))


class Coarse(Eventful):
    """Its only clock shows whole seconds: a bar's, or that of the lines."""

    def prepare(self) -> None:
        self.level_s, self.mfu, self.noise, self.ranks = (0.4, 3.4, 1.2, 7.7)[self.number], None, 0.01, 1
        self.shown_s, self.clock, self.every = 0.0, ClockKind.LOG, (1, 1, 10, 10)[self.number]

    def iteration(self, index: int, seconds: float, rank: int) -> Iteration:
        one = super().iteration(index, seconds, rank)
        if self.number % 2:
            return replace(one, duration_s=None, at_s=float(int(self.at_s)), elapsed_s=None)
        shown_s = float(int(self.elapsed_s))
        each_s, self.shown_s = (shown_s - self.shown_s) / max(1, one.averaged_over), shown_s
        return replace(one, duration_s=each_s, elapsed_s=shown_s, witness=Witness.ELAPSED, at_s=None)


class Shared(Eventful):
    """Four GPUs, of which two are the run's: waves of work, held clocks, errors, and another job beside it."""

    def prepare(self) -> None:
        self.gpus, self.level_s, self.mfu = 0, 2.0, None

    def sample(self, began_s: float) -> None:
        busy = 0.95 if self.done % 8 < (7, 3, 5, 8)[self.number] else 0.05
        held = ("thermal",) if self.number == 2 and self.done % 3 == 0 else ("power cap",)
        for gpu in range(4):
            ours = gpu < 2 or self.number == 3
            share = busy if ours else 0.5
            self.events.append(GpuSample(
                self.at_s + gpu / 100, gpu, name="NVIDIA H100 80GB HBM3", utilization=share,
                power_w=100 + (1_300 if gpu == 3 and self.number == 1 else 580) * share + self.more.random(),
                power_limit_w=700.0, sm_clock_hz=1.4e9 if held[0] == "thermal" and ours else 1.9e9,
                sm_clock_max_hz=1.98e9, limits=held, temperature_c=60.0 + 20 * (gpu == 1) + share,
                trainer_memory_bytes=(30 * GIB if ours else 0) if self.number != 2 else None,
                memory_used_bytes=40 * GIB, memory_total_bytes=80 * GIB, ecc_errors=gpu // 3,
                xid=79 if gpu == 1 and self.done > 90 and self.number == 0 else None,
                lost="no answer" if gpu == 1 and self.done > 120 and self.number == 0 else "",
            ))  # fmt: skip
        phases = {FORWARD: 0.3 * self.level_s, BACKWARD: 0.4 * self.level_s, OPTIMIZER: 0.1}
        self.events.append(Phases(max(0, self.index - 1), phases))


class Planned(Eventful):
    """It may cost so much, and has to be done by then."""

    def config(self) -> Config:
        budget, deadline_s = ((900.0, 50.0), (0.0001, 9e9), (1e9, -5.0), (0.01, 4_000.0))[self.number]
        given = {"max_iterations": 2_000, "cost_per_hour": 2.5, "deadline_at_s": BEGAN_S + deadline_s}
        return replace(super().config(), **given, budget=budget)


class Again(Eventful):
    """Several processes, of one training or of several, and what was said between them; and silences."""

    lengths, processes = (90, 60), 3

    def between(self, process: int) -> None:
        if not process:
            return
        self.index = self.more.choice((0, max(0, self.index - 9), 0, self.index))
        said = (
            [Message("CUDA out of memory", Severity.ERROR, self.at_s, line=900, ending=EndReason.FAILED)],
            [End(EndReason.FAILED, self.at_s + 2.0, "exit code 1", 1)],
            [Message("Training complete", at_s=self.at_s, line=900, ending=EndReason.FINISHED)],
            [],
        )[self.number]
        self.at_s += (30.0, 4_000.0, 90_000.0)[process]
        self.events += [*said, Launch(self.at_s, 1_000 * process), Alive(self.at_s + 5.0)]

    def sample(self, began_s: float) -> None:
        super().sample(began_s)
        self.extra_s = 250.0 if self.done in (30, 55) else 0.0
        self.at_s, self.elapsed_s = self.at_s + self.extra_s, self.elapsed_s + self.extra_s

    def iteration(self, index: int, seconds: float, rank: int) -> Iteration:
        return super().iteration(index, seconds + self.extra_s / self.every, rank)


class Moving(Eventful):
    """Its level moves and comes back, its loss jumps, and stops return that nobody names."""

    lengths = (500, 700)

    def prepare(self) -> None:
        self.usual_s, self.trouble = self.level_s, "period"

    def iterate(self) -> None:
        part = self.done // (90, 130, 60, 200)[self.number]
        self.level_s = self.usual_s * (1.0, 1.35, 1.0, 1.3, 0.8, 1.1, 1.4, 1.0)[part % 8]
        super().iterate()

    def stops(self, index: int, done: int, level_s: float) -> list[tuple[str, float]]:
        found = super().stops(index, done, level_s)
        if done and done % 37 == 0:
            self.events.append(SpanEnd(COMPILE, self.at_s, index, level_s, Strength.HOOK, "a shape" * (done % 2)))
        return found

    def iteration(self, index: int, seconds: float, rank: int) -> Iteration:
        risen = 1.8 if 250 < self.done < (500, 400, 270, 9_999)[self.number] else 1.0
        grown = max(0, self.done - 300) / 150 if self.number == 3 else 0.0
        loss = (2.0 - self.done / 1_500 + self.more.gauss(0, 0.03)) * risen + grown
        return replace(super().iteration(index, seconds, rank), loss=loss)


KINDS: tuple[type[Eventful], ...] = (
    Filling, Jumping, Hanging, InTurns, Looked, Talking, Coarse, Shared, Planned, Again, Moving,
)  # fmt: skip


def findings_of_all() -> dict[str, Any]:
    """What is said of each of them, soon after its last word or later."""
    said: dict[str, Any] = {}
    for number in range(EACH * len(KINDS)):
        made = KINDS[number // EACH](number)
        events, run = made.made(), Run()
        run.apply(events[: len(events) * 2 // 5])
        early = run.findings(spikes=2)
        for place in range(len(events) * 2 // 5, len(events), 41):
            run.apply(events[place : place + 41])
        heard_s = run.findings().progress.last_event_at_s
        later_s = 3.0 if made.number and not isinstance(made, Hanging) else 900.0
        found = run.findings(None if heard_s is None else heard_s + later_s, spikes=3)
        said[f"{type(made).__name__} {number % EACH}"] = {
            **told(run, found, CHANGES[number % len(CHANGES)]),
            "midway": {name: plainly(getattr(early, name)) for name in MIDWAY},
            "curves": {one.name: plainly(run.curve(one.name, run.chart(0, 999, 3))) for one in run.curves()},
            "pulse": plainly(run.pulse()),
            "calm": plainly(run.calm(heard_s + 1.0)) if heard_s is not None else None,
        }
    return said


if __name__ == "__main__":
    write(findings_of_all(), SAID)
