"""What GPUs, host and ranks did in the newest minutes."""

from __future__ import annotations

import msgspec

from .finding import Finding


class Load(Finding, frozen=True):
    """What GPUs and host did in the last minutes: medians over the samples. Shares are 0..1."""

    span_s: float
    power_w: float | None = None  # of all GPUs together
    power_share: float | None = None  # of the limit
    utilization: float | None = None
    sm_activity: float | None = None
    tensor_activity: float | None = None
    clock_share: float | None = None  # of the highest clock
    memory_share: float | None = None
    limits: dict[str, float] = msgspec.field(
        default_factory=dict
    )  # what held the clock down, and in which share of the samples
    trainer_cpu: float | None = None  # in cores
    compile_workers: int | None = None
    compile_workers_cpu: float | None = None
    read_bytes_per_s: float | None = None
    io_pressure: float | None = None
    cpu_pressure: float | None = None


class Straggler(Finding, frozen=True):
    """The rank that comes late to the collective. Seconds are local: what it does without waiting for others."""

    rank: int
    share: float  # of the newest iterations in which it was the late one
    local_s: float
    others_s: float  # the median of the other ranks
    phase: str = ""  # in which it is late, of `events.PHASES`; "": in no single one, or it is not known
