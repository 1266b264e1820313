"""What a trainer printed of iterations that its hooks measured: it comes later, or a little too early."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from ...events import PrintedLoss
    from .columns import Columns
    from .pyramid import Pyramid
    from .scalars import Scalars
    from .spans import Spans

_MOST_WAITING = 4096


class PrintedLosses:
    """Joins printed losses to their iterations. One of an iteration that has not come yet waits for it."""

    def __init__(self, columns: Columns, pyramid: Pyramid, scalars: Scalars, spans: Spans) -> None:
        self._columns = columns
        self._pyramid = pyramid
        self._scalars, self._spans = scalars, spans
        self._waiting: dict[int, PrintedLoss] = {}

    def add(self, event: PrintedLoss, start: int) -> None:
        """Take in `event`, of the process that began at position `start`."""
        self._scalars.thin(event.thinned)
        place = bisect_left(self._columns.index, event.iteration, start)
        if place == len(self._columns):
            if len(self._waiting) < _MOST_WAITING:
                self._waiting[event.iteration] = _together(self._waiting.get(event.iteration), event)
        elif self._columns.index[place] == event.iteration:
            if event.evaluation_s is not None:
                self._spans.correct(event.iteration, event.evaluation_s)
            if self._columns.set_loss(place, event):
                self._pyramid.relearn(place)
            if event.scalars:
                self._scalars.add(event.scalars, place)

    def join(self, start: int) -> None:
        """More iterations came, of the process that began at position `start`."""
        if self._waiting:
            waiting, self._waiting = self._waiting, {}
            for event in waiting.values():
                self.add(event, start)


def _together(before: PrintedLoss | None, event: PrintedLoss) -> PrintedLoss:
    """Two lines of one iteration: the newer one may say something else of it, and no loss."""
    if before is None or event.loss is not None or event.bad_loss:
        return event
    return replace(before, scalars=(before.scalars or {}) | (event.scalars or {}))
