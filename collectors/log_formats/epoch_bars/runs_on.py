"""One bar that goes on through all epochs: each pass by a clock of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..parsing.bar_clocks import COARSE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..parsing.bars import Bar

_TWICE = 2
_PACES = 3.0
"""A pass begins at most so many times as slowly as the one before it went on the whole."""


class RunsOn:
    """Takes off what a bar's clock brings along from the passes before, where one bar goes on through all epochs.

    Lightning's did so for a while: epoch 1 begins at 02:45, where epoch 0 was full at 02:22, and its rates are means of
    all that time. So it is where less time has passed since than the new steps take at the pace of before.
    """

    def __init__(self) -> None:
        self.known = False  # that it does
        self._newest: Bar | None = None  # as it was drawn
        self._begun_s = 0.0  # when this pass began, by the bar's clock

    def learn(self, bars: Iterable[Bar]) -> None:
        """Does it, by frames of any bars, in their order? Twice is no accident."""
        times, of_length = 0, dict[int | None, RunsOn]()
        for bar in bars:
            one = of_length.setdefault(bar.total, RunsOn())
            one.known = True
            before = one._begun_s
            one.of(bar)
            times += one._begun_s > before
        self.known = self.known or times >= _TWICE

    def of(self, bar: Bar) -> Bar | None:
        """The frame, by a clock of its own pass; `None` of the last one's, drawn once more below the title of the next."""
        newest = self._newest
        if not self.known:
            return bar
        if newest is not None and newest.full and bar.n == newest.n and bar.title != newest.title:
            return None
        self._newest = bar
        if newest is not None and (bar.n < newest.n or bar.total != newest.total):
            self._begun_s = newest.elapsed_s if self._goes_on(bar, newest) else 0.0
        if not self._begun_s:
            return bar
        elapsed_s = bar.elapsed_s - self._begun_s
        return bar._replace(
            elapsed_s=elapsed_s, seconds_each=elapsed_s / bar.n if bar.n else None, remaining_s=None
        )

    def _goes_on(self, bar: Bar, newest: Bar) -> bool:
        if not (newest.full and newest.total and bar.total == newest.total and bar.seconds_each):
            return False
        pass_s, since_s = newest.elapsed_s - self._begun_s, bar.elapsed_s - newest.elapsed_s
        return 0 <= since_s <= _PACES * pass_s * bar.n / newest.total and pass_s >= COARSE
