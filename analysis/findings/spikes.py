"""Slow iterations: their causes, and what the machine did in their seconds."""

from __future__ import annotations

from ...events import Strength
from .finding import Finding


class Cause(Finding, frozen=True):
    """Some seconds of one iteration, why, how strongly that is known (`events.Strength`), and the evidence."""

    kind: str
    seconds: float
    strength: Strength
    evidence: str = ""
    at_most: bool = False  # iterations that nobody counted may have taken a part of the seconds
    rough: bool = False  # rows without it differ by so much that no more than the first digit says anything
    bracketed: bool = False  # lines of the log tell when it began and when it was over


class Alongside(Finding, frozen=True):
    """What the machine did in the seconds of one iteration, and what was usual in the minutes before."""

    power_w: float | None = None  # of all GPUs together, mean
    usual_power_w: float | None = None
    sm_clock_hz: float | None = None  # mean over time and GPUs
    usual_sm_clock_hz: float | None = None
    memory_used_bytes: float | None = None  # of all GPUs together
    trainer_cpu: float | None = None  # in cores
    read_bytes: float | None = None  # by the trainer's processes, from the disk
    write_bytes: float | None = None
    major_faults: float | None = None
    io_pressure: float | None = None
    energy_j: float | None = None


class GpuPhase(Finding, frozen=True):
    """The GPU's own time of one phase of an iteration, and the median of the newest iterations.

    `on_host`: by the wall clock, of a training on the CPU or of what its host did.
    """

    phase: str  # one of `events.PHASES`
    seconds: float
    usual_s: float | None = None
    on_host: bool = False


class Place(Finding, frozen=True):
    """Where an iteration lost its time, by looks at the thread that trains. It names a place, not a cause.

    `at` is the innermost frame of the user's own code ("" where there is none), `innermost` of all, `callers` lead
    from the user's own outwards; each is "file.py:line function". Of `of_looks` that decide it, `looks` found it
    there. `is_native`: the interpreter was blocked in native code.
    """

    at: str
    innermost: str
    seconds: float  # of what the iteration lost, by the moments of the looks
    looks: int
    of_looks: int
    callers: tuple[str, ...] = ()
    is_native: bool = False


class SlowPlace(Finding, frozen=True):
    """The place that cost most over the slow iterations that nothing else explains."""

    at: str
    iterations: int
    seconds: float


class Spike(Finding, frozen=True):
    """A slow iteration: the causes' seconds and the clean time add up to `duration_s`.

    Where the source tells the mean of several, it is all of them up to `index` (`averaged_over`).
    """

    index: int
    position: int  # in the run's columns, from 0
    duration_s: float
    clean_s: float
    causes: tuple[Cause, ...]
    at_s: float | None = None
    averaged_over: int = 1
    training: int | None = None  # its number, from 1, where the source has several
    alongside: Alongside | None = None  # of one that is looked at, and in a report
    place: Place | None = None  # the same; where hooks looked at it
    gpu_phases: tuple[GpuPhase, ...] = ()  # the same; of the newest iterations, where hooks measured them

    @property
    def took_s(self) -> float | None:
        """All its seconds; `None` where only those of its causes are known, and nothing tells of its own."""
        return self.duration_s if self.clean_s > 0 else None
