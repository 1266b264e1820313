"""The runs of the acceptance table, as events: what their logs and telemetry say, and nothing computed."""

from collections.abc import Iterable

from itermon.analysis.audit.logged_mfu import KEPT
from itermon.analysis.run import Run
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    Config,
    Event,
    GpuSample,
    Iteration,
    RunInfo,
    SpanBegin,
    SpanEnd,
)

NANOGPT = RunInfo(source_format="nanoGPT log", time_includes=(EVALUATION, CHECKPOINT))
FLOPS_A = 1_048_576 * 10_274_928_000  # of the acceptance table; the tests of flops.py compute it

CONFIG_A = Config(
    origin="log",
    micro_batch_size=16,
    block_size=1024,
    gradient_accumulation=64,
    world_size=1,
    layers=48,
    heads=25,
    embedding=1600,
    vocabulary=50_304,
    bias=False,
    max_iterations=10_000,
    evaluation_interval=250,
    precision="bf16",
)


def running_mfu(raw: Iterable[float], start: float | None = None) -> list[float]:
    """What nanoGPT prints for iterations of the MFUs `raw`, when `start` was printed before them."""
    printed: list[float] = []
    for value in raw:
        start = value if start is None else KEPT * start + (1 - KEPT) * value
        printed.append(start)
    return printed


def run_a(
    *, normal_s: float = 21.0, gpu: str | None = "NVIDIA H200", power_w: float | None = 690.0
) -> list[Event]:
    """GPT-2 XL on one H200: 300 iterations, an evaluation and a checkpoint in number 250."""
    times = [84.0 if i == 250 else normal_s + 0.02 * (i % 3 - 1) for i in range(300)]
    printed = running_mfu([FLOPS_A / t / 312e12 for t in times[5:]])
    log: list[Event] = [NANOGPT, CONFIG_A]
    for i, t in enumerate(times):
        if i == 250:
            log.append(SpanEnd(EVALUATION, iteration=i, values={"train_loss": 3.4, "val_loss": 3.5}))
            log.append(SpanBegin(CHECKPOINT, iteration=i))
        if gpu and power_w is not None:
            log.append(sample(float(i), gpu, power_w))
        log.append(Iteration(i, t, 3.5, printed[i - 5] if i >= 5 else None))
    return log


def sample(at_s: float, gpu: str, power_w: float) -> GpuSample:
    return GpuSample(at_s, name=gpu, power_w=power_w, power_limit_w=700.0, utilization=1.0, power_method="energy")


def _plain(config: Config, time_s: float, mfu: float, iterations: int) -> list[Event]:
    jitter = (-0.002, 0.0, 0.002)
    return [
        NANOGPT,
        config,
        *(Iteration(i, time_s * (1 + jitter[i % 3]), 6.0, mfu if i >= 5 else None) for i in range(iterations)),
    ]


def run_b(which: str) -> list[Event]:
    """`train2` ("before") and `train1` ("after") on a 12 GB card."""
    shape = {"before": (384, 16, 32, 3.9, 0.129, 5.5328), "after": (768, 8, 64, 9.34, 0.154, 5.5194)}
    width, batch, accumulation, time_s, mfu, loss = shape[which]
    config = Config(
        origin="log",
        micro_batch_size=batch,
        block_size=1024,
        gradient_accumulation=accumulation,
        world_size=1,
        layers=12,
        embedding=width,
        vocabulary=50_304,
        bias=False,
    )
    events = _plain(config, time_s, mfu, 501)
    return [*events, SpanEnd(EVALUATION, iteration=500, values={"val_loss": loss})]


def run_c() -> list[Event]:
    """170 ms iterations with an evaluation and a checkpoint in every 500th; every 100th is printed."""
    times = dict.fromkeys(range(0, 1001, 100), 0.169) | {0: 12.543, 500: 5.985, 1000: 5.726}
    times |= {100: 0.168, 900: 0.168, 200: 0.170, 600: 0.170}
    events: list[Event] = [NANOGPT]
    for i, t in times.items():
        if i % 500 == 0:
            events.append(SpanEnd(EVALUATION, iteration=i))
            if i:
                events.append(SpanBegin(CHECKPOINT, iteration=i))
        events.append(Iteration(i, t, 4.0))
    return events


def watched(events: list[Event]) -> Run:
    run = Run()
    run.apply(events)
    return run
