"""What GPUs and machine said of themselves: the newest minutes of it, and what is usual in them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, TypeVar

import msgspec

from ...events import GpuSample, HostSample
from ..findings import Alongside, Load
from ..gpus.profile import Profile
from ..gpus.use import gpu_use
from ..medians import median_of_known
from ..ratios import ratio
from .course import Course
from .history import History

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...events import Message
    from ..findings import GpuUse, Spike

Sample = TypeVar("Sample", GpuSample, HostSample)

KEPT = 1_024
"""Samples kept of each GPU and of the host: seventeen minutes at one a second."""

MOST_GPUS = 128
"""GPUs and MIG instances of one run whose samples are kept: sixteen GPUs have 112 instances. At most 130 MB."""

_HOST_SUMS = ("read_bytes", "write_bytes", "major_faults")

LOAD_SPAN_S = 300.0
"""What `load` speaks of. Long enough for the slowest iterations people run, short enough to be "now"."""


USUAL_S = 120.0
"""What was usual before an iteration is a median over so many seconds."""

_GAP_S = 10.0  # longer without a sample and the next one does not speak for that time,
_GAPS = 1.3  # ... but of samples that come rarely: so many of the usual gaps between them

_GAPS_SEEN = 32  # passes after which it is known how often they come

_NEWS = 64
"""Passes after which it is asked anew whose GPUs these are: a screen asks for it in each frame."""


class Telemetry:
    """The samples of a run: bounded, whatever the length of the run."""

    def __init__(self) -> None:
        # By GPU, and by the number of the MIG instance on it (-1: the GPU is not divided).
        self._gpus: dict[tuple[int, int], deque[GpuSample]] = {}
        self._host: deque[HostSample] = deque(maxlen=KEPT)
        self._missing: dict[str, str] = {}
        self._pass: dict[tuple[int, int], GpuSample] = {}  # of each GPU, the sample of the pass under way
        self._gpu_history = History(("power_w", "sm_clock_hz", "memory_used_bytes"))
        self.course = Course(("power_w", "memory_used_bytes", "utilization"))
        """Of all GPUs together, from the first sample on."""
        self._host_history = History(("trainer_cpu", "io_pressure"), _HOST_SUMS)
        self._energy: dict[tuple[int, int], Energy] = {}
        self._profiles: dict[int, Profile] = {}  # of whole GPUs
        self._passes = 0
        self._longest_s = _GAP_S  # so long a time may lie between two samples that still speak for it
        self._use: tuple[int, int | None, GpuUse | None] = (
            -_NEWS,
            None,
            None,
        )  # after how many passes, and for whom
        self._load: Load | None = None  # of the samples so far; asked for in every frame, changes once a second

    def add(self, sample: GpuSample | HostSample) -> bool:
        """Take in one sample; `False` for one of a GPU beyond the most."""
        self._load = None
        if isinstance(sample, HostSample):
            self._host.append(sample)
            values = {name: getattr(sample, name) for name in self._host_history.columns}
            self._host_history.add(sample.at_s, sample.interval_s or 0.0, values)
            return True
        key = (sample.gpu, -1 if sample.mig is None else sample.mig)
        if key not in self._gpus and len(self._gpus) == MOST_GPUS:
            return False
        self._gpus.setdefault(key, deque(maxlen=KEPT)).append(sample)
        self._energy.setdefault(key, Energy()).add(sample, self._longest_s)
        if sample.mig is None and not sample.lost:
            self._profiles.setdefault(sample.gpu, Profile()).add(sample)
        if key in self._pass:
            self._end_pass()
        self._pass[key] = sample
        return True

    def explain(self, message: Message) -> None:
        """Take in why there are no samples of the GPUs, or of the host."""
        self._missing[message.about] = message.text

    @property
    def is_heard(self) -> bool:
        """Has any sample come?"""
        return bool(self._gpus or self._host)

    def unknown(self) -> dict[str, str]:
        """Why there are no samples, by the field of the findings that stays empty."""
        parts = (("gpu", "gpus", self._gpus), ("host", "machine", self._host))
        return {path: self._missing[part] for part, path, seen in parts if part in self._missing and not seen}

    def newest(self) -> tuple[GpuSample, ...]:
        """The newest sample of each GPU."""
        return tuple(samples[-1] for _, samples in sorted(self._gpus.items()))

    def machine(self) -> HostSample | None:
        """The newest sample of the host."""
        return self._host[-1] if self._host else None

    def history(self, gpu: int, mig: int | None) -> list[GpuSample]:
        """The kept samples of one GPU, or of one MIG instance on it, oldest first."""
        return list(self._gpus.get((gpu, -1 if mig is None else mig), ()))

    def with_telemetry(self, spike: Spike) -> Spike:
        """The spike with what the machine did in its seconds."""
        if spike.at_s is None:
            return spike
        found = self.alongside(spike.at_s - spike.duration_s, spike.at_s)
        return spike if found is None else msgspec.structs.replace(spike, alongside=found)

    def alongside(self, begin_s: float, end_s: float) -> Alongside | None:
        """What the machine did in these seconds (Unix time); `None` if nobody sampled then."""
        gpus, host = self._gpu_history, self._host_history
        found = {**gpus.between(begin_s, end_s), **host.between(begin_s, end_s)}
        if not found:
            return None
        before = (begin_s - USUAL_S, begin_s)
        power_w = found.get("power_w")
        return Alongside(
            **found,
            usual_power_w=gpus.usual("power_w", *before),
            usual_sm_clock_hz=gpus.usual("sm_clock_hz", *before),
            energy_j=None if power_w is None else power_w * (end_s - begin_s),
        )

    def use(self, world_size: int | None) -> GpuUse | None:
        """What the GPUs did over all samples, of a run on `world_size` of them; `None` without samples."""
        passes, asked, found = self._use
        early = self._passes < _NEWS and self._passes > passes  # then each pass may be what decides
        if early or self._passes - passes >= _NEWS or asked != world_size:
            found = gpu_use(self._profiles, self._series(), world_size)
            self._use = self._passes, world_size, found
            self._load = None
        return found

    def energy(self) -> tuple[float, float] | None:
        """Joules of the run's GPUs, and the seconds in which they were used; `None` if one of them has none."""
        of_each = [energy for key, energy in self._energy.items() if self._counts(key)]
        known = [energy.joules for energy in of_each if energy.joules is not None]
        if not known or len(known) < len(of_each) or self._has_impossible_power():
            return None
        return sum(known), max(energy.span_s for energy in of_each)

    def _series(self) -> dict[int, list[float]]:
        """The newest values of each whole GPU, of the same passes: power, or utilization where there is none."""
        found: dict[int, list[float]] = {}
        for (gpu, mig), samples in self._gpus.items():
            powers = [s.power_w for s in samples if s.power_w is not None]
            used = [s.utilization for s in samples if s.utilization is not None]
            if mig < 0 and len(samples) in (len(powers), len(used)):
                found[gpu] = powers if len(powers) == len(samples) else used
        longest = max(map(len, found.values()), default=0)
        return {gpu: values for gpu, values in found.items() if len(values) == longest}

    def _counts(self, key: tuple[int, int]) -> bool:
        """Is it a GPU of this run, as far as that is known?"""
        use = self._use[2]
        return use is None or not use.ours or key[1] >= 0 or key[0] in use.ours

    def _has_impossible_power(self) -> bool:
        use = self._use[2]
        return use is not None and any(self._counts((int(gpu), -1)) for gpu in use.impossible_power)

    def _end_pass(self) -> None:
        """The pass is whole: one row of it, all GPUs together."""
        samples, self._pass = list(self._pass.values()), {}
        at_s = samples[-1].at_s
        span_s = at_s - self._gpu_history.at_s[-1] if len(self._gpu_history) else 0.0
        clocks = [s.sm_clock_hz for s in samples if s.sm_clock_hz is not None]
        values = {
            "power_w": _sum(s.power_w for s in samples),
            "sm_clock_hz": sum(clocks) / len(clocks) if clocks else None,
            "memory_used_bytes": _sum(s.memory_used_bytes for s in samples),
        }
        span_s = span_s if span_s < self._longest_s else 1.0
        self._passes += 1
        if self._passes % _NEWS == 1 or self._passes < _GAPS_SEEN:
            usual_s = max((profile.every_s for profile in self._profiles.values()), default=0.0)
            self._longest_s = max(_GAP_S, _GAPS * usual_s)
        self._gpu_history.add(at_s, span_s, values)
        busy = [s.utilization for s in samples if s.utilization is not None]
        self.course.add(at_s, span_s, values | {"utilization": sum(busy) / len(busy) if busy else None})

    def samples_between(self, begin_s: float, end_s: float) -> tuple[list[GpuSample], list[HostSample]]:
        """The kept samples of all GPUs and of the host from `begin_s` on, up to a second after `end_s`."""
        gpus: list[GpuSample] = []
        for samples in self._gpus.values():
            gpus += _newest(samples, begin_s, end_s)
        return gpus, _newest(self._host, begin_s, end_s)

    def behind(self, at_s: float) -> bool:
        """Are samples of the time `at_s` still to come? False where there are none at all."""
        newest = [samples[-1].at_s for samples in self._gpus.values()]
        if self._host:
            newest.append(self._host[-1].at_s)
        return bool(newest) and max(newest) < at_s + 1.0

    def load(self) -> Load | None:
        """What was usual in the newest minutes: medians, so that an evaluation in them does not count."""
        if self._load is None:
            self._load = self._measure()
        return self._load

    def _measure(self) -> Load | None:
        last = [s[-1].at_s for s in self._gpus.values()] + [h.at_s for h in list(self._host)[-1:]]
        if not last:
            return None
        since = max(last) - LOAD_SPAN_S
        ours = [samples for key, samples in self._gpus.items() if self._counts(key)]
        by_gpu = [[s for s in samples if s.at_s >= since] for samples in ours]
        gpus = [s for samples in by_gpu for s in samples]
        host = [h for h in self._host if h.at_s >= since]
        believed = not self._has_impossible_power()
        powers = [
            median_of_known(s.power_w for s in samples) if believed else None for samples in by_gpu if samples
        ]
        seen = [s.at_s for s in gpus] + [h.at_s for h in host]
        if not seen:  # only of GPUs that are not ours
            return None
        return Load(
            span_s=max(seen) - min(seen),
            power_w=sum(p for p in powers if p is not None) if powers and None not in powers else None,
            power_share=median_of_known(ratio(s.power_w, s.power_limit_w) for s in gpus) if believed else None,
            utilization=median_of_known(s.utilization for s in gpus),
            sm_activity=median_of_known(s.sm_activity for s in gpus),
            tensor_activity=median_of_known(s.tensor_activity for s in gpus),
            clock_share=median_of_known(ratio(s.sm_clock_hz, s.sm_clock_max_hz) for s in gpus),
            memory_share=median_of_known(ratio(s.memory_used_bytes, s.memory_total_bytes) for s in gpus),
            limits=_limits(gpus),
            trainer_cpu=median_of_known(h.trainer_cpu for h in host),
            compile_workers=host[-1].compile_workers if host else None,
            compile_workers_cpu=median_of_known(h.compile_workers_cpu for h in host),
            read_bytes_per_s=_rate((h.read_bytes, h.interval_s) for h in host),
            io_pressure=median_of_known(h.io_pressure for h in host),
            cpu_pressure=median_of_known(h.cpu_pressure for h in host),
        )


