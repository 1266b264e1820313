"""The GPUs and the host: a panel, a row per GPU where there are many, or one line of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ...events import NORMAL_LIMITS
from ..drawing.braille import Dots
from ..drawing.lines import bar, box, fit, sparkline, wrap
from . import gpu_values as values
from .host import host_lines
from .panel import Panel, Size, side_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.findings import Findings
    from ...events import GpuSample
    from ..drawing.lines import Block, Line, Span
    from ..scene import Scene

NO_GPU = "no GPU samples in this source"


class GpuPanel(Panel):
    """GPUs and host; as a line the GPUs alone."""

    name = "GPU"
    smallest = Size(36, 6)
    worth = 6

    def wanted(self, scene: Scene, space: Size) -> Size:  # noqa: ARG002 - a panel's signature
        """All rows at the side of the chart: power has a chart of its own where there is room."""
        return Size(side_columns(space), space.rows)

    def draw(self, scene: Scene, size: Size) -> Block:
        """One GPU in full, or a row for each of several."""
        gpus = scene.found.gpus
        history = scene.gpu_history(gpus[0].gpu if gpus else 0)
        body = gpu_panel(scene.found, history, size.columns - 2, size.rows - 2)
        return box(((_title(gpus), "title"),), body, *size)

    def line(self, scene: Scene, columns: int) -> Line:  # noqa: ARG002 - a panel's signature
        """Power, memory and utilisation."""
        return gpu_line(scene.found)


def _title(gpus: Sequence[GpuSample]) -> str:
    if not gpus:
        return GpuPanel.name
    return values.short_name(gpus[0]) if len(gpus) == 1 else words.plural(len(gpus), "GPU")


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
    watts, used = values.power(gpu), values.memory(gpu)
    first = max(sum(len(part) for part, _ in value) for value in (watts, used)) + 1
    room = max(4, width - 10 - first)
    powers = sparkline([s.power_w for s in history], room, gpu.power_limit_w or _most_power(history))
    return [
        (*fit(((" power  ", "label"), *watts), 8 + first), (powers, "accent")),
        (*fit(((" memory ", "label"), *used), 8 + first), *bar(values.memory_share(gpu), room, "accent")),
        (
            (" util ", "label"),
            (words.percent(gpu.utilization, 0), "value"),
            (f"  {values.clock(gpu)}  {values.temperature(gpu)}", ""),
        ),
        _activity(gpu),
        _limits(gpu),
    ]


def _most_power(history: Sequence[GpuSample]) -> float:
    return max((s.power_w for s in history if s.power_w is not None), default=0.0)


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
    if trouble := values.trouble_of(gpu):
        power = "" if gpu.lost else f" {values.watts(gpu):>5}"
        return ((number, "label"), (power, "value"), (f" {trouble}", "bad"))
    return (
        (number, "label"),
        (f" {values.watts(gpu):>5}", "value"),
        (" mem", "label"),
        (f"{words.percent(values.memory_share(gpu), 0):>6}", "value"),
        (f"{words.percent(gpu.utilization, 0):>6}", "value"),
        (f"{values.temperature(gpu):>6}", ""),
    )


def gpu_line(found: Findings) -> Line:
    """All GPUs in one line: the one, or the range over many."""
    if not found.gpus:
        return ((" GPU ", "label"), (no_gpu(found), "dim"))
    return _line_of_one(found.gpus[0]) if len(found.gpus) == 1 else _line_of_many(found.gpus)


def _line_of_one(gpu: GpuSample) -> Line:
    name = (f" {values.short_name(gpu)} ", "label")
    if gpu.lost:
        return (name, (f"no answer: {gpu.lost}", "bad"))
    trouble = values.trouble_of(gpu)
    return (
        name,
        *values.power(gpu),
        (" · ", "dim"),
        *values.memory(gpu),
        (" · ", "dim"),
        (words.percent(gpu.utilization, 0), "value"),
        (f" · {trouble}" if trouble else "", "bad"),
        (f" · {values.clock(gpu)} · {values.temperature(gpu)}", ""),
    )


def _line_of_many(gpus: Sequence[GpuSample]) -> Line:
    powers = [g.power_w for g in gpus if g.power_w is not None]
    busy = [g.utilization for g in gpus if g.utilization is not None]
    spans: list[Span] = [(f" {len(gpus)} × {values.short_name(gpus[0]).rsplit(' ', 1)[0]} ", "label")]
    if powers:
        least, most = words.count(min(powers)), words.count(max(powers))
        spans += [(most if least == most else f"{least} to {most}", "value"), (" W", "label")]
    if busy:
        low = "" if min(busy) == max(busy) else f"{min(busy) * 100:.0f} to "
        spans += [(" · ", "dim"), (f"{low}{words.percent(max(busy), 0)}", "value")]
    for gpu in gpus:
        if trouble := values.trouble_of(gpu):
            spans += [(" · ", "dim"), (f"GPU {gpu.gpu}: {trouble}", "bad")]
    return tuple(spans)
