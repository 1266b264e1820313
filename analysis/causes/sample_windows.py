"""What GPU and host did in the seconds of a slow iteration: power up or down, bytes written or read."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from ...events import CHECKPOINT, DATA, EVALUATION, THROTTLE, THROTTLING_LIMITS, Strength
from ...words import percent, si
from ..findings import Cause
from ..medians import median_of_known
from ..ratios import ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...events import GpuSample, HostSample

HIGH = 0.7
"""An evaluation keeps the GPU at about its usual power; one that waits for a disk falls far below."""

MUCH_BYTES = 32e6
"""More than logs and page faults bring along in the seconds of a slow iteration."""

LEAST_S = 1.5
"""Seconds of power up or down that samples once a second can tell from their own edges."""

OFTEN_S = 2.0
"""Samples further apart than that say something only of an excess that holds several of them."""

SEVERAL = 4

BEFORE_S = 120.0
"""What is usual: the samples of so many seconds before."""


class SampleWindow(msgspec.Struct, frozen=True, gc=False):
    """The seconds of one iteration, as the samples in it say."""

    power_share: float | None = None  # of the usual power
    idle_share: float | None = None  # of the samples, how many were far below it
    read_bytes: int | None = None
    write_bytes: int | None = None
    limits: tuple[str, ...] = ()  # what held clocks down that does not usually
    clock_share: float | None = None  # of the usual clock
    apart_s: float = 0.0  # from one sample of the GPUs to the next, as a rule

    @property
    def least_s(self) -> float:
        """An excess that is no longer than this is not explained by such samples."""
        return SEVERAL * self.apart_s if self.apart_s > OFTEN_S else 0.0

    def words(self) -> str:
        """The evidence in a few words."""
        parts = []
        if self.power_share is not None:
            parts.append(f"power at {percent(self.power_share, 0)} of the usual")
        for name, amount in (("written", self.write_bytes), ("read", self.read_bytes)):
            if amount is not None and amount >= MUCH_BYTES:
                parts.append(f"{si(amount, 'B')} {name}")
        if self.limits:
            parts.append(f"clock held down: {', '.join(self.limits)}")
        return "; ".join(parts)


def measure(
    gpus: Sequence[GpuSample], host: Sequence[HostSample], begin_s: float, end_s: float
) -> SampleWindow | None:
    """The seconds `begin_s`..`end_s`, against those before; `None` without a sample in them."""
    inside = [s for s in gpus if begin_s < s.at_s <= end_s]
    before = [s for s in gpus if begin_s - BEFORE_S < s.at_s <= begin_s]
    io = [h for h in host if begin_s < h.at_s - (h.interval_s or 0.0) / 2 <= end_s]
    if not inside and not io:
        return None
    usual_w = median_of_known([s.power_w for s in before])
    powers = [s.power_w for s in inside if s.power_w is not None]
    shares = [share for p in powers if (share := ratio(p, usual_w)) is not None]
    usual_hz = median_of_known([s.sm_clock_hz for s in before])
    clock_hz = median_of_known([s.sm_clock_hz for s in inside])
    usual_limits = {limit for s in before for limit in s.limits or ()}
    limits = {limit for s in inside for limit in s.limits or ()} - usual_limits
    reads = [h.read_bytes for h in io if h.read_bytes is not None]
    writes = [h.write_bytes for h in io if h.write_bytes is not None]
    return SampleWindow(
        power_share=sum(shares) / len(shares) if shares else None,
        idle_share=sum(s < HIGH for s in shares) / len(shares) if shares else None,
        read_bytes=sum(reads) if reads else None,
        write_bytes=sum(writes) if writes else None,
        limits=tuple(sorted(limits & THROTTLING_LIMITS)),
        clock_share=ratio(clock_hz, usual_hz) or None,
        apart_s=_apart(before + inside),
    )


def _apart(samples: Sequence[GpuSample]) -> float:
    """The median time from one of a GPU to its next: each of several has a time of its own in the same pass."""
    times = sorted({s.at_s for s in samples if (s.gpu, s.mig) == (samples[0].gpu, samples[0].mig)})
    return median_of_known([later - sooner for sooner, later in pairwise(times)]) or 0.0


def suspect(window: SampleWindow, duration_s: float, clean_s: float) -> list[tuple[Cause, float]]:
    """The causes that the samples point to, each with its share of the excess; empty where they do not decide.

    The normal part of the iteration, `clean_s`, draws its usual power: low power is all excess.
    """
    words = window.words()
    if window.limits and (window.clock_share or 1.0) < 0.9 and duration_s - clean_s > window.least_s:
        return [(Cause(THROTTLE, 0.0, Strength.TELEMETRY, words), 1.0)]
    excess_s = duration_s - clean_s
    if window.idle_share is None or excess_s <= window.least_s:
        return []
    idle_s = min(excess_s, window.idle_share * duration_s)
    reads, writes = window.read_bytes or 0, window.write_bytes or 0
    moved = max(reads, writes) >= MUCH_BYTES
    least_s = min(0.5 * excess_s, max(LEAST_S, 0.15 * excess_s))
    if idle_s < least_s:
        return [(Cause(EVALUATION, 0.0, Strength.TELEMETRY, words), 1.0)]
    if not moved:
        return []
    waiting = Cause(DATA if reads > writes else CHECKPOINT, 0.0, Strength.TELEMETRY, words)
    if excess_s - idle_s < least_s:
        return [(waiting, 1.0)]
    idle = idle_s / excess_s
    return [(Cause(EVALUATION, 0.0, Strength.TELEMETRY, words), 1.0 - idle), (waiting, idle)]
