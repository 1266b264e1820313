"""The GPUs and the host: a panel, a row per GPU where there are many, or one line of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analysis import words
from ...events import NORMAL_LIMITS
from ..drawing.braille import Dots
from ..drawing.lines import (
    bar,
    fit,
    sparkline,
    wrap,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.findings import Findings
    from ...events import GpuSample, HostSample
    from ..drawing.lines import Block, Line, Span

NO_GPU = "no GPU samples in this source"


def short_name(gpu: GpuSample) -> str:
    """`H200 0`: without the maker's name."""
    name = gpu.name.removeprefix("NVIDIA ").removeprefix("GeForce ")
    return f"{name or 'GPU'} {gpu.gpu}"


def gpu_panel(found: Findings, history: Sequence[GpuSample], width: int, rows: int) -> Block:
    """One GPU in full; several as a row each; none as the reason."""
    if not found.gpus:
        return [((" ", ""), *line) for line in wrap(no_gpu(found), width - 2, "dim")]
    host = host_lines(found.machine)
    lines = _one(found.gpus[0], history, width) if len(found.gpus) == 1 else [_row(gpu) for gpu in found.gpus]
    return [*lines, *host, *power_chart(history, width, rows - len(lines) - len(host))][:rows]


def power_chart(history: Sequence[GpuSample], width: int, rows: int) -> Block:
    """The power of the last minutes, a dot column a sample, between 0 and the limit; where there is room."""
    cells = width - 3
    newest = history[-2 * cells :]
    powers = [s.power_w for s in newest]
    top = max([p for p in powers if p is not None] + [newest[-1].power_limit_w or 0.0]) if newest else 0.0
    if rows < 4 or top <= 0 or len(newest) < 8:
        return []
    dots = Dots(cells, rows - 2)
    for x, power in enumerate(powers):
        if power is not None:
            dots.column(x, 0, round(power / top * (4 * (rows - 2) - 1)), "accent")
    title = (
        f" power of GPU {newest[-1].gpu}, last {words.rounded_duration(newest[-1].at_s - newest[0].at_s)}",
        "label",
    )
    return [(), (title,), *(((" ", ""), *line) for line in dots.lines())]


def no_gpu(found: Findings) -> str:
    """Why there is no GPU to show: what was tried."""
    return found.unknown.get("gpus") or NO_GPU


def _one(gpu: GpuSample, history: Sequence[GpuSample], width: int) -> Block:
    if gpu.lost:
        return wrap(f"no answer: {gpu.lost}", width - 2, "bad")
    watts, used = _power(gpu), _memory(gpu)
    first = max(sum(len(part) for part, _ in value) for value in (watts, used)) + 1
    room = max(4, width - 10 - first)
    power = sparkline([s.power_w for s in history], room, gpu.power_limit_w or _most_power(history))
    return [
        (*fit(((" power  ", "label"), *watts), 8 + first), (power, "accent")),
        (*fit(((" memory ", "label"), *used), 8 + first), *bar(_used(gpu), room, "accent")),
        (
            (" util ", "label"),
            (words.percent(gpu.utilization, 0), "value"),
            (f"  {_clock(gpu)}  {_temperature(gpu)}", ""),
        ),
        _activity(gpu),
        _limits(gpu),
    ]


def _most_power(history: Sequence[GpuSample]) -> float:
    return max((s.power_w for s in history if s.power_w is not None), default=0.0)


def _power(gpu: GpuSample) -> list[Span]:
    if gpu.power_w is None:
        return [(words.DASH, "value"), (f" {gpu.absent.get('power_w', '')}", "dim")]
    limit = "" if gpu.power_limit_w is None else f" / {gpu.power_limit_w:.0f}"
    # By the energy counter it is a mean of the whole second; a sensor sees a part of it, and that is said.
    method = "" if gpu.power_method in ("energy", "") else f" by {gpu.power_method}"
    return [(f"{gpu.power_w:.0f}", "value"), (f"{limit} W{method}", "label")]


def _memory(gpu: GpuSample) -> list[Span]:
    total = "" if gpu.memory_total_bytes is None else f" / {words.memory(gpu.memory_total_bytes)}"
    used = words.memory(gpu.memory_used_bytes)
    if total.endswith(used[-4:]):
        used = used.rsplit(" ", 1)[0]
    return [(used, "value"), (total, "label")]


def _used(gpu: GpuSample) -> float | None:
    if not gpu.memory_total_bytes or gpu.memory_used_bytes is None:
        return None
    return gpu.memory_used_bytes / gpu.memory_total_bytes


def _clock(gpu: GpuSample) -> str:
    return words.DASH if gpu.sm_clock_hz is None else f"{gpu.sm_clock_hz / 1e6:,.0f} MHz"


def _temperature(gpu: GpuSample) -> str:
    return words.DASH if gpu.temperature_c is None else f"{gpu.temperature_c:.0f} °C"


