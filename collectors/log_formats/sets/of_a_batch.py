"""What one batch of an evaluation shows is no result of it.

    Val [1/10] loss = 2.13
    Val [2/10] loss = 0.59
Line behind line they count a pass through a set. `Val [3/50] loss = 0.75`, once in each epoch, counts the epochs.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ....events import EVALUATION, PrintedLoss, SpanEnd
from ...patterns import lazy_pattern
from ..means.means_so_far import may_be_means
from ..parsing.grammar import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ....events import Event

_PLACE = lazy_pattern(
    r"(?i)(?:\w{0,12}:){0,3}[^a-z\d]{0,12}(?:val(?:id(?:ation|ating)?)?|test(?:ing)?|eval(?:uation|uating)?|dev)"
    r"(?: (?:epoch|set|batch|step|iter(?:ation)?|loss))?\W{1,12}(?:\d{1,6}\W{1,4})?(\d{1,7}) ?(?:/|of) ?(\d{1,7})\b"
)
_LONGEST = 300


class OfABatch:
    """Whether the lines of an evaluation that count something count its batches, and what is left of them then."""

    def __init__(self) -> None:
        self._passes = False  # do such lines follow one another?
        self._of_one = False  # are their losses no means of all batches so far?
        self._before: tuple[float, float] | None = None  # the newest line's place and loss, of the pass at hand
        self._newest: tuple[int, int] | None = None  # that of the line before, if it has one

    def look_ahead(self, lines: Iterable[str]) -> None:
        """Do lines that come first count batches? Before any is told."""
        places = (place_in(text) for text in lines)
        self._passes = any(one and other and _goes_on(one, other) for one, other in pairwise(places))

    def of(self, found: Sequence[Event], text: str) -> Sequence[Event]:
        """The events of a line, without a loss that is of one batch, or of some of them."""
        if not text or text.isspace():
            return found
        before, self._newest = self._newest, place_in(text)
        if self._newest is None:
            self._before = None
            return found
        self._passes = self._passes or (before is not None and _goes_on(before, self._newest))
        if not self._passes:
            return found
        return [self._without(event, *self._newest) for event in found]

    def _without(self, event: Event, place: int, last: int) -> Event:
        if isinstance(event, PrintedLoss):
            loss = event.validation_loss
        else:
            loss = (
                event.values.get("val_loss") if isinstance(event, SpanEnd) and event.kind == EVALUATION else None
            )
        if loss is None:
            return event
        before, self._before = self._before, (float(place), loss)
        if before is not None and place > before[0]:
            self._of_one = self._of_one or not may_be_means(before, self._before)
        if place >= last and not self._of_one:
            return event
        return (
            replace(event, validation_loss=None) if isinstance(event, PrintedLoss) else replace(event, values={})
        )


def place_in(text: str) -> tuple[int, int] | None:
    """Which of how many an evaluation's line says that it is."""
    if "/" not in text and " of " not in text:
        return None
    found = _PLACE.match(PREFIX.sub("", text[:_LONGEST], count=1))
    place, last = (int(found[1]), int(found[2])) if found is not None else (0, 0)
    return (place, last) if last > 0 and place <= last else None


def _goes_on(before: tuple[int, int], now: tuple[int, int]) -> bool:
    return before[1] == now[1] and before[0] < now[0]
