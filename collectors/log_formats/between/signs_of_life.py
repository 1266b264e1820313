"""Lines that are no rows, and yet show that their writer lives: a silence is a time without any line.

2025-03-01 10:00:00 INFO Epoch 1 - Loss: 1.25
2025-03-01 10:00:07 INFO scoring document 12 of 4,000
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from ....events import Alive
from ...patterns import lazy_pattern

if TYPE_CHECKING:
    from ....events import Event

EVERY_S = 5.0
"""A sign is told this long after the one before, or after a row: the shortest silence is six times as long."""

_OF_A_WATCHER = lazy_pattern(
    r"(?i)watchdog|heart ?beat|timed? ?-?out|ProcessGroup|\bNCCL|TCPStore|still (?:waiting|running)"
)
"""Who watches a training that hangs writes lines, too."""


class SignsOfLife:
    """Knows when the log was written to last."""

    def __init__(self) -> None:
        self._newest_s = -inf

    def row(self, at_s: float | None) -> None:
        """A row came, at its time."""
        self._newest_s = -inf if at_s is None else at_s

    def sign(self, text: str, written_s: float | None) -> list[Event]:
        """One, where it is due: of a line that is no row, by its stamp where rows have stamps, else by its arrival."""
        if written_s is None or written_s < self._newest_s + EVERY_S or _OF_A_WATCHER.search(text):
            return []
        self._newest_s = written_s
        return [Alive(written_s)]
