"""What a campaign counts, and how the counts are printed."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_NOTES = 20
_DIGITS = re.compile(r"\d[\d.,e+-]*")


@dataclass
class Tally:
    """One campaign's counts. All but `operations` are faults; `notes` describes the first of them."""

    name: str
    operations: int = 0
    exceptions: int = 0  # anything raised that the code under test promises not to raise
    hangs: int = 0  # no answer within the campaign's bound
    leaked: int = 0  # bytes that a terminal would obey and that itermon did not write itself
    lost: int = 0  # input that should have been read and was not
    doubled: int = 0  # input that was read twice
    notes: list[str] = field(default_factory=list)
    _shapes: set[str] = field(default_factory=set)

    @property
    def faults(self) -> int:
        """All that went wrong; 0 is the goal."""
        return self.exceptions + self.hangs + self.leaked + self.lost + self.doubled

    def note(self, text: str) -> None:
        """Keep the description of a fault, of the first few: `where: what`, each `what` once, whatever its digits."""
        shape = _DIGITS.sub("0", text.partition(": ")[2] or text)
        if len(self.notes) < MOST_NOTES and shape not in self._shapes:
            self._shapes.add(shape)
            self.notes.append(text)


def rounds(seconds: float | None, most: int | None = None) -> Iterator[int]:
    """Round numbers from 0 until `seconds` have passed or `most` rounds are done; at least one round."""
    start_s, number = time.monotonic(), 0
    while most is None or number < most:
        yield number
        number += 1
        if seconds is not None and time.monotonic() - start_s > seconds:
            return


def table(tallies: Sequence[Tally]) -> str:
    """The counts of all campaigns as one table, with the notes of what broke below it."""
    columns = ("operations", "exceptions", "hangs", "leaked", "lost", "doubled")
    lines = [f"{'campaign':12}" + "".join(f"{column:>12}" for column in columns)]
    lines += [f"{t.name:12}" + "".join(f"{getattr(t, column):12,}" for column in columns) for t in tallies]
    for tally in tallies:
        lines += [f"{tally.name}: {note}" for note in tally.notes]
    return "\n".join(lines)
