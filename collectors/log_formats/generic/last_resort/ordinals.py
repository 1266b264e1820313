"""Rows that say in which epoch and at which batch they are by ordinals, with values of any names behind.

0th epoch, 3th mini-batch, lsd is 36303.5, lreg is 2.25          (2nd epoch) 40th iteration - loss: 0.5
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ....patterns import lazy_pattern
from ...base import Needs, Specificity
from ...parsing.grammar import handler
from ..counted_rows import CountedRows

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from .....events import Event
    from ...parsing.grammar import LineKind
    from ...parsing.values import Fields, LogLine

_NTH = r"(?<![\w.])(?P<{0}>\d{{1,9}})-?(?:st|nd|rd|th)"
_ROW = lazy_pattern(
    rf"{_NTH.format('epoch')} (?i:epoch)\b[^\w.]{{1,4}}{_NTH.format('n')} (?i:(?P<word>(?:mini[ _-]?)?batch|step|iter(?:ation)?))\b"
    r"[^\w.]{1,4}(?=[A-Za-z]\w{0,30}(?: is|:| ?=)? {0,3}-?\d{1,12}\.\d)"
)
"""Both together: an epoch alone may be one of the earth's, and a step alone one of a recipe."""
_IS = lazy_pattern(r"(?<=\w) is (?=-?\d)")
_LONGEST = 1_000


class Ordinals(CountedRows):
    """Rows, once they have counted on."""

    name = "ordinals"
    about = "rows that count their epoch and batch by ordinals; columns guessed by name, and shown"
    specificity = Specificity.ALONE
    examples = ()  # type: ignore[assignment]
    lines: ClassVar = CountedRows.lines

    @classmethod
    def needs(cls, *, thorough: bool = False, distinctive: bool = False) -> Needs:  # noqa: ARG003 - for all lines
        """The word that each of its rows has."""
        return (("epoch",), ("Epoch",))

    @classmethod
    def match(cls, text: str) -> tuple[LineKind, re.Match[str]] | None:
        """Of the row, as others spell it; no other line is one."""
        respelt = spelt(text)
        return None if respelt == text else super().match(respelt)

    @handler(iterations=True)
    def counts(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """The row, as others spell it."""
        return super().counts(fields, line._replace(text=spelt(line.text)))


def spelt(text: str) -> str:
    """`3rd epoch, 5th batch, lsd is 2.5` as `epoch 3, batch 5, lsd: 2.5`; any other line as it is."""
    if (found := _ROW.search(text[:_LONGEST])) is None:
        return text
    word = "batch" if "batch" in found["word"].lower() else found["word"]
    return (
        f"{text[: found.start()]}epoch {found['epoch']}, {word} {found['n']}, {_IS.sub(': ', text[found.end() :])}"
    )
