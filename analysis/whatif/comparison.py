"""A comparison as data. Every `Pair` is a and b; its ratio is b over a."""

from __future__ import annotations

from math import isfinite

from ..findings import Finding
from .bootstrap import Interval  # noqa: TC001 - msgspec reads annotations at run time


class Pair(Finding, frozen=True):
    """A number of both runs."""

    a: float
    b: float

    @property
    def ratio(self) -> float:
        """b over a."""
        return self.b / self.a

    @classmethod
    def of(cls, a: float | None, b: float | None) -> Pair | None:
        """Both, or `None`: half a comparison is none, nor is one without a ratio."""
        return cls(a, b) if a and b and isfinite(b / a) else None


class Difference(Finding, frozen=True):
    """A setting that differs; `None` where a run does not say."""

    name: str
    a: str | None
    b: str | None


class CauseRow(Finding, frozen=True):
    """Seconds that a cause takes for each iteration that passed, and its share of the wall time."""

    cause: str
    a_s: float
    a_share: float
    b_s: float
    b_share: float


class GpuPairs(Finding, frozen=True):
    """What the GPUs of both runs did, over all samples of each: means of the GPUs that trained, each."""

    names: tuple[str, str] = ("", "")
    counts: tuple[int, int] = (0, 0)
    utilization: Pair | None = None
    power_w: Pair | None = None
    clock_hz: Pair | None = None  # while busy
    temperature_c: Pair | None = None  # while busy
    iteration_joules: Pair | None = None  # of all of them, over the whole run


class LossAt(Finding, frozen=True):
    """Validation losses after equal `tokens` (equal iterations, where tokens are not known)."""

    iteration: int  # of a
    tokens: int | None
    a: float
    b: float


class Comparison(Finding, frozen=True):
    """Two runs side by side. Times are of normal iterations; `None` where one of them does not say."""

    names: tuple[str, str] = ("", "")
    headline: str = ""
    sentences: tuple[str, ...] = ()
    unknowable: tuple[str, ...] = ()
    config: tuple[Difference, ...] = ()
    iteration_s: Pair | None = None
    iteration_interval: Interval | None = None  # of the ratio of the medians, 95 %
    token_s: Pair | None = None
    tokens_per_s: Pair | None = None
    tokens_per_s_wall: Pair | None = None
    tokens_per_iteration: Pair | None = None
    micro_step_s: Pair | None = None
    micro_steps_comparable: bool = False
    flops_per_token: Pair | None = None
    achieved_flops: Pair | None = None
    mfu: Pair | None = None
    mfu_of: str = ""  # whose peak the MFU is of
    gpus: GpuPairs | None = None  # where both runs have samples
    impossible_gpus: tuple[str, ...] = ()  # slower than what was achieved
    causes: tuple[CauseRow, ...] = ()
    losses: tuple[LossAt, ...] = ()