def _activity(gpu: GpuSample) -> Line:
    if gpu.sm_activity is None and gpu.tensor_activity is None:
        return ()
    return (
        (" SM ", "label"),
        (words.percent(gpu.sm_activity, 0), "value"),
        ("  tensor ", "label"),
        (words.percent(gpu.tensor_activity, 0), "value"),
    )


def _limits(gpu: GpuSample) -> Line:
    if gpu.limits is None:
        reason = gpu.absent.get("limits", "")
        return ((" limits: ", "label"), (words.DASH, "dim"), (f" {reason}", "dim"))
    limits = ", ".join(gpu.limits) or "none"
    normal = not gpu.limits or NORMAL_LIMITS.issuperset(gpu.limits)
    return (
        (" limits: ", "label"),
        (limits, "" if normal else "bad"),
        (" (normal)" if normal and "power cap" in limits else "", "dim"),
    )


def _row(gpu: GpuSample) -> Line:
    """Thirty cells: number, power, memory, utilisation, temperature; what is wrong takes the place of the last."""
    number = f" {gpu.gpu:>2}" if gpu.mig is None else f" {gpu.gpu}.{gpu.mig}"
    if trouble := _trouble(gpu):
        power = "" if gpu.lost else f" {_watts(gpu):>5}"
        return ((number, "label"), (power, "value"), (f" {trouble}", "bad"))
    return (
        (number, "label"),
        (f" {_watts(gpu):>5}", "value"),
        (" mem", "label"),
        (f"{words.percent(_used(gpu), 0):>6}", "value"),
        (f"{words.percent(gpu.utilization, 0):>6}", "value"),
        (f"{_temperature(gpu):>6}", ""),
    )


def _watts(gpu: GpuSample) -> str:
    return words.DASH if gpu.power_w is None else f"{gpu.power_w:.0f} W"


def _trouble(gpu: GpuSample) -> str:
    """What is wrong with a GPU, in a few words; "" if nothing is."""
    if gpu.lost:
        return f"no answer: {gpu.lost}"
    return ", ".join(limit for limit in gpu.limits or () if limit not in NORMAL_LIMITS)


def gpu_line(found: Findings) -> Line:
    """All GPUs in one line: the one, or the range over many."""
    if not found.gpus:
        return ((" GPU ", "label"), (no_gpu(found), "dim"))
    gpu = found.gpus[0]
    if len(found.gpus) == 1:
        if gpu.lost:
            return ((f" {short_name(gpu)} ", "label"), (f"no answer: {gpu.lost}", "bad"))
        spans: list[Span] = [
            (f" {short_name(gpu)} ", "label"),
            *_power(gpu),
            (" · ", "dim"),
            *_memory(gpu),
            (" · ", "dim"),
        ]
        trouble = _trouble(gpu)
        return (
            *spans,
            (words.percent(gpu.utilization, 0), "value"),
            (f" · {trouble}" if trouble else "", "bad"),
            (f" · {_clock(gpu)} · {_temperature(gpu)}", ""),
        )
    powers = [g.power_w for g in found.gpus if g.power_w is not None]
    busy = [g.utilization for g in found.gpus if g.utilization is not None]
    spans = [(f" {len(found.gpus)} × {short_name(gpu).rsplit(' ', 1)[0]} ", "label")]
    if powers:
        least, most = f"{min(powers):.0f}", f"{max(powers):.0f}"
        spans += [(most if least == most else f"{least} to {most}", "value"), (" W", "label")]
    if busy:
        low = "" if min(busy) == max(busy) else f"{min(busy) * 100:.0f} to "
        spans += [(" · ", "dim"), (f"{low}{words.percent(max(busy), 0)}", "value")]
    for gpu in found.gpus:
        if trouble := _trouble(gpu):
            spans += [(" · ", "dim"), (f"GPU {gpu.gpu}: {trouble}", "bad")]
    return tuple(spans)


def host_lines(host: HostSample | None) -> Block:
    """The trainer's process and the machine, where a host sample is there."""
    if host is None:
        return []
    cpu = words.DASH if host.trainer_cpu is None else f"{host.trainer_cpu:.1f}"
    cores = "" if host.machine_cores is None else f" of {host.machine_cores} cores"
    first: list[Span] = [(" CPU ", "label"), (cpu, "value"), (cores, "label")]
    if host.resident_bytes is not None:
        first.append((f"  {words.memory(host.resident_bytes)}", ""))
    lines: Block = [tuple(first)]
    if host.read_bytes is not None or host.write_bytes is not None:
        read, write = (_rate(count, host.interval_s) for count in (host.read_bytes, host.write_bytes))
        lines.append(((" disk ", "label"), (f"read {read}  write {write}", "")))
    if host.io_pressure is not None and host.io_pressure > 0.05:
        lines.append(((" waiting for I/O ", "label"), (words.percent(host.io_pressure, 0), "warn")))
    return lines


def _rate(count: int | None, interval_s: float | None) -> str:
    if count is None or not interval_s:
        return words.DASH
    return words.si(count / interval_s, "B/s")
