"""Rows that nothing numbers, with a clock and totals that only grow: where all of them begin again, so does the training.

num_episodes,total_loss,total_time,total timesteps
213,0.22,13.02,15360
278,0.17,17.74,20480
11,0.05,0.78,1280            another process, that writes on in the same file
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

RISES = 3
"""So often a column has grown, and never fallen, that is one of them."""

ANEW = 0.5
"""Less than this share of what each of them was is a beginning."""

_MOST = 256


class Totals:
    """The columns of the rows so far that only grow."""

    def __init__(self) -> None:
        self._columns: dict[str, tuple[float, int]] = {}
        """The newest value of each, and how often it has grown; -1 once it fell."""

    def begin_again(self, row: Iterable[tuple[str, float]], clock: str) -> bool:
        """Take in the whole numbers of the next row, and its clock, which is one of them. Did all of them begin again?"""
        values = dict(row)
        grown = {name: last for name, (last, rises) in self._columns.items() if rises >= RISES}
        fell = [name for name, last in grown.items() if values.get(name, last) < ANEW * last]
        begins = len(grown) > 1 and len(fell) == len(grown) and clock in fell
        if begins:
            self._columns = {}
        for name, value in values.items():
            last, rises = self._columns.get(name, (value, 0))
            if name in self._columns or len(self._columns) < _MOST:
                self._columns[name] = value, -1 if rises < 0 or value < last else rises + (value > last)
        return begins
