"""When each line of a log may have been written: by its own stamps, else by the times that it prints."""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from math import inf
from statistics import median
from typing import TYPE_CHECKING

from itermon.collectors.clean import clean_lines
from itermon.collectors.log_formats.frameworks.pretraining.fairseq import Fairseq
from itermon.collectors.log_formats.parsing.stamps import stamp
from itermon.collectors.log_formats.recognition import recognise
from itermon.collectors.logs.samples import middle, sample
from itermon.events import Iteration, SpanEnd

if TYPE_CHECKING:
    from collections.abc import Sequence

    from itermon.collectors.log_formats.base import Parser
    from itermon.events import Event

BEGIN_S = 1_714_557_600.0  # 2024-05-01, 10:00:00 UTC
LINE_S = 0.001  # between two lines that say nothing of time
ITERATION_S = 0.4  # of an iteration whose time is not printed


@lru_cache(1)
def moments(data: bytes) -> list[float]:
    """Unix time of each line: never falling, where its stamps do not.

    A line without a stamp, in a log that has some, comes as much later as it says, but not after the next stamp.
    """
    log_format = recognise([*sample(data), *middle(data)]).format
    clock = _Clock(log_format.parser() if log_format else None)
    told = [clock.line(line) for line in data.removesuffix(b"\n").split(b"\n")]
    limits: list[float] = []
    limit_s = inf
    for own, _ in reversed(told):
        limit_s = limit_s if own is None else own
        limits.append(limit_s)
    at_s, at = BEGIN_S, []
    for (own, passed_s), limit_s in zip(told, reversed(limits), strict=True):
        at_s = own if own is not None else at_s + passed_s if at_s + passed_s <= limit_s else max(at_s, limit_s)
        at.append(at_s)
    return at


class _Clock:
    """Goes on as the lines say."""

    def __init__(self, parser: Parser | None) -> None:
        self._parser = parser
        self._elapsed_s = 0.0
        self._index: int | None = None
        self._newest: deque[float] = deque(maxlen=15)

    def line(self, line: bytes) -> tuple[float | None, float]:
        """The line's stamp, if it has one, and the seconds that it says have passed."""
        own: float | None = None
        passed_s = LINE_S
        for text in clean_lines(line):
            own = stamp(text) or own
            if self._parser:
                passed_s += self._passed(self._parser.line(text, None)) + self._behind_rows()
        return own, passed_s

    def _behind_rows(self) -> float:
        """What an epoch's end tells of that no row has: fairseq's updates behind its newest line."""
        over = self._parser._over if isinstance(self._parser, Fairseq) else None
        if over is None or self._index is None or over[0] <= self._index:
            return 0.0
        steps, self._index = over[0] - self._index, int(over[0])
        return steps * (median(self._newest) if self._newest else ITERATION_S)

    def _passed(self, events: Sequence[Event]) -> float:
        return sum(self._of_event(event) for event in events)

    def _of_event(self, event: Event) -> float:
        if isinstance(event, SpanEnd):
            return event.duration_s or 0.0
        if not isinstance(event, Iteration):
            return 0.0
        steps = event.averaged_over
        if self._index is not None and event.index > self._index:
            steps = event.index - self._index
        self._index = event.index
        before, self._elapsed_s = self._elapsed_s, event.elapsed_s or 0.0
        moved_s, spent_s = self._elapsed_s - before, (event.duration_s or 0.0) * event.averaged_over
        if moved_s > 0 and 2 * moved_s >= spent_s:  # else another bar's clock
            return moved_s
        seconds = ITERATION_S if event.duration_s is None else event.duration_s
        if event.duration_s is not None:
            self._newest.append(seconds)
        usual_s = median(self._newest) if self._newest else ITERATION_S
        mean_over = event.averaged_over  # what is not in it was never printed, and took what is usual
        return mean_over * seconds + max(0, steps - mean_over) * usual_s
