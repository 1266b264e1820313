"""All that is read of lines besides what their format reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..announced_stops import AnnouncedStops
from .signs_of_life import SignsOfLife

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event


class BetweenRows:
    """Hears each line after its format."""

    def __init__(self) -> None:
        self._announced = AnnouncedStops()
        self._life = SignsOfLife()

    def events(self, text: str, found: Sequence[Event], at_s: float | None) -> list[Event]:
        """What the line `text` says besides, of which the format read `found`."""
        return [*self._life.events(text, found, at_s), *self._announced.events(text, found, at_s)]
