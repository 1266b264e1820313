"""What is known of one GPU, value by value, as styled words: a dash with its reason where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ...events import NORMAL_LIMITS

if TYPE_CHECKING:
    from ...events import GpuSample
    from ..drawing.lines import Span


def short_name(gpu: GpuSample) -> str:
    """`H200 0`: without the maker's name."""
    name = gpu.name.removeprefix("NVIDIA ").removeprefix("GeForce ")
    return f"{name or 'GPU'} {gpu.gpu}"


def power(gpu: GpuSample) -> list[Span]:
    """`690 / 700 W`"""
    if gpu.power_w is None:
        return [(words.DASH, "value"), (f" {gpu.absent.get('power_w', '')}", "dim")]
    limit = "" if gpu.power_limit_w is None else f" / {words.count(gpu.power_limit_w)}"
    # By the energy counter it is a mean of the whole second; a sensor sees a part of it, and that is said.
    method = "" if gpu.power_method in ("energy", "") else f" by {gpu.power_method}"
    return [(words.count(gpu.power_w), "value"), (f"{limit} W{method}", "label")]


def memory(gpu: GpuSample) -> list[Span]:
    """`118 / 140 GiB`"""
    total = "" if gpu.memory_total_bytes is None else f" / {words.memory(gpu.memory_total_bytes)}"
    used = words.memory(gpu.memory_used_bytes)
    if total.endswith(used[-4:]):
        used = used.rsplit(" ", 1)[0]
    return [(used, "value"), (total, "label")]


def memory_share(gpu: GpuSample) -> float | None:
    """How full its memory is, 0..1."""
    if not gpu.memory_total_bytes or gpu.memory_used_bytes is None:
        return None
    return gpu.memory_used_bytes / gpu.memory_total_bytes


def clock(gpu: GpuSample) -> str:
    """`1,980 MHz`"""
    return words.in_unit(None if gpu.sm_clock_hz is None else gpu.sm_clock_hz / 1e6, "MHz")


def temperature(gpu: GpuSample) -> str:
    """`64 °C`"""
    return words.in_unit(gpu.temperature_c, "°C")


def watts(gpu: GpuSample) -> str:
    """`690 W`"""
    return words.in_unit(gpu.power_w, "W")


def trouble_of(gpu: GpuSample) -> str:
    """What is wrong with a GPU, in a few words; "" if nothing is."""
    if gpu.lost:
        return f"no answer: {gpu.lost}"
    return ", ".join(limit for limit in gpu.limits or () if limit not in NORMAL_LIMITS)
