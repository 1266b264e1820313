"""Tables with drawn lines between their columns.

Ep │ TrainLoss   Tr_MSE │  ValLoss │       LR   Time    ETA
 1 │  0.522906 0.082521 │ 0.365298 │  1.0e-04   231s   1.9h
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....patterns import lazy_pattern
from ...base import Needs, Specificity
from ...parsing.grammar import handler
from ..blank_table import BlankTable

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from .....events import Event
    from ...parsing.grammar import LineKind
    from ...parsing.values import Fields, LogLine

_DRAWN = "│┃║"
_MARK = rf"[{_DRAWN}]"
_RULES = lazy_pattern(_MARK)
_EPOCHS = lazy_pattern(r"^(\W*)(?i:ep)(?=\W)(?=.{0,400}(?i:loss))")
"""`Ep` at the head of a table with losses counts epochs, not episodes."""
_LONG = lazy_pattern(r"(?<![\w.:])(\d{1,6}(?:\.\d{1,6})?)([mh])(?![\w.])")
_SECONDS = {"m": 60.0, "h": 3600.0}


class DrawnTable(BlankTable):
    """A table with lines between its columns."""

    name = "drawn table"
    about = "a heading and rows, with drawn lines between the columns; columns guessed by name, and shown"
    specificity = Specificity.ALONE
    examples = ()  # type: ignore[assignment]
    lines = BlankTable.lines

    @classmethod
    def needs(cls, *, thorough: bool = False, distinctive: bool = False) -> Needs:  # noqa: ARG003 - for all lines
        """A drawn line."""
        return tuple((one,) for one in _DRAWN)

    @classmethod
    def match(cls, text: str) -> tuple[LineKind, re.Match[str]] | None:
        """Of the text without the lines."""
        return super().match(undrawn(text)) if _RULES.search(text[:2000]) else None

    @handler()
    def heading(self, fields: Fields, line: LogLine) -> list[Event]:
        """The names, without the lines between them."""
        return super().heading(fields, line._replace(text=undrawn(line.text)))

    @handler(iterations=True)
    def values(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """A row, without the lines between its cells."""
        return super().values(fields, line._replace(text=undrawn(line.text)))


def undrawn(text: str) -> str:
    """A line of a table with blanks for drawn lines, and with seconds for minutes and hours."""
    blank = _EPOCHS.sub(r"\1Epoch", _RULES.sub("  ", text[:2000]), count=1)
    return _LONG.sub(lambda found: f"{float(found[1]) * _SECONDS[found[2]]:g}s", blank)
