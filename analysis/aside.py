"""Columns of which only the newest part lies in memory: a guard looks at a run for weeks, and hardly ever back."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Protocol, overload

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .record.columns import Columns

CODES = {
    "index": "q",
    "duration_s": "d",
    "at_s": "d",
    "elapsed_s": "d",
    "loss": "f",
    "logged_mfu": "f",
    "data_wait_s": "f",
}
"""What is put aside, and of what numbers it is."""

BLOCK = 2_048
"""Entries that are put aside and looked up together."""

NEWEST = 8_192
"""Entries that stay at least: what is usual, what is due and what changes later is asked of these."""


class Older(Protocol):
    """Where what is old is put."""

    def put(self, values: bytes) -> int | None:
        """Its place there; `None`: there is no room, and it stays in memory."""

    def get(self, place: int, size: int) -> bytes:
        """What was put there."""


class Aside:
    """An array of numbers that is written at its end, read anywhere, and has its older blocks elsewhere."""

    def __init__(self, code: str, older: Older) -> None:
        self._code, self._older = code, older
        self._blocks: list[int | bytes] = []
        self._newest: array[float] = array(code)
        self._read: tuple[int, array[float]] | None = None  # the block that was looked up last

    def __len__(self) -> int:
        return len(self._blocks) * BLOCK + len(self._newest)

    def extend(self, values: Iterable[float]) -> None:
        """Append `values`."""
        self._newest.extend(values)
        while len(self._newest) >= NEWEST + BLOCK:
            self._blocks.append(self._put(self._newest[:BLOCK]))
            del self._newest[:BLOCK]

    @overload
    def __getitem__(self, place: int) -> float: ...
    @overload
    def __getitem__(self, place: slice) -> array[float]: ...
    def __getitem__(self, place: int | slice) -> float | array[float]:
        begins = len(self._blocks) * BLOCK
        if isinstance(place, slice):
            return self._part(*place.indices(len(self)))
        if (at := self._at(place)) >= begins:
            return self._newest[at - begins]
        return self._block(at // BLOCK)[at % BLOCK]

    def __setitem__(self, place: int, value: float) -> None:
        begins = len(self._blocks) * BLOCK
        if (at := self._at(place)) >= begins:
            self._newest[at - begins] = value
            return
        number, block = at // BLOCK, self._block(at // BLOCK)
        block[at % BLOCK] = value
        self._blocks[number] = self._put(block)

    def _at(self, place: int) -> int:
        at = place + len(self) if place < 0 else place
        if not 0 <= at < len(self):
            raise IndexError(place)
        return at

    def _part(self, start: int, stop: int, step: int) -> array[float]:
        begins = len(self._blocks) * BLOCK
        found: array[float] = array(self._code)
        for number in range(start // BLOCK, -(-min(stop, begins) // BLOCK)):
            found += self._block(number)[max(0, start - number * BLOCK) : stop - number * BLOCK]
        found += self._newest[max(0, start - begins) : max(0, stop - begins)]
        return found[::step]

    def _put(self, values: array[float]) -> int | bytes:
        whole = values.tobytes()
        place = self._older.put(whole)
        return whole if place is None else place

    def _block(self, number: int) -> array[float]:
        if self._read is not None and self._read[0] == number:
            return self._read[1]
        kept = self._blocks[number]
        block: array[float] = array(self._code)
        block.frombytes(kept if isinstance(kept, bytes) else self._older.get(kept, BLOCK * block.itemsize))
        self._read = number, block
        return block


def set_aside(columns: Columns, older: Older) -> None:
    """From now on `columns`, which are empty, have what is old in `older`."""
    for name, code in CODES.items():
        setattr(columns, name, Aside(code, older))
