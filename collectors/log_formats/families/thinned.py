"""Values that were printed and that no row has: a bar is drawn anew for new values, or more often than its clock can time.

Of such a scalar the least and the greatest value are not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....events import PrintedLoss

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Thinned:
    """Which scalars these are. `names_of` gives those in the values of a frame, of which as many as `mark` stands in it."""

    def __init__(self, names_of: Callable[[str], Sequence[str]], mark: str) -> None:
        self._names_of, self._mark = names_of, mark
        self._newest = ""  # values of the newest frame,
        self._is_row = True  # ... and whether a row has them
        self._most = 0  # values in the longest that was lost
        self._names: Sequence[str] = ()

    def see(self, values: str) -> None:
        """A frame that is no row. The next one may show the same."""
        if values != self._newest:
            self._lose()
            self._newest, self._is_row = values, False

    def row(self, values: str, index: int) -> list[PrintedLoss]:
        """A frame that is one: what there is to tell of those before it, once."""
        if values != self._newest:
            self._lose()
        self._newest, self._is_row = values, True
        names, self._names = self._names, ()
        return [PrintedLoss(index, thinned=(*names,))] if names else []

    def _lose(self) -> None:
        if not self._is_row and (count := self._newest.count(self._mark)) > self._most:
            self._most, self._names = count, self._names_of(self._newest)
