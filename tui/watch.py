"""The watch screen: which panel stands where at which size. Pure: findings and a size in, lines out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..analysis import words
from .drawing.lines import (
    block,
    box,
    fit,
    hstack,
)
from .drawing.scale import TWO_BAND
from .panels.chart import (
    GUTTER,
    Grid,
    timing_chart,
    wanted_columns,
)
from .panels.evidence import Opened, evidence, title
from .panels.heads import heads
from .panels.loss import loss_chart, newest
from .panels.machine import gpu_line, gpu_panel, short_name
from .panels.marks import next_mark
from .panels.panels import (
    batch,
    batch_line,
    ledger,
    spikes,
    verdict,
    verdict_style,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..analysis.chart import ChartColumn
    from ..analysis.findings import Findings, Shift
    from ..analysis.run import Run
    from .drawing.lines import Block, Line
    from .panels.heads import Standing
    from .view import View

SMALLEST = (40, 11)
WIDE, TALL = 100, 28
"""From this size on everything has a panel; below, batch, GPU and verdict have a line each."""


def watch_screen(
    run: Run,
    found: Findings,
    standing: Standing,
    view: View,
    size: tuple[int, int],
    *,
    told: Sequence[tuple[int, str]] | None = None,
) -> Block:
    """Exactly `size` (columns, rows): all but the line of keys at the bottom.

    `told` is what the log says of the iteration under the cursor: lines with their numbers; `None` without a log.
    """
    width, height = size
    if width < SMALLEST[0] or height < SMALLEST[1]:
        return _too_small(found, size)
    top = heads(found, standing, width)
    body = height - len(top)
    opened = _opened(run, found, view, told)
    draw = _panels if _side(size) else _compact
    return [*top, *draw(run, found, view, (width, body), opened)]


def position_at(run: Run, shifts: Sequence[Shift], view: View, size: tuple[int, int], x: int) -> int | None:
    """The iteration's position that stands in cell `x` of the chart; of a column its first mark."""
    cells = size[0] - _side(size) - 2
    columns = _columns(run, view, cells)
    grid = Grid.of(len(columns), cells)
    here = [
        c for number, c in enumerate(columns) if grid.cell(number) <= x - 1 - GUTTER < grid.cell(number + 1) + 1
    ]
    if not here or x <= GUTTER:
        return None
    mark = next_mark(run, shifts, here[0].first - 1, 1)
    return mark if mark is not None and mark <= here[-1].last else here[0].first


def _side(size: tuple[int, int]) -> int:
    """The width of the panels at the right of the chart."""
    if size[0] < WIDE or size[1] < TALL:
        return 0
    return 36 if size[0] < 160 else 44


def _too_small(found: Findings, size: tuple[int, int]) -> Block:
    width, height = size
    seen = found.progress.iteration
    lines: Block = [
        ((f"needs {SMALLEST[0]}×{SMALLEST[1] + 1}, has {width}×{height + 1}", "warn"),),
        ((f"iter {words.count(seen)}  {words.duration(found.level.clean_s)}", ""),),
        ((f"ETA {words.rounded_duration(found.eta.remaining_s)}", ""),),
    ]
    return block(lines, width, height)


def _compact(run: Run, found: Findings, view: View, size: tuple[int, int], opened: Opened | None) -> Block:
    """The chart, and one line each for the rest where there is room for it."""
    width, height = size
    below: Block = []
    if height >= 14:
        below = [
            fit(batch_line(found, width), width),
            fit(gpu_line(found), width),
            fit(((" " + (found.verdict.headline or "no verdict yet"), verdict_style(found)),), width),
        ]
    if opened is not None and height >= 8:
        why = evidence(opened, width, height - 8)
        below = block(why, width, min(len(why), height - 5))
    chart = _chart_box(run, found, view, (width, height - len(below)))
    return [*chart, *below]


