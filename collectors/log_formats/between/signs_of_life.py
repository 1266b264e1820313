"""Lines that are no rows, and yet show that their writer lives: a silence is a time without any line.

2025-03-01 10:00:00 INFO Epoch 1 - Loss: 1.25
2025-03-01 10:00:07 INFO scoring document 12 of 4,000
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from ....events import Alive, Iteration
from ...patterns import lazy_pattern
from ..parsing.stamps import Calendar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event

EVERY_S = 5.0
"""A sign is told this long after the one before, or after a row: the shortest silence is six times as long."""

_OF_A_WATCHER = lazy_pattern(
    r"(?i)watchdog|heart ?beat|timed? ?-?out|ProcessGroup|\bNCCL|TCPStore|still (?:waiting|running)"
)
"""Who watches a training that hangs writes lines, too."""


class SignsOfLife:
    """Knows when the log was written to last. Lines have a time where the rows have stamps, or when they arrive."""

    def __init__(self) -> None:
        self.calendar = Calendar()
        self._newest_s = -inf
        self._begun = False
        self._stamped = False  # do the rows have stamps?

    def events(self, text: str, found: Sequence[Event], at_s: float | None) -> list[Event]:
        """A sign, where the line `text`, of which the format read `found`, is one that is due."""
        if found:
            row = next((event for event in reversed(found) if isinstance(event, Iteration)), None)
            if row is not None:
                self._begun, self._stamped = True, row.at_s not in (None, at_s)
                self._newest_s = -inf if row.at_s is None else row.at_s
            return []
        written_s = self._written_s(text, at_s) if self._begun else None
        if written_s is None or written_s < self._newest_s + EVERY_S or _OF_A_WATCHER.search(text):
            return []
        self._newest_s = written_s
        return [Alive(written_s)]

    def _written_s(self, text: str, at_s: float | None) -> float | None:
        return self.calendar.stamp(text) if self._stamped else at_s
