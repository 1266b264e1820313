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
    since_iteration: int | None = None  # as far back as is looked
    iterations: int = 0  # the newest, that were compared


class Imbalance(Finding, frozen=True):
    """The ranks wait for each other, and no single one is at fault. Seconds are local, as a straggler's.

    `group` is the first and the last of the ranks that are slow together, side by side as those of a pipeline's
    stage or of a host; `None`: they take turns.
    """

    share: float  # of an iteration that the others wait, the median
    most_often: float  # the share of the iterations in which one and the same rank was the last
    local_s: float  # of the last one
    others_s: float
    group: tuple[int, int] | None = None
    phase: str = ""  # as a straggler's
    last_ranks: int = 0  # different ones that were the last
    since_iteration: int | None = None
    iterations: int = 0


class GpuClock(Finding, frozen=True):
    """The clock of one GPU while it was busy, over all its samples, against the one that it boosts to.

    `limited_by` is "power", "heat", "nothing", or "other": it is held down, and nobody says by what.
    """

    gpu: int
    limited_by: str
    clock_hz: float
    boost_hz: float
    below_share: float  # of the busy samples
    power_share: float | None = None  # of the limit, the median
    temperature_c: float | None = None

    @property
    def share(self) -> float:
        """Of the clock that it boosts to."""
        return self.clock_hz / self.boost_hz


class GpuUse(Finding, frozen=True):
    """What the GPUs did, over all samples together. It is said of that stretch, never of one iteration."""

    samples: int  # of the GPU with most
    every_s: float  # from one sample to the next
    ours: tuple[int, ...] = ()  # GPUs that this run trains on, where that is known,
    ours_by: str = ""  # ... and by what
    others: tuple[int, ...] = ()  # busy with something else
    apart: tuple[
        tuple[int, ...], ...
    ] = ()  # busy GPUs by what they do together, where nobody knows which are ours
    idle: tuple[int, ...] = ()  # do nothing all the time
    idle_w: float | None = None  # what each of them takes
    utilization: float | None = None  # the mean of ours
    power_w: float | None = None  # the mean of ours, each; `None` where one of them is not believed
    period_s: float | None = None  # in which ours rise and fall together
    limited_by: str | None = None  # as in `GpuClock`, of the GPUs that gate; `None`: not known
    why_unknown: str = ""
    gating: tuple[int, ...] = ()  # the slowest of ours: a synchronous step waits for them
    clocks: tuple[GpuClock, ...] = ()  # of ours
    impossible_power: dict[str, str] = msgspec.field(default_factory=dict)  # by GPU: why its power is not believed
