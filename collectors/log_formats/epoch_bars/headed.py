"""A bar that looks like the training's, right below a line that says that an evaluation begins: `Start validation`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...patterns import lazy_pattern
from ..parsing.phases import Phase, announced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..parsing.bars import Bar

_VALUE = lazy_pattern(r"\d\.\d|[=:] ?\d")
"""What an evaluation found: no heading."""


def heads_evaluation(text: str) -> bool:
    """Does a line say that an evaluation begins, and nothing that it found?"""
    lower = text.lower()
    says = "val" in lower or "test" in lower or "dev" in lower
    return says and _VALUE.search(text) is None and announced(text) is Phase.EVALUATION


class HeadedBars:
    """Such bars have no title, and as many steps as the training's: nothing else tells them apart.

    Where two bars in a row have such a line in front, it is of evaluations without a bar, and says nothing of the bar below it.
    """

    def __init__(self) -> None:
        self._heading = self._spoken = self._evaluates = self._without_bars = False
        self._before: Bar | None = None

    def learn(self, bars: Sequence[Bar], said: Sequence[tuple[int, str]]) -> None:
        """By a sample: `said` are the lines between bars, each with the number of the bar below it."""
        trial, lines = HeadedBars(), [*said]
        for place, bar in enumerate(bars):
            while lines and lines[0][0] <= place:
                trial.hear(lines.pop(0)[1])
            trial.evaluates(bar)
        self._without_bars |= trial._without_bars

    def hear(self, text: str) -> None:
        """A line, which may be a frame."""
        if " [" not in text and text.strip():
            self._spoken, self._heading = True, heads_evaluation(text)

    def evaluates(self, bar: Bar) -> bool:
        """Is the next frame one of an evaluation that a line right above its bar announced?"""
        before, self._before = self._before, bar
        headed, spoken = self._heading, self._spoken
        self._heading = self._spoken = False
        if before is None or bar.title or before.title or bar.total != before.total:
            self._evaluates = False
        elif bar.n < before.n or (before.full and spoken and bar.elapsed_s != before.elapsed_s):
            self._without_bars |= headed and self._evaluates
            self._evaluates = headed and before.full and not self._without_bars
        return self._evaluates
