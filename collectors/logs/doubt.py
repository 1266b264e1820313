"""A format that has to prove itself: how long it is tried in vain, and how it may come back.

Lines of prose or of a table of goods look like rows that count something. To read all of them, and to find at the
end that nothing did, takes longer than to read a real log: after some thousand lines such a format is given up. Of
what comes later the beginning of each piece is still shown to it; so a training that begins late is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import Iteration, Iterations
from ..clean import clean_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...events import Event
    from ..log_formats.base import LogFormat, Parser

PROOF_LINES = 5_000
"""Read in vain before it is given up: a model printed layer by layer and the head of a large job have fewer."""

NO_FORMAT = "no line of a known log format"

DESCRIBE_IT = "; itermon formats new NAME describes another one"
"""What a person can do where no format fits."""

PROBED_LINES = 100
"""Of each piece that comes later: more than the format looks back on."""


class Doubt:
    """How far the formats that are not proven have been read."""

    def __init__(self) -> None:
        self._left = PROOF_LINES
        self._proven = False
        self._given_up: list[tuple[LogFormat, Parser]] = []

    @property
    def reason(self) -> str:
        """Why the newest of those that were given up was; empty if none was."""
        if not self._given_up:
            return ""
        return f"{PROOF_LINES:,} lines were read as {self._given_up[-1][0].name}, and nothing in them counts on"

    def remains(self, found: LogFormat | None) -> bool:
        """Has `found` still to prove itself?"""
        return not self._proven and found is not None and found.specificity.is_unproven

    def part(self, found: LogFormat | None, data: bytes) -> tuple[bytes, bytes]:
        """What `found` may read of `data`, and what only if that proves it."""
        if not self.remains(found):
            return data, b""
        end = end_of_line(data, self._left)
        self._left -= data.count(b"\n", 0, end)
        return data[:end], data[end:]

    def proves(self, events: Iterable[Event]) -> bool:
        """Is the format proven by what it told?"""
        self._proven = self._proven or any(isinstance(event, Iteration | Iterations) for event in events)
        return self._proven

    def give_up(self, found: LogFormat) -> None:
        """`found` was tried for long enough."""
        self._given_up.append((found, found.parser()))
        self._left = PROOF_LINES

    def comes_back(self, data: bytes) -> LogFormat | None:
        """The format that was given up, and tells something of the beginning of `data`."""
        if self._proven or not self._given_up:
            return None
        lines = [*clean_lines(data[: end_of_line(data, PROBED_LINES)])]
        for found, parser in self._given_up:
            if any(self.proves(parser.line(line, None)) for line in lines):
                return found
        return None


def end_of_line(data: bytes, number: int) -> int:
    """Where line `number` of `data` ends."""
    if data.count(b"\n") < number:
        return len(data)
    end = 0
    for _ in range(number):
        end = data.find(b"\n", end) + 1
    return end
