"""Bars over epochs that name the epoch which is under way: `Epoch 3/250:   1%| | 2/250`. Their total is the run's, and no epoch's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..parsing.bars import Bar

_EPOCH = lazy_pattern(r"(?i)\bep(?:och)?s?\b\W{0,3}(\d{1,9})\b")
_LEAST = 3
"""Epochs with which a bar went on, before it is believed to count them."""
_TITLE = "Training epochs"


class BarsOverEpochs:
    """Which lengths are of such bars: each frame's count is its title's epoch, or the one before it."""

    def __init__(self) -> None:
        self._totals = frozenset[int]()

    def learn(self, bars: Iterable[Bar]) -> list[Bar]:
        """By a sample of frames; these, as they are to be read."""
        bars, epochs, apart = [*bars], dict[int, set[int]](), dict[int, set[int]]()
        for bar in bars:
            if bar.total and (found := _EPOCH.search(bar.title)):
                epochs.setdefault(bar.total, set()).add(int(found[1]))
                apart.setdefault(bar.total, set()).add(bar.n - int(found[1]))
        go_on = (total for total, seen in epochs.items() if len(seen) >= _LEAST)
        self._totals |= {total for total in go_on if _is_one_count(apart[total])}
        return [self.of(bar) for bar in bars]

    def of(self, bar: Bar) -> Bar:
        """The frame, without the epoch in its title where its own count is that."""
        own = bar.total in self._totals and _EPOCH.search(bar.title)
        return bar._replace(title=_TITLE) if own else bar


def _is_one_count(apart: set[int]) -> bool:
    return max(apart) - min(apart) <= 1 and min(apart) >= -1 and max(apart) <= 1
