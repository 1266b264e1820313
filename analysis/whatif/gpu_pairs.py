"""The GPUs of two runs side by side: who is busier, cooler, takes more power, and the energy of an iteration."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from .comparison import GpuPairs, Pair

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..findings import Findings, GpuUse


def gpu_pairs(a: Findings, b: Findings) -> GpuPairs | None:
    """What both runs' samples say; `None` where one of them has none, or does not know which GPUs are its own."""
    one, other = a.gpu_use, b.gpu_use
    if one is None or other is None or not one.ours or not other.ours:
        return None
    return GpuPairs(
        names=(_name(a, one), _name(b, other)),
        counts=(len(one.ours), len(other.ours)),
        utilization=Pair.of(one.utilization, other.utilization),
        power_w=Pair.of(one.power_w, other.power_w),
        clock_hz=Pair.of(_mean(c.clock_hz for c in one.clocks), _mean(c.clock_hz for c in other.clocks)),
        temperature_c=Pair.of(
            _mean(c.temperature_c for c in one.clocks), _mean(c.temperature_c for c in other.clocks)
        ),
        iteration_joules=Pair.of(_iteration_joules(a, one), _iteration_joules(b, other)),
    )


def _name(findings: Findings, use: GpuUse) -> str:
    """Of its newest samples; "" where they differ or do not say."""
    names = {sample.name for sample in findings.gpus if sample.gpu in use.ours}
    return names.pop() if len(names) == 1 else ""


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _iteration_joules(findings: Findings, use: GpuUse) -> float | None:
    """Mean power of all its GPUs times the wall time of an iteration, stops included: what is paid for."""
    progress = findings.progress
    passed = progress.iterations_in_wall
    if use.power_w is None or not progress.wall_s or not passed:
        return None
    return use.power_w * len(use.ours) * progress.wall_s / passed
