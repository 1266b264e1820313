"""The run on the screen next to another one. The other is read in its own time; until then the page says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analysis.whatif.compare import compare
from ...reports.compare_text import compare_text
from ..drawing.lines import wrap
from .page import TextPage

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...analysis.run import Run
    from ..drawing.lines import Block
    from ..drawing.theme import Theme

HOW = "No other run to compare with. Start itermon with one: itermon train.log --compare OTHER.log"


class ComparePage(TextPage):
    """`other` gives the run to compare with, or why it is none; `None` while it is still being read."""

    def __init__(self, theme: Theme, run: Run, other: Callable[[], Run | str | None] | None) -> None:
        super().__init__(theme, "compare", self._body_of)
        self._run, self._other = run, other
        self._text = ""

    def _body_of(self, width: int) -> Block:
        if self._other is None:
            return [((" ", ""), *line) for line in wrap(HOW, width - 2)]
        if not self._text:
            other = self._other()
            if other is None:
                return [((" reading the other run", "label"),)]
            if isinstance(other, str):
                return [((" ", ""), *line) for line in wrap(other, width - 2)]
            self._text = compare_text(compare(other, self._run))  # once: it resamples, and it should stand still
        return [
            ((f" {row}", "value" if number == 0 else ""),) for number, row in enumerate(self._text.splitlines())
        ]
