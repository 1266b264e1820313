"""One GPU over all its samples, in bounded memory: counts by clock, power and temperature, of when it was busy."""

from __future__ import annotations

from collections import Counter, deque
from statistics import median
from typing import TYPE_CHECKING

from ..ratios import ratio

if TYPE_CHECKING:
    from ...events import GpuSample

BUSY = 0.9
"""Share of its time in which a kernel runs: with gaps in it, it says nothing of the clock under load."""

BUSY_POWER = 0.6
"""The same of the power limit, where the utilization is not known."""

STEP_HZ = 1e6
"""Clocks are counted to a megahertz: NVIDIA's move by 15 or 7.5."""

NOTHING_W = 0.5
"""Less than any chip takes that computes."""

_GAPS = 33  # newest gaps between samples


class Profile:
    """What one GPU did, sample by sample."""

    def __init__(self) -> None:
        self.name = ""
        self.samples = 0
        self.busy = 0
        self.used = 0.0  # sum of the utilizations
        self.used_known = 0
        self.highest_hz = 0.0  # of all samples: what it boosts to where nothing holds it
        self.listed_hz = 0.0  # what the driver calls the highest
        self.clocks: Counter[int] = Counter()  # of busy samples
        self.power: Counter[int] = Counter()  # percent of the limit, of busy samples
        self.watts = 0.0  # sum, of all samples
        self.watts_known = 0
        self.nothing = 0  # busy samples that take no power
        self.heat: Counter[int] = Counter()  # degrees, of busy samples
        self.reasons: Counter[str] = Counter()  # of busy samples
        self.reasons_known = 0
        self.ours: bool | None = None  # by the source: does the trainer compute on it?
        self._gaps: deque[float] = deque(maxlen=_GAPS)
        self._before_s: float | None = None

    def add(self, sample: GpuSample) -> None:
        """Count one sample."""
        self.samples += 1
        self.name = sample.name or self.name
        if sample.trainer_memory_bytes is not None:
            self.ours = bool(self.ours) or sample.trainer_memory_bytes > 0
        if self._before_s is not None and (gap_s := sample.at_s - self._before_s) > 0:
            self._gaps.append(gap_s)
        self._before_s = sample.at_s
        if sample.utilization is not None:
            self.used += sample.utilization
            self.used_known += 1
        if sample.power_w is not None:
            self.watts += sample.power_w
            self.watts_known += 1
        self.highest_hz = max(self.highest_hz, sample.sm_clock_hz or 0.0)
        self.listed_hz = max(self.listed_hz, sample.sm_clock_max_hz or 0.0)
        if _is_busy(sample):
            self._count_busy(sample)

    def _count_busy(self, sample: GpuSample) -> None:
        self.busy += 1
        if sample.power_w is not None and sample.power_w <= NOTHING_W:
            self.nothing += 1
        share = ratio(sample.power_w, sample.power_limit_w)
        if share is not None:
            self.power.update([round(100 * min(share, 9.0))])
        if sample.temperature_c is not None:
            self.heat.update([round(sample.temperature_c)])
        if sample.limits is not None:
            self.reasons_known += 1
            self.reasons.update(sample.limits)
        if sample.sm_clock_hz is not None:
            self.clocks.update([round(sample.sm_clock_hz / STEP_HZ)])

    @property
    def every_s(self) -> float:
        """Seconds from one sample to the next, usually; 0 before there are two."""
        return median(self._gaps) if self._gaps else 0.0

    @property
    def utilization(self) -> float | None:
        """Its mean."""
        return self.used / self.used_known if self.used_known else None

    @property
    def power_w(self) -> float | None:
        """Its mean."""
        return self.watts / self.watts_known if self.watts_known else None

    @property
    def power_share(self) -> float | None:
        """The median of its share of the limit, while it was busy."""
        middle = middle_of(self.power)
        return None if middle is None else middle / 100

    @property
    def temperature_c(self) -> float | None:
        """Its median, while it was busy."""
        return middle_of(self.heat)

    @property
    def clock_hz(self) -> float | None:
        """Its mean, while it was busy."""
        return STEP_HZ * sum(c * n for c, n in self.clocks.items()) / self.clocks.total() if self.clocks else None

    def below(self, clock_hz: float) -> float | None:
        """The share of its busy samples with a lower clock."""
        counted = self.clocks.total()
        return sum(n for c, n in self.clocks.items() if c * STEP_HZ < clock_hz) / counted if counted else None

    def held(self, reasons: frozenset[str]) -> float | None:
        """The largest share of its busy samples in which one of these `reasons` held the clock, by the driver."""
        if not self.reasons_known:
            return None
        return max((self.reasons[reason] for reason in reasons), default=0) / self.reasons_known


def _is_busy(sample: GpuSample) -> bool:
    if sample.utilization is not None:
        return sample.utilization >= BUSY
    return (ratio(sample.power_w, sample.power_limit_w) or 0.0) >= BUSY_POWER


def middle_of(counts: Counter[int]) -> float | None:
    """The median of what was counted; `None` of nothing."""
    half = counts.total() / 2
    for value in sorted(counts):
        half -= counts[value]
        if half <= 0:
            return float(value)
    return None
