"""Stops that a format reads of lines a day or more behind the newest row, by their stamps.

    [2019-11-07 19:06:59,703 INFO] Step 42150/100000; ...
    [2019-11-24 17:32:31,313 INFO] Validation perplexity: 1.369
    [2019-11-24 17:32:31,313 INFO] Saving checkpoint another_step_100000.pt

No last evaluation takes so long: somebody added lines of another training, or another program wrote to the same log. They wait for a
row behind them, which shows that this training has gone on; where none comes they are nothing of it. A line that names a later
iteration than the newest row's shows it itself: rows are missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....events import Iteration, Iterations, Launch, RunInfo, SpanBegin, SpanEnd
from .moments import LONGEST_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event

MOST = 64
"""So many are kept: more, without a row, are of something else."""


class FarBehind:
    """Keeps what was read there until the next row."""

    def __init__(self) -> None:
        self._row_s: float | None = None  # the stamp of the newest row of this process
        self._index = 0  # ... and its iteration
        self._kept: list[Event] = []

    def process_begins(self) -> None:
        """What comes from here on may be its first evaluation."""
        self._row_s = None

    def left(self, found: Sequence[Event], arrived_s: float | None) -> Sequence[Event]:
        """`found` without those that wait, behind what waited where it shows that the training goes on."""
        if not self._kept and not any(map(self._is_far, found)):
            self._see(found, arrived_s)
            return found
        events: list[Event] = []
        for event in found:
            if self._is_far(event):
                self._kept = [*self._kept[1 - MOST :], event]
                continue
            if isinstance(event, Iteration | Iterations | RunInfo | Launch):
                events += self._kept
                self._kept = []
            events.append(event)
            self._see((event,), arrived_s)
        return events

    def _see(self, found: Sequence[Event], arrived_s: float | None) -> None:
        for event in found:
            if isinstance(event, Iteration):
                self._row_s, self._index = None if event.at_s == arrived_s else event.at_s, event.index
            elif isinstance(event, RunInfo | Launch | Iterations):
                self._row_s = None

    def _is_far(self, event: Event) -> bool:
        if self._row_s is None or not isinstance(event, SpanBegin | SpanEnd) or event.at_s is None:
            return False
        if event.iteration is not None and event.iteration > self._index + 1:
            return False
        lasted_s = (event.duration_s or 0.0) if isinstance(event, SpanEnd) else 0.0
        return event.at_s - lasted_s - self._row_s > LONGEST_S
