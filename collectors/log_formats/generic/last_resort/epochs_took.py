"""Trainings that print nothing that counts but how long each epoch took.

2025-03-01 10:00:05,250 INFO Epoch 3 took 0:00:05.250000         Time taken for epoch 3: 5.25 s
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...base import Specificity
from ...counting.progression import Progression
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ..lone_times import lone_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import Event
    from ...parsing.values import Fields, LogLine

_EPOCH = r"(?i:(?:training )?epoch)\W{0,3}(?P<iteration>\d{1,6})(?!\d|\.\d)(?: ?(?:/|of) ?(?P<total>\d{1,6})(?!\d|\.\d))?"
_TOOK = r"(?i:took|lasted|(?:was |has |is )?(?:completed?|finished|done|ended) in|time taken)"
"""Not `Epoch 3 time: 15.5`, which may be a clock's."""
_TIME_OF = r"(?i:(?:training )?(?:time|duration)(?: taken| spent)?(?: for| of| in)?)"
_VALUE = r"[:=\[( ]{1,4}\d[\d:. ]{0,20}(?: ?[a-z]{1,7})?(?: ?\d[\d.]{0,12} ?[a-z]{1,7}){0,2}[\])]?\W{0,3}$"
_MOST_HELD = 16


class EpochsTook(LineParser):
    """Epochs, once they have counted on."""

    name = "epoch times"
    about = "lines that say how long an epoch took, and nothing else"
    unit = "epoch"
    specificity = Specificity.ALONE
    lines: ClassVar[tuple[Line, ...]] = (
        Line("", rf"^\W{{0,12}}{_EPOCH}\W{{1,3}}{_TOOK}{_VALUE}", "took_so_long"),
        Line("", rf"^\W{{0,12}}{_TIME_OF} {_EPOCH}{_VALUE}", "took_so_long"),
    )
    examples = ()  # a line of an epoch may be a row of others, which are asked first

    def __init__(self) -> None:
        super().__init__()
        self._counts = Progression()
        self._held: list[tuple[Fields, LogLine]] = []  # until it is known that they count on

    @handler(iterations=True)
    def took_so_long(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """One more."""
        took = lone_time(line.text)
        if took is None or took.epoch != fields["iteration"]:
            return []
        self._held = [*self._held[-_MOST_HELD:], (fields | {"duration_s": took.seconds}, line)]
        if self.last is None and not self._counts.see(fields["iteration"]):
            return []
        held, self._held = self._held, []
        return [event for one in held for event in self.iteration(*one)]