class Energy:
    """What one GPU used since its first sample: by its counter, else by its power over time."""

    def __init__(self) -> None:
        self.joules: float | None = None
        self.span_s = 0.0
        self._before: GpuSample | None = None

    def add(self, sample: GpuSample, longest_s: float = _GAP_S) -> None:
        """Count what was used since the last sample, where that lies no more than `longest_s` back."""
        before, self._before = self._before, sample
        if before is None:
            return
        seconds = sample.at_s - before.at_s
        now_j, before_j = sample.energy_j, before.energy_j
        if now_j is not None and before_j is not None and now_j >= before_j:
            joules = now_j - before_j
        elif sample.power_w is not None and 0 < seconds < longest_s:
            joules = sample.power_w * seconds
        else:
            return
        self.joules = (self.joules or 0.0) + joules
        self.span_s += max(seconds, 0.0)


def _sum(values: Iterable[float | None]) -> float | None:
    """Of all; `None` if one is not known: a part would look like the whole."""
    every = list(values)
    known = [v for v in every if v is not None]
    return sum(known) if known and len(known) == len(every) else None


def _newest(samples: Sequence[Sample], begin_s: float, end_s: float) -> list[Sample]:
    found: list[Sample] = []
    for sample in reversed(samples):
        if sample.at_s < begin_s:
            break
        if sample.at_s <= end_s + 1.0:
            found.append(sample)
    return found


def _rate(pairs: Iterable[tuple[float | None, float | None]]) -> float | None:
    """A mean, as reading comes in bursts."""
    known = [(amount, span) for amount, span in pairs if amount is not None and span]
    total = sum(span for _, span in known)
    return ratio(sum(amount for amount, _ in known), total)


def _limits(gpus: list[GpuSample]) -> dict[str, float]:
    """How often each reason held the clock down, as a share of the samples that say."""
    reported = [s.limits for s in gpus if s.limits is not None]
    reasons = {reason for limits in reported for reason in limits}
    return {reason: sum(reason in limits for limits in reported) / len(reported) for reason in sorted(reasons)}
