"""The states that the pictures and the tests of the screen share: events of simulated runs, seeded.

Simulated, and called so wherever they are shown: GPT-2 XL under nanoGPT's own loop on an H200, with an evaluation
and a checkpoint every 250 iterations, as in a run that people argued about.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from random import Random

import msgspec

from itermon.analysis.run import Run
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    Batch,
    Config,
    End,
    Event,
    GpuSample,
    HostSample,
    Iteration,
    RunInfo,
    SourceState,
    SpanBegin,
    SpanEnd,
)
from itermon.tui.scene import Scene, Standing
from itermon.tui.view import View

NOW_S = 1_795_269_720.0
"""Saturday 21 November 2026, 14:02 UTC."""

GIB = 1 << 30


@dataclass(frozen=True)
class State:
    """One state of the screen: the batches that lead to it, when it is, and where the reader looks."""

    name: str
    batches: list[Batch]
    view: View = field(default_factory=View)
    now_s: float = NOW_S
    title: str = "train.log"

    def run(self) -> Run:
        """The run, with all events applied."""
        run = Run()
        for batch in self.batches:
            run.apply(batch.events)
        return run

    def standing(self) -> Standing:
        """How the source stands."""
        last = self.batches[-1]
        return Standing(
            title=self.title,
            state=last.state or SourceState.LIVE,
            note=last.note,
            history=last.history,
            now_s=self.now_s,
        )

    def scene(self) -> Scene:
        """What the panels draw from."""
        run = self.run()
        return Scene(run, run.findings(self.now_s), self.standing(), self.view)


def header(**config: object) -> list[Event]:
    """What nanoGPT and its configuration say of the run."""
    settings: dict[str, object] = {
        "micro_batch_size": 16,
        "block_size": 1024,
        "gradient_accumulation": 64,
        "world_size": 1,
        "tokens_per_iteration": 1_048_576,
        "layers": 48,
        "heads": 25,
        "embedding": 1600,
        "vocabulary": 50_304,
        "bias": False,
        "max_iterations": 10_000,
        "evaluation_interval": 250,
        "log_interval": 1,
        "precision": "bf16",
        "compiled": True,
        "logged_mfu_peak_flops": 312e12,
        "cost_per_hour": 3.44,
    } | config
    return [
        RunInfo(
            name="gpt2-xl-fineweb",
            source_format="nanoGPT log",
            framework="nanoGPT",
            host="gpu-box-1",
            gpu_names=("NVIDIA H200",),
            time_includes=(EVALUATION, CHECKPOINT),
            clock="arrival",
        ),
        Config(origin="log", **settings),  # type: ignore[arg-type]
    ]


def iterations(
    count: int,
    *,
    base_s: float = 21.0,
    jitter: float = 0.004,
    end_s: float = NOW_S,
    slower_from: int | None = None,
) -> list[Event]:
    """`count` iterations up to `end_s`: a slow first one, evaluation and checkpoint every 250, three stalls.

    From `slower_from` on, the level is 9 % higher.
    """
    random = Random(4)
    durations = [base_s * max(0.985, random.gauss(1, jitter)) for _ in range(count)]
    if slower_from is not None:
        durations[slower_from:] = [1.09 * d for d in durations[slower_from:]]
    made: list[tuple[float, list[Event]]] = []
    best = 99.0
    for n in range(count):
        before: list[Event] = []
        loss = 3.25 + 7.7 * 0.985**n + 2.4 * 0.9975**n * 0.5 + random.gauss(0, 0.03)
        if n == 0:
            durations[n] += 23.4 + 9.0
        if n % 250 == 0:
            validation = 3.29 + 7.6 * 0.985**n + 1.2 * 0.9975**n
            values = {"train_loss": validation - 0.02, "val_loss": validation}
            before.append(SpanEnd(EVALUATION, iteration=n, values=values))
            if n and validation < best:
                durations[n] += 63.0 + random.gauss(0, 1.5)
                before.append(SpanBegin(CHECKPOINT, iteration=n))
            best = min(best, validation)
        if n in (417, 873, 1101):
            durations[n] *= (1.31, 1.62, 1.18)[(417, 873, 1101).index(n)]
        mfu = 1.64 * base_s / durations[n] if n < 5 else 1.638
        before.append(Iteration(n, durations[n], loss, mfu))
        made.append((durations[n], before))
    at_s = end_s - sum(d for d, _ in made)
    events: list[Event] = []
    for duration_s, group in made:
        at_s += duration_s
        events += [msgspec.structs.replace(event, at_s=at_s) for event in group]
    return events


def gpu(number: int, at_s: float, **fields: object) -> GpuSample:
    """One sample of an H200 that works at its power limit."""
    known: dict[str, object] = {
        "name": "NVIDIA H200",
        "power_w": 690.0,
        "power_method": "energy",
        "power_limit_w": 700.0,
        "memory_used_bytes": 118 * GIB,
        "memory_total_bytes": 140 * GIB,
        "utilization": 1.0,
        "sm_activity": 0.93,
        "tensor_activity": 0.61,
        "temperature_c": 64.0,
        "sm_clock_hz": 1.83e9,
        "sm_clock_max_hz": 1.98e9,
        "limits": ("power cap",),
    } | fields
    return GpuSample(at_s, number, **known)  # type: ignore[arg-type]


def samples(gpus: int, end_s: float = NOW_S, *, dip: bool = True) -> list[Event]:
    """Two minutes of GPU samples and one of the host; the power falls where a checkpoint was written."""
    random = Random(7)
    made: list[Event] = []
    for second in range(120, -1, -1):
        for number in range(gpus):
            low = dip and 40 <= second <= 70
            hot = gpus > 1 and number == 5
            made.append(
                gpu(
                    number,
                    end_s - second,
                    power_w=(180 if low else 560 if hot else 690) + random.gauss(0, 4),
                    utilization=0.04 if low else 1.0,
                    temperature_c=(88.0 if hot else 64.0 + number % 3),
                    limits=("thermal slowdown",) if hot else ("power cap",),
                    sm_clock_hz=1.41e9 if hot else 1.83e9,
                )
            )
    made.append(
        HostSample(
            end_s,
            interval_s=1.0,
            trainer_cpu=1.1,
            resident_bytes=9 * GIB,
            read_bytes=110_000,
            write_bytes=0,
            machine_cores=24,
        )
    )
    return made


def _healthy(gpus: int = 1) -> list[Batch]:
    events = [*header(), *iterations(1_248, end_s=NOW_S - 13.4)]
    return [Batch(events, state=SourceState.LIVE), Batch(samples(gpus) if gpus else (), state=SourceState.LIVE)]


SMALL = {
    "gradient_accumulation": 5,
    "tokens_per_iteration": 81_920,
    "layers": 12,
    "heads": 12,
    "embedding": 768,
    "evaluation_interval": 200,
}
"""GPT-2 small in small batches: its iterations are short."""


def spiky(count: int = 7_000, end_s: float = NOW_S) -> list[Event]:
    """An hour of short iterations with hundreds of stops: waits for data, evaluations, checkpoints."""
    random = Random(11)
    made: list[Event] = []
    at_s = 0.0
    for n in range(count):
        duration_s = 0.42 * max(0.97, random.gauss(1, 0.01))
        wait_s = random.uniform(0.3, 2.5) if random.random() < 0.05 else 0.001
        before: list[Event] = []
        if n and n % 200 == 0:
            duration_s += 2.2
            before.append(SpanEnd(EVALUATION, iteration=n, values={"val_loss": 3.3 + 4 * 0.999**n}, at_s=at_s))
        if n and n % 1_000 == 0:
            duration_s += 6.5
            before.append(SpanBegin(CHECKPOINT, iteration=n, at_s=at_s))
        duration_s += wait_s
        at_s += duration_s
        loss = 3.2 + 5 * 0.999**n + random.gauss(0, 0.03)
        made += [*before, Iteration(n, duration_s, loss, data_wait_s=wait_s, at_s=at_s)]
    return [msgspec.structs.replace(event, at_s=event.at_s - at_s + end_s) for event in made]  # type: ignore[operator]


def losses(count: int = 900) -> list[Event]:
    """A log that prints losses and no times."""
    random = Random(5)
    return [
        RunInfo(name="bert-base", source_format="table", host="gpu-box-2"),
        *(Iteration(n, loss=2.1 + 6 * 0.99**n + random.gauss(0, 0.05)) for n in range(count)),
    ]


@cache
def states() -> dict[str, State]:
    """All states, by name."""
    healthy = _healthy()
    finished = [*header(max_iterations=1_247), *iterations(1_248, end_s=NOW_S - 600)]
    all_states = [
        State("healthy", healthy),
        State("why", healthy, View(cursor=1_000)),
        State(
            "moved",
            [Batch([*header(), *iterations(1_248, slower_from=820)], state=SourceState.LIVE)],
            View(cursor=820),
        ),
        State("log-only", _healthy(gpus=0)),
        State("eight-gpus", _healthy(gpus=8)),
        State("finished", [Batch([*finished, End("finished", NOW_S - 600)], state=SourceState.ENDED)]),
        State("silent", [Batch([*header(), *iterations(700, end_s=NOW_S - 3_000)], state=SourceState.LIVE)]),
        State("reading", [Batch([*header(), *iterations(300)], state=SourceState.READING, history=0.37)]),
        State(
            "waiting",
            [Batch((), state=SourceState.WAITING, note="train.log is empty: waiting for its first line")],
        ),
        State(
            "failed",
            [
                Batch(
                    (), state=SourceState.FAILED, note="train.log: no permission to read it. Try: ls -l train.log"
                )
            ],
        ),
        State("no-times", [Batch(losses(), state=SourceState.LIVE)]),
        State("spiky", [Batch([*header(**SMALL), *spiky()], state=SourceState.LIVE)]),
    ]
    return {state.name: state for state in all_states}
