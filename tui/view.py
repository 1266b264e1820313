"""Where the reader looks: which iterations, on which scale, the cursor on which. Keys make new views."""

from __future__ import annotations

import msgspec

from ..reports.scale import SCALES, TWO_BAND

FEWEST = 16
"""Zooming in ends here: fewer iterations say nothing about a level."""


class View(msgspec.Struct, frozen=True):
    """A window over the positions of a run. `span` None is the whole run; `last` None follows the newest."""

    span: int | None = None
    last: int | None = None
    scale: str = TWO_BAND
    cursor: int | None = None  # a position
    curves: tuple[str, ...] | None = None  # that have a lane; `None`: nothing was chosen
    enlarged: str = ""  # the name of the panel or the lane that has the screen to itself

    def window(self, total: int) -> tuple[int, int]:
        """First and last position to show of `total`. A window that follows moves in eighths of itself.

        So that it stands still most of the time: a chart that scrolls with every iteration repaints every cell.
        """
        if self.span is None or self.span >= total:
            return 0, total - 1
        if self.last is not None:
            last = min(max(self.last, self.span - 1), total - 1)
            return last - self.span + 1, last
        stride = max(1, self.span // 8)
        first = -(-(total - self.span) // stride) * stride
        return first, total - 1

    def zoomed(self, factor: float, total: int) -> View:
        """Fewer (`factor` < 1) or more iterations, about the cursor, else towards the newest."""
        first, last = self.window(total)
        span = max(FEWEST, round((self.span or total) * factor))
        if span >= total:
            return msgspec.structs.replace(self, span=None, last=None)
        end = self.last
        if self.cursor is not None:
            share = (self.cursor - first) / max(1, last - first)
            end = round(self.cursor + (1 - share) * (span - 1))
        if end is not None and end >= total - 1:
            end = None
        return msgspec.structs.replace(self, span=span, last=end)

    def panned(self, direction: int, total: int) -> View:
        """A quarter of the window to the left (-1) or right (+1); at the newest it follows again."""
        if self.span is None or self.span >= total:
            return self
        _, last = self.window(total)
        moved = last + direction * max(1, self.span // 4)
        return msgspec.structs.replace(self, last=None if moved >= total - 1 else max(moved, self.span - 1))

    def oldest(self, total: int) -> View:
        """The window at the oldest iterations."""
        if self.span is None or self.span >= total:
            return self
        return msgspec.structs.replace(self, last=self.span - 1)

    def newest(self) -> View:
        """The window at the newest, which it follows; no cursor."""
        return msgspec.structs.replace(self, last=None, cursor=None)

    def with_cursor(self, position: int | None, total: int) -> View:
        """The cursor on `position`, and the window moved so that it is seen."""
        view = msgspec.structs.replace(self, cursor=position)
        first, last = self.window(total)
        if position is None or first <= position <= last or self.span is None:
            return view
        end = min(total - 1, max(self.span - 1, position + self.span // 2))
        return msgspec.structs.replace(view, last=end)

    def with_enlarged(self, name: str) -> View:
        """The lane or panel of that name by itself; everything where it is empty."""
        return msgspec.structs.replace(self, enlarged=name)

    def with_next_scale(self) -> View:
        """The next of the scales."""
        return msgspec.structs.replace(self, scale=SCALES[(SCALES.index(self.scale) + 1) % len(SCALES)])
