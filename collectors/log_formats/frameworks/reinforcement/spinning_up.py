"""Tables of OpenAI's Spinning Up, and of what was made of its logger.

    ---------------------------------------
    |             Epoch |               1 |
    |      AverageEpRet |           -17.5 |
    | TotalEnvInteracts |           8e+03 |
    |              Time |            62.5 |
    ---------------------------------------
An epoch is an iteration: so many steps of the environment, and the updates on them. `Time` counts from the beginning, with all in it,
and has three digits: 1.23e+03 is known to ten seconds.
"""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example
from ...families.elapsed import ElapsedParser
from ...parsing.grammar import Line, handler
from ...parsing.values import as_number, scalars

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_MOST_ROWS = 200
_DIGITS = 3
_PLACES = ("Epoch", "Time")


class SpinningUp(ElapsedParser):
    """Boxes of names and values, an epoch each."""

    name = "Spinning Up"
    unit = "epoch"
    about = "difference of Time over the epochs between, a mean where it has too few digits; all in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    lines = (
        Line("|", r"^\| {0,30}(?P<key>Epoch) \| {1,30}(?P<text>\d{1,9}) \|$", "epoch"),
        Line("|", r"^\| {0,30}(?P<key>AverageEpRet|TotalEnvInteracts|AverageVVals|EpLen|Time) \| {1,30}(?P<text>\S{1,20}) \|$", "row"),
        Line("|", r"^\| {0,30}(?P<key>[A-Z][\w/ ]{0,40}) \| {1,30}(?P<text>-?\d\S{0,20}|nan|inf) \|$", "row", distinctive=False),
        Line("---", r"^-{20,80}$", "border", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
---------------------------------------
|             Epoch |               0 |
|      AverageEpRet |           -17.5 |
| TotalEnvInteracts |           4e+03 |
|              Time |              25 |
---------------------------------------
---------------------------------------
|             Epoch |               1 |
|      AverageEpRet |             7.5 |
| TotalEnvInteracts |           8e+03 |
|              Time |              49 |
---------------------------------------
""",
            iterations=((0, None, 1, None), (1, 24.0, 1, None)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._row: dict[str, str] = {}

    @handler(iterations=True, texts=("key", "text"))
    def epoch(self, fields: Fields, line: LogLine) -> list[Event]:
        """The first value: it counts the tables."""
        return self.row(fields, line)

    @handler(texts=("key", "text"))
    def row(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A value of the table."""
        if len(self._row) < _MOST_ROWS:
            self._row[fields["key"].strip()] = fields["text"]
        return []

    @handler()
    def border(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The table is whole, or begins."""
        row, self._row = self._row, {}
        epoch, elapsed_s = as_number(row.get("Epoch")), as_number(row.get("Time"))
        if epoch is None:
            return []
        named = scalars((name, value) for name, value in row.items() if name not in _PLACES)
        fields = {"iteration": epoch, "elapsed_s": elapsed_s, "scalars": named}
        return self.timed(fields, line, elapsed_s, _last_digit(elapsed_s or 0.0))


def _last_digit(seconds: float) -> float:
    """Of a number with three digits."""
    return 10.0 ** (floor(log10(seconds)) + 1 - _DIGITS) if seconds > 0 else 0.0
