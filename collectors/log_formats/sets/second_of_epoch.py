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
    """Two witnesses are needed: the order of the two lengths, the same in each epoch, and what stands behind the second.

    Where lines tell of both at once, as of a whole epoch, the second took less time, too.
    """

    def __init__(self) -> None:
        self._lengths: frozenset[int | None] = frozenset()  # of the bars that come second

    def learn(self, bars: Sequence[Bar], said: Sequence[tuple[int, str]]) -> None:
        """By a sample: `said` are lines behind full bars, each with the number of the bars before it."""
        epochs = _epochs(bars)
        both = [one for one in epochs if len(one) == _LENGTHS]
        seconds = {second.total for _, second in both}
        if len(both) < _FEWEST or len(seconds) != 1 or None in seconds:
            return
        if any(one.total in seconds for epoch in epochs for one in epoch[:-1]):
            return
        behind: dict[int, list[str]] = {}
        for place, text in said:
            behind.setdefault(place, []).append(text[:_LONGEST])
        told = [(bars[place - 1].total in seconds, texts) for place, texts in behind.items() if place]
        results = [[text for text in texts if _FOUND.search(text)] for is_second, texts in told if is_second]
        early = any(_FOUND.search(text) for is_second, texts in told if not is_second for text in texts)
        if early or len(results) < _FEWEST or not all(results):
            return
        quicker = all(second.elapsed_s < first.elapsed_s for first, second in both[:-1])
        if quicker or not any(_TRAINS.search(text) for texts in results for text in texts):
            self._lengths |= seconds

    def evaluates(self, bar: Bar) -> bool:
        """Is it an epoch's second one?"""
        return bar.total in self._lengths and bool(_number(bar))


def _epochs(bars: Sequence[Bar]) -> list[list[Bar]]:
    """The last frame of each length under each title with a number, in their order; titles that say whose they are aside."""
    epochs: list[list[Bar]] = []
    newest = ""
    for bar in bars:
        if not _number(bar) or bar.phase is not None:
            continue
        if bar.title != newest:
            newest = bar.title
            epochs.append([])
        epochs[-1] = [*epochs[-1][: -1 if epochs[-1] and epochs[-1][-1].total == bar.total else None], bar]
    return epochs


def _number(bar: Bar) -> str:
    return "".join(filter(str.isdigit, bar.title))
