"""All that is read of lines besides what their format reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..announced_stops import AnnouncedStops
from .printed_totals import PrintedTotals
from .signs_of_life import SignsOfLife
from .told_stops import ToldStops

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event
    from ..base import Parser


class BetweenRows:
    """Hears each line after its format."""

    def __init__(self) -> None:
        self._announced = AnnouncedStops()
        self._life = SignsOfLife()
        self._told = ToldStops()
        self._totals = PrintedTotals()

    def before(self, found: Sequence[Event], at_s: float | None) -> list[Event]:
        """What was told before the iterations in `found`, of a line that arrived `at_s`."""
        return [*self._told.before(found, at_s), *self._totals.before(found)]

    def end(self) -> list[Event]:
        """What was told before the log was over."""
        return [*self._told.end(), *self._totals.end()]

    def events(self, text: str, found: Sequence[Event], at_s: float | None, parser: Parser) -> list[Event]:
        """What the line `text` says besides, of which its `parser` read `found`."""
        self._life.calendar = getattr(parser, "calendar", self._life.calendar)  # it knows months from days
        if not found:
            self._told.hear(text, self._life.calendar)
            self._totals.hear(text, at_s)
        return [*self._life.events(text, found, at_s), *self._announced.events(text, found, at_s)]
