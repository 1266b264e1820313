"""The GPUs and the host: a panel, a row per GPU where there are many, or one line of all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ...analysis.chart_curves import GPU_POWER, MACHINE
from ...analysis.ratios import ratio
from ...events import NORMAL_LIMITS
from ..drawing.braille import Dots
from ..drawing.lines import bar, box, fit, shed, sparkline, wrap
from . import gpu_values as values
from .host import host_lines
from .panel import Panel, Size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.findings import Findings
    from ...events import GpuSample
    from ..drawing.lines import Block, Line, Span
    from ..scene import Scene

_POWER_ROWS = 7
"""Of the chart of the power, with the lines above it."""

_LEAST_HISTORY = 8
"""Samples: fewer make no chart."""

NO_GPU = "no figures in this log or recording"


class GpuPanel(Panel):
    """GPUs and host; as a line the GPUs alone."""

    name = "GPU"
    smallest = Size(28, 3)
    worth = 6

    def knows(self, scene: Scene) -> bool:
        """Whether there is a GPU or a host to show."""
        return bool(scene.found.gpus) or scene.found.machine is not None

    def wanted(self, scene: Scene, space: Size) -> Size:
        """Its rows, and some for a chart of the power."""
        rows = len(gpu_panel(scene.found, (), space.columns - 2, space.rows))
        chart = _POWER_ROWS if len(_newest(scene)) >= _LEAST_HISTORY else 0
        return Size(space.columns, rows + chart + 2)

    def draw(self, scene: Scene, size: Size) -> Block:
        """One GPU in full, or a row for each of several."""
        gpus = scene.found.gpus
        body = gpu_panel(scene.found, _newest(scene), size.columns - 2, size.rows - 2)
        return box(((_title(gpus), "title"),), body, *size)

    def line(self, scene: Scene, columns: int) -> Line:
        """Power, memory and utilisation."""
        return gpu_line(scene.found, columns)


def _newest(scene: Scene) -> Sequence[GpuSample]:
    """The samples whose power is drawn here: none where it has a lane over the iterations."""
    gpus = scene.found.gpus
    return scene.gpu_history(gpus[0].gpu) if gpus and MACHINE[GPU_POWER] not in scene.chosen_curves else ()


def _title(gpus: Sequence[GpuSample]) -> str:
    if not gpus:
        return GpuPanel.name
    return values.short_name(gpus[0]) if len(gpus) == 1 else words.plural(len(gpus), "GPU")


def gpu_panel(found: Findings, history: Sequence[GpuSample], width: int, rows: int) -> Block:
    """One GPU in full; several as a row each; none as the reason. What is too much for `rows` the box marks."""
    host = host_lines(found.machine, width)
    if not found.gpus:
        return [*(((" ", ""), *line) for line in wrap(no_gpu(found), width - 2, "dim")), *host]
    several = len(found.gpus) > 1
    lines = [_row(gpu, width) for gpu in found.gpus] if several else _one(found.gpus[0], history, width)
    return [*lines, *host, *power_chart(history, width, rows - len(lines) - len(host))]


def power_chart(history: Sequence[GpuSample], width: int, rows: int) -> Block:
    """The power of the last minutes, a dot column a sample, between 0 and the limit; where there is room."""
    cells = width - 3
    newest = history[-2 * cells :]
    powers = [s.power_w for s in newest]
    top = max([p for p in powers if p is not None] + [newest[-1].power_limit_w or 0.0]) if newest else 0.0
    if rows < 4 or top <= 0 or len(newest) < _LEAST_HISTORY:
        return []
    dots = Dots(cells, rows - 2)
    for x, power in enumerate(powers):
        if power is not None:
            dots.column(x, 0, round(power / top * (4 * (rows - 2) - 1)), "accent")
    which = "" if newest[-1].gpu == 0 else f" of GPU {newest[-1].gpu}"
    title = (f" power{which}, last {words.rounded_duration(newest[-1].at_s - newest[0].at_s)}", "label")
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
    limit_w = gpu.power_limit_w or _most_power(history)
    powers: Line = bar(ratio(gpu.power_w, limit_w), room, "accent")
    if history:
        powers = ((sparkline([s.power_w for s in history], room, limit_w), "accent"),)
    return [
        (*fit(((" power  ", "label"), *watts), 8 + first), *powers),
        (*fit(((" memory ", "label"), *used), 8 + first), *bar(values.memory_share(gpu), room, "accent")),
        (
            (" util ", "label"),
            (words.percent(gpu.utilization, 0), "value"),
            (f"  {values.clock(gpu)}  {values.temperature(gpu)}", ""),
        ),
        *([activity] if (activity := _activity(gpu)) else []),
        *([limits] if (limits := _limits(gpu)) else []),
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
        return ((" limited by ", "label"), (words.DASH, "dim"), (f" {reason}", "dim")) if reason else ()
    limits = ", ".join(gpu.limits) or "nothing"
    normal = not gpu.limits or NORMAL_LIMITS.issuperset(gpu.limits)
    return (
        (" limited by ", "label"),
        (limits, "" if normal else "bad"),
        (" (normal)" if normal and "power cap" in limits else "", "dim"),
    )


def _row(gpu: GpuSample, width: int) -> Line:
    """Thirty cells: number, power, memory, utilisation, temperature; what is wrong takes the place of the last."""
    number = f" {gpu.gpu:>{2 if width >= 32 else 1}}" if gpu.mig is None else f" {gpu.gpu}.{gpu.mig}"
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


def gpu_line(found: Findings, columns: int) -> Line:
    """All GPUs in one line: the one, or the range over many."""
    if not found.gpus:
        return ((" GPU ", "label"), (f"– {no_gpu(found)}", "dim"))
    return _line_of_one(found.gpus[0], columns) if len(found.gpus) == 1 else _line_of_many(found.gpus)


def _line_of_one(gpu: GpuSample, columns: int) -> Line:
    name = (f" {values.short_name(gpu)} ", "label")
    if gpu.lost:
        return (name, (f"no answer: {gpu.lost}", "bad"))
    trouble = values.trouble_of(gpu)
    parts: list[tuple[int, Line]] = [
        (2, (name,)),
        (0, (*values.power(gpu),)),
        (1, ((" · ", "dim"), *values.memory(gpu))),
        (0, ((" · ", "dim"), (words.percent(gpu.utilization, 0), "value"))),
        (0, ((f" · {trouble}" if trouble else "", "bad"),)),
        (4, ((f" · {values.clock(gpu)}", ""),)),
        (3, ((f" · {values.temperature(gpu)}", ""),)),
    ]
    return shed(parts, columns)


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
