"""The bar that Ultralytics draws itself since 2025, and what its steps took.

Its rate is smoothed from 0 on, over what passed between two frames: the first ones say too little, and none is a step's.
Its clock shows tenths of a second, or, from a minute on, seconds. A frame is drawn before its own step is counted, and
the full one behind it: how many steps a stretch had is known to one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..parsing.bars import Bar
from ..parsing.values import number

if TYPE_CHECKING:
    from ..parsing.values import Fields

_STEPS = 20
"""A time over so many steps, of whose number one is unsure, is right to 5 %: and so is one of as many ticks of the clock."""
_MINUTE_S = 60.0
_WITHIN: Fields = {"averaged_over": 0}


class OwnClock:
    """Stretches of a bar that are long enough for its clock."""

    def __init__(self) -> None:
        self._from: tuple[int, float] | None = None  # where the stretch began
        self._told = False  # has a stretch of this bar a time?

    def begin(self) -> None:
        """Another epoch's bar."""
        self._from, self._told = None, False

    def time_of(self, bar: Bar) -> Fields:
        """The mean over the stretch that ends with this frame; of a row within one nothing is known."""
        tick_s = 0.1 if bar.elapsed_s < _MINUTE_S else 1.0
        if bar.full and not self._told:
            enough = (
                self._from is None or bar.elapsed_s >= _STEPS / 2 * tick_s
            )  # it began at 0: one end alone is rounded
            return self._mean(bar.elapsed_s, bar.n) if enough else dict(_WITHIN)
        first = self._from is None
        steps, seconds = (
            (bar.n, bar.elapsed_s)
            if self._from is None
            else (bar.n - self._from[0], bar.elapsed_s - self._from[1])
        )
        few = (first or bar.full) and steps < _STEPS
        if first or (steps > 0 and seconds >= _STEPS * tick_s and not few):
            self._from = (bar.n, bar.elapsed_s)
            return dict(_WITHIN) if few else self._mean(seconds, steps)
        return dict(_WITHIN)

    def _mean(self, seconds: float, steps: int) -> Fields:
        self._told = bool(seconds and steps)
        return {"duration_s": seconds / steps, "averaged_over": steps} if self._told else dict(_WITHIN)


def drawn(title: str, fields: Fields) -> Bar:
    """A frame of it."""
    rate = fields["rate"] or None
    each_s = 1 / rate if rate and fields["unit"] == "it/s" else rate
    return Bar(title, int(fields["batch"]), int(fields["batches"]), _elapsed_s(fields["stamp"]), each_s, "")


def _elapsed_s(stamp: str) -> float:
    """`50.2s`, `2:51`, `1:02:51`: what has passed, to a tenth of a second until there is a minute."""
    seconds = 0.0
    for part in stamp.removesuffix("s").split(":"):
        seconds = seconds * 60 + (number(part) or 0.0)
    return seconds
