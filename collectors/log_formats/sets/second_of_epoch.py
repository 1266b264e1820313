"""Two bars of each epoch under one title: the second validates, as what stands behind it says.

Epoch 3/40: 100%|##########| 55/55 [04:00<...
Epoch [3/40], Loss: 1.8
Epoch 3/40: 100%|##########| 14/14 [00:57<...
Validation Loss: 1.75
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..parsing.bars import Bar

_FOUND = lazy_pattern(
    r"(?i)(?<![a-z])(?:val|valid|validation|dev|eval|evaluation|test)[ _/-]{1,3}(?:(?:avg|mean|average)[ _]?)?(?:loss|acc(?:uracy)?)\b"
)
_TRAINS = lazy_pattern(r"(?i)(?<![a-z])train")
_LONGEST = 200
_FEWEST = 2
"""Epochs of both lengths, and second bars with what a validation found right behind them."""
_LENGTHS = 2


class SecondsOfEpochs:
    """Two witnesses are needed: the order of the two lengths, the same in each epoch, and what stands behind the second."""

    def __init__(self) -> None:
        self._lengths: frozenset[int | None] = frozenset()  # of the bars that come second

    def learn(self, bars: Sequence[Bar], said: Sequence[tuple[int, str]]) -> None:
        """By a sample: `said` are lines behind full bars, each with the number of the bars before it."""
        seconds = {one[1] for one in _epochs(bars) if len(one) == _LENGTHS}
        if len(seconds) != 1 or None in seconds:
            return
        (second,) = seconds
        whole = [one for one in _epochs(bars) if len(one) == _LENGTHS]
        in_order = all(one[-1] == second or second not in one for one in _epochs(bars))
        behind: dict[int, str] = {}
        for place, text in said:
            if text.strip():
                behind.setdefault(place, text[:_LONGEST])
        ends = [(bars[place - 1].total == second, _validates(text)) for place, text in behind.items() if place]
        found = sum(is_second and validates for is_second, validates in ends)
        if in_order and min(len(whole), found) >= _FEWEST and all(one == validates for one, validates in ends):
            self._lengths |= seconds

    def evaluates(self, bar: Bar) -> bool:
        """Is it an epoch's second one?"""
        return bar.total in self._lengths and bool(_number(bar))


def _epochs(bars: Sequence[Bar]) -> list[list[int | None]]:
    """The lengths under each title with a number, in their order; those of titles that say whose they are aside."""
    epochs: list[list[int | None]] = []
    newest = ""
    for bar in bars:
        if not _number(bar) or bar.phase is not None:
            continue
        if bar.title != newest:
            newest = bar.title
            epochs.append([])
        if not epochs[-1] or epochs[-1][-1] != bar.total:
            epochs[-1].append(bar.total)
    return epochs


def _number(bar: Bar) -> str:
    return "".join(filter(str.isdigit, bar.title))


def _validates(text: str) -> bool:
    return _FOUND.search(text) is not None and _TRAINS.search(text) is None