def _panels(run: Run, found: Findings, view: View, size: tuple[int, int], opened: Opened | None) -> Block:
    """A column of batch and GPU at the right; the chart, loss and ledger at the left; the verdict below."""
    width, height = size
    side = 36 if width < 160 else 44
    left = width - side
    foot = 5 if height < 30 else 6
    upper = height - foot
    lower_rows = 8 if upper < 30 else min(14, upper // 3)
    chart = _chart_box(run, found, view, (left, upper - lower_rows))
    lower = (
        _evidence_box(opened, (left, lower_rows))
        if opened is not None
        else _lower(run, found, view, (left, lower_rows))
    )
    batch_body = batch(found, side - 2)
    batch_rows = min(len(batch_body) + 2, upper - 6)
    gpu = found.gpus[0].gpu if found.gpus else 0
    gpu_title = (
        short_name(found.gpus[0]) if len(found.gpus) == 1 else f"{len(found.gpus)} GPUs" if found.gpus else "GPU"
    )
    right = [
        *box((("batch", "title"),), batch_body, side, batch_rows),
        *box(
            ((gpu_title, "title"),),
            gpu_panel(found, run.gpu_history(gpu), side - 2, upper - batch_rows - 2),
            side,
            upper - batch_rows,
        ),
    ]
    body = box((("verdict", "title"),), verdict(found, width - 2, foot - 2), width, foot)
    return [*hstack([*chart, *lower], right), *body]


def _opened(run: Run, found: Findings, view: View, told: Sequence[tuple[int, str]] | None) -> Opened | None:
    spike = None if view.cursor is None else run.spike(view.cursor)
    shift = next((s for s in found.level.shifts if s.position == view.cursor), None)
    return None if spike is None else Opened(spike, shift, told)


def _evidence_box(opened: Opened, size: tuple[int, int]) -> Block:
    lines = "" if opened.told is None else "l its lines  "
    hint: Line = ((f"n / next  {lines}esc close", "dim"),)
    return box(((title(opened), "title"),), evidence(opened, size[0] - 2, size[1] - 2), *size, right=hint)


def _lower(run: Run, found: Findings, view: View, size: tuple[int, int]) -> Block:
    width, rows = size
    parts = (
        [width - width // 2, width // 2]
        if width < 130
        else [width - 2 * (width * 3 // 10), width * 3 // 10, width * 3 // 10]
    )
    loss_cells = parts[0] - 2
    columns = _columns(run, view, loss_cells)
    loss = loss_chart(columns, run.validations(), loss_cells, rows - 2)
    blocks = [
        box((("loss", "title"),), loss, parts[0], rows, right=newest(found.losses, parts[0])),
        box((("where the time went", "title"),), ledger(found, parts[1] - 2, rows - 2), parts[1], rows),
    ]
    if len(parts) > 2:
        blocks.append(box((("slow iterations", "title"),), spikes(found, rows - 2), parts[2], rows))
    return hstack(*blocks)


def _columns(run: Run, view: View, width: int) -> list[ChartColumn]:
    first, last = view.window(len(run.columns))
    return run.chart(max(0, first), last, wanted_columns(width))


def _chart_box(run: Run, found: Findings, view: View, size: tuple[int, int]) -> Block:
    width, rows = size
    columns = _columns(run, view, width - 2)
    if columns and all(c.high_s is None for c in columns):
        return _without_times(run, found, columns, size)
    cursor = None
    if view.cursor is not None:
        cursor = next((i for i, c in enumerate(columns) if c.first <= view.cursor <= c.last), None)
    clean_s, shifts = found.level.clean_s, found.level.shifts
    lines = timing_chart(columns, clean_s, width - 2, rows - 2, scale=view.scale, cursor=cursor, shifts=shifts)
    head: Line = (("iteration time", "title"),)
    if view.scale != TWO_BAND:
        head = (*head, (f" · {view.scale}", "dim"))
    if view.span is not None and width >= 60:
        head = (*head, (f" · {words.plural(view.span, 'iteration')}", "dim"))
    return box(head, lines, width, rows, right=_level(found, width))


def _without_times(run: Run, found: Findings, columns: list[ChartColumn], size: tuple[int, int]) -> Block:
    """Instead of the iteration times, where there are none: the losses."""
    width, rows = size
    head: Line = (("loss", "title"), (" · no iteration times in this source", "dim"))
    chart = loss_chart(columns, run.validations(), width - 2, rows - 2)
    return box(head, chart, width, rows, right=newest(found.losses, width))


def _level(found: Findings, width: int) -> Line:
    level = found.level
    spans: list[tuple[str, str]] = [(words.duration(level.clean_s), "value")]
    if level.p95_s is not None and width >= 60:
        spans += [(" · p95 ", "label"), (words.duration(level.p95_s), "")]
    if level.jitter is not None and width >= 60:
        spans += [(" · jitter ", "label"), (words.percent(level.jitter, 1), "")]
    return tuple(spans)
