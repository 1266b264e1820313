"""All that is read of lines besides what their format reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....events import Iteration
from ..announced_stops import AnnouncedStops
from ..parsing.stamps import Calendar
from ..stops.far_behind import FarBehind
from ..stops.framed import FramedStops
from ..stops.told_stops import ToldStops
from .printed_totals import PrintedTotals
from .signs_of_life import SignsOfLife

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event
    from ..base import Parser


class BetweenRows:
    """Hears each line after its format."""

    def __init__(self) -> None:
        self._calendar = Calendar()
        self._begun = False
        self.is_over = False
        """What comes until the next row may well be another process's, which evaluates what this one has trained."""

        self.opens = False
        """Does another process begin with the line that comes now?"""

        self._stamped = False  # have the rows a clock of their own?
        self._announced = AnnouncedStops()
        self._life = SignsOfLife()
        self._told, self._framed, self._far = ToldStops(), FramedStops(), FarBehind()
        self._waits = False  # does all that the format has read of the newest line lie far behind the newest row?
        self._totals = PrintedTotals()
        self._quiet = True  # rows alone have come since the newest that was looked at
        self._newest: tuple[Sequence[Event], float | None] | None = None  # of these: the last, and its arrival
        self._signs: list[Event] = []  # written behind a row that its format still holds back

    def before(self, found: Sequence[Event], at_s: float | None) -> list[Event]:
        """What was told before the iterations in `found`, of a line that arrived `at_s`."""
        if self._quiet and len(found) == 1 and type(found[0]) is Iteration:
            self._newest = found, at_s  # with nothing told before it: looked at when a line follows that is no row
            return []
        newest = [] if self._newest is None else self._look(*self._newest)
        return [*newest, *self._framed.before(found), *self._look(found, at_s)]

    def placed(self, found: Sequence[Event], at_s: float | None) -> Sequence[Event]:
        """`found` with the moments of what lies between two stamps, without what lies far behind the newest row."""
        if self.opens:
            self._far.process_begins()
        left = self._far.left(self._framed.placed(found), at_s)
        self._waits = not left
        return left

    def _look(self, found: Sequence[Event], at_s: float | None) -> list[Event]:
        self._newest = None
        row = next((event for event in reversed(found) if isinstance(event, Iteration)), None)
        if row is not None:
            self._begun, self._quiet, self._stamped = True, True, row.at_s not in (None, at_s)
            self._life.row(row.at_s)
        return [*self._told.before(found, at_s), *self._totals.before(found)]

    def handed_on(self, held: Sequence[Event]) -> Sequence[Event]:
        """What the format had held back: it may tell itself what is collected here."""
        self._totals.see(held)
        self._told.see(held)
        return [*self._far.left(held, None), *self._behind_the_row()]

    def end(self) -> list[Event]:
        """What was told before the log was over."""
        if self._newest is not None:
            self._look(*self._newest)
        return [*self._told.end(), *self._totals.end()]

    def events(self, text: str, found: Sequence[Event], at_s: float | None, parser: Parser) -> list[Event]:
        """What the line `text` says besides, of which its `parser` read `found`."""
        waits, self._waits = self._waits, False
        if waits or getattr(parser, "kept", False):
            return []  # the format has read it, and tells of it behind the row that waits, or the one to come
        announced = self._announced.events(text, found, at_s)
        if found:
            self._totals.other()
            self._told.row_says(text)
            return [*self._behind_the_row(), *announced]
        if self.is_over:
            return []
        if self._newest is not None:
            self._look(*self._newest)
        if not self._begun:
            self._told.early(text)
            self._totals.early(text, at_s)
            return announced
        self._quiet = False
        stamped_s = self.stamp(text, parser)
        if self.opens:
            self._told.process_ends()
            self._far.process_begins()
        if not _waits(parser, text):
            self._told.described = _is_described(parser)
            self._told.hear(text, stamped_s)
            if not self._stamped:
                self._framed.hear(text, getattr(parser, "calendar", self._calendar).stamp)
        self._totals.hear(text, at_s)
        self._signs += self._life.sign(text, stamped_s if self._stamped else at_s)
        return announced if getattr(parser, "holds", False) else [*self._behind_the_row(), *announced]

    def stamp(self, text: str, parser: Parser) -> float | None:
        """When a line was written, by its stamp, where those of rows are known by theirs; or by one that stood alone before it."""
        if not self._stamped:
            return None
        at_s: float | None = getattr(parser, "calendar", self._calendar).stamp(text)  # it knows months from days
        return getattr(parser, "stamped_before", None) if at_s is None else at_s

    def _behind_the_row(self) -> list[Event]:
        """Signs of life that waited for the row before them: a silence is counted from the newest row."""
        signs, self._signs = self._signs, []
        return signs


def _waits(parser: Parser, text: str) -> bool:
    """Is the line a row that may be another training's first? What it says of an evaluation is that row's."""
    return any(one.line.text == text for one in getattr(parser, "waiting", ())[-1:])


def _is_described(parser: Parser) -> bool:
    """Has somebody described the format that it reads?"""
    specificity = getattr(parser, "specificity", None)
    return specificity is not None and specificity.is_described
