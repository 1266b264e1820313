"""The first records of a run, held back until they tell how all of them are to be read."""

from __future__ import annotations

from .records import Exited, Printed, Row, Said

ROWS, PORTIONS, CHARACTERS, RECORDS = 64, 600, 1 << 20, 10_000
"""So many rows, portions of what was printed, characters in these, or records of any kind are enough."""


class FirstRecords:
    """Collects them: `add` says when there are enough."""

    def __init__(self) -> None:
        self.said: list[Said] = []
        self.rows: list[Row] = []
        self.printed: list[Printed] = []
        self._characters = 0

    def add(self, said: Said) -> bool:
        """Take one in. True: how they are to be read is as clear as it will be."""
        self.said.append(said)
        if isinstance(said, Row):
            self.rows.append(said)
        elif isinstance(said, Printed):
            self.printed.append(said)
            self._characters += len(said.text)
        return (
            isinstance(said, Exited)
            or len(self.rows) >= ROWS
            or len(self.printed) >= PORTIONS
            or self._characters >= CHARACTERS
            or len(self.said) >= RECORDS
        )
