"""What an evaluation found, on a line of its own behind a row: `Validation accuracy: 51.25%`.

A best one (`Best valid accuracy: 65.00%`) is of another row. Where a validation's loss is read behind the same row, that
evaluation is told of with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ....events import EVALUATION, Iteration, SpanEnd
from ...patterns import lazy_pattern
from ..parsing.grammar import PREFIX
from ..parsing.values import ended

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event

_LONGEST = 200
_FOUND = lazy_pattern(
    r"(?i)\W{0,8}((?:val|valid|validation|dev)(?:[ _-]set)?[ _-](?:acc(?:uracy)?|f1(?:[ _-]score)?|auc|auroc|bleu|wer|cer|dice|m?iou"
    r"|psnr|ssim|m?ap|precision|recall|ppl|perplexity)) ?[:=] {0,8}(\d{1,9}\.\d{1,20}) ?(%?)\W{0,4}"
)


class FoundAlone:
    """Holds what was found until the next row, or the end."""

    def __init__(self) -> None:
        self._values: dict[str, float] = {}
        self._newest: int | None = None  # the row that they are behind
        self._is_told = False  # of an evaluation behind the newest row

    def read(self, text: str, events: Sequence[Event], newest: int | None) -> Sequence[Event]:
        """The `events` of a line, and before a row those of what lines behind the `newest` one found."""
        if not events:
            self._hear(text, newest)
            return events
        rows = [at for at, one in enumerate(events) if isinstance(one, Iteration)]
        behind = events[rows[-1] :] if rows else events
        told = self.end() if rows and not any(map(_is_evaluation, events[: rows[0]])) else []
        if rows:
            self._values, self._newest, self._is_told = {}, None, False
        self._is_told = self._is_told or any(map(_is_evaluation, behind))
        return [*told, *events] if told else events

    def _hear(self, text: str, newest: int | None) -> None:
        if newest is None or not ("al" in text or "AL" in text or "ev" in text) or len(text) > _LONGEST:
            return
        if (found := _FOUND.fullmatch(PREFIX.sub("", text, count=1))) is not None:
            name = f"{found[1]} {found[3]}".rstrip()
            self._values, self._newest = {name: float(found[2])} | self._values, newest

    def end(self) -> list[Event]:
        """What was found behind the newest row, unless its evaluation is told of."""
        values, newest, self._values = self._values, self._newest, {}
        if newest is None or not values or self._is_told:
            return []
        self._is_told = True
        return [replace(ended(EVALUATION, None, newest + 1, values=values), after=newest)]


def _is_evaluation(event: Event) -> bool:
    return isinstance(event, SpanEnd) and event.kind == EVALUATION
