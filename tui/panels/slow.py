"""The list of slow iterations, the newest first: which, why, and how many seconds each lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ... import words
from ...events import CAUSES, LETTERS
from ...reports.evidence import strength_of
from ..drawing.lines import Line, block, box, shed
from .panel import Panel, Size

if TYPE_CHECKING:
    from ...analysis.findings import Cause, Spike
    from ..drawing.lines import Block
    from ..scene import Scene


class SlowPanel(Panel):
    """Where its neighbours leave room: the keys step through what it lists."""

    name = "slow iterations"
    smallest = Size(28, 5)
    worth = 4
    fills_what_is_left = True

    def knows(self, scene: Scene) -> bool:
        """Whether there is any."""
        return bool(scene.found.spikes)

    def is_worth_enlarging(self, scene: Scene) -> bool:
        """While there is any: an empty list needs no reason."""
        return self.knows(scene)

    def wanted(self, scene: Scene, space: Size) -> Size:
        """A row for each."""
        return Size(space.columns, min(space.rows, len(scene.found.spikes) + 2))

    def draw(self, scene: Scene, size: Size) -> Block:
        """Those about the cursor, else the newest."""
        newest_first = scene.found.spikes[::-1]
        cells = max((len(_index(spike)) for spike in newest_first), default=0)
        at = next((i for i, spike in enumerate(newest_first) if spike.position == scene.view.cursor), None)
        top = 0 if at is None else max(0, min(at - size.rows // 2, len(newest_first) - size.rows + 2))
        seen = newest_first[top : top + size.rows]  # two more than fit: the frame says that it goes on
        rows = [_row(spike, cells, size.columns - 2) for spike in seen]
        if at is not None:
            rows[at - top] = tuple((part, "cursor") for part, _ in rows[at - top])
        return box(((self.name, "title"),), block(rows, size.columns - 2, len(rows)), *size)


def _row(spike: Spike, cells: int, width: int) -> Line:
    """`1,000  EC eval+save  +61.2 s`; where there is room also how long it took, and how that is known."""
    cause = max(spike.causes, key=lambda c: c.seconds, default=None)
    cost = f"+{words.duration(spike.duration_s - spike.clean_s)}"
    parts: list[tuple[int, Line]] = [
        (0, ((f" {_index(spike):>{cells}}", "label"),)),
        *_named(cause),
        (0, ((f" {cost:>8}", "value"),)),
        (2, ((f"  of {words.duration(spike.took_s):>7}", "label"),)),
        (3, ((f"  {strength_of(cause) if cause else ''}", "dim"),)),
    ]
    return shed(parts, width)


def _index(spike: Spike) -> str:
    """`2,950`; of a source with several trainings, `t3 2,950`."""
    return f"{spike.index:,}" if spike.training is None else f"t{spike.training} {spike.index:,}"


def _named(cause: Cause | None) -> list[tuple[int, Line]]:
    """The letter of what took most of it, and its name where there is room."""
    if cause is None:
        return [(0, (("    ", ""),)), (1, ((" " * 10, ""),))]
    kind = CAUSES.get(cause.kind)
    name = (kind.short or kind.name) if kind else cause.kind
    return [
        (0, ((f" {LETTERS.get(cause.kind, ''):>2} ", cause.kind),)),
        (1, ((f"{name:<10}", cause.kind),)),
    ]
