"""Bars in a log whose rows count the steps: of these only an evaluation's tell something, how long it took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....events import EVALUATION
from ..parsing.bars import find_bar
from ..parsing.values import ended

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event
    from ..parsing.bars import Bar

_LEAST_S = 1
"""Of a bar's clock: what is quicker reckons with what an evaluation found, and is none by itself."""


class BarsBeside:
    """Of an evaluation is what its title, or the line before it, says to be."""

    def __init__(self) -> None:
        self._newest: tuple[int, Bar] | None = None  # and the row before it

    def see(self, text: str, at_s: float | None, last: int | None, *, announced: bool) -> Sequence[Event]:
        """A frame, drawn behind the row `last`: an evaluation has ended where it is full, and not drawn once more."""
        bar = find_bar(text)
        if bar is None or last is None:
            return []
        before, self._newest = self._newest, (last, bar)
        evaluates = bar.evaluates or (announced and bar.phase is None and not bar.trains)
        if not evaluates or not bar.full or bar.elapsed_s < _LEAST_S or (before and _closes(bar, last, *before)):
            return []
        return [ended(EVALUATION, at_s, last + 1, bar.whole_s, detail=bar.title.strip())]


def _closes(bar: Bar, last: int, behind: int, before: Bar) -> bool:
    """Is it the full bar `before`, behind the same row, drawn once more?"""
    same = before.full and (behind, before.title, before.total) == (last, bar.title, bar.total)
    return same and 0 <= bar.elapsed_s - before.elapsed_s <= 1
