"""Chainer's LogReport: a file of JSON, and the table of PrintReport.

    [                                          epoch       iteration   main/loss   validation/main/loss  elapsed_time
        {                                      1           600         0.25        0.125                 12.5
            "main/loss": 0.25,
            "elapsed_time": 12.5,
            "iteration": 600
        },
`elapsed_time` counts from the training's beginning, with all that is in it. Losses are means since the last entry. A table without
`iteration` counts epochs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example
from ...families.elapsed import ElapsedParser
from ...parsing.grammar import NUMBER_PATTERN, Line, handler
from ...parsing.values import finite, number, scalars

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .....events import Event
    from ...parsing.values import Fields, LogLine

_KEY = r"(?:[\w ().-]{1,60}/){1,4}[\w ().-]{1,60}"
_GAP = r" {2,}"
_MOST = 200
_PLACES = ("epoch", "iteration")  # the first columns: these have no empty cell
_UNDERSTOOD = frozenset(("iteration", "epoch", "elapsed_time", "main/loss", "lr"))


class Chainer(ElapsedParser):
    """Entries of the report."""

    name = "Chainer"
    about = "difference of elapsed_time over the iterations between, a mean; all in it; without `iteration` epochs count"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    lines = (
        Line('"elapsed_time"', rf"^ {{8}}\"elapsed_time\": {NUMBER_PATTERN},?$", "entry"),
        Line('"main/', rf"^\s+\"main/[\w/ .-]{{1,100}}\": ?{NUMBER_PATTERN},?$", "value"),
        Line('": ', rf"^\s+\"(?:epoch|iteration|{_KEY})\": ?{NUMBER_PATTERN},?$", "value", distinctive=False),
        Line("{", r"^\s*\[?\s*\{$", "opens", distinctive=False),
        Line("}", r"^\s*\},?\s*\]?$", "closes", distinctive=False),
        Line(
            "main/",
            r"^(?P<rest>(?:epoch|iteration) {2,20}(?=.{0,400}?\b(?:main|validation/main)/)[\w/ .()-]{4,600})$",
            "heading",
        ),
        Line(
            ".", r"^(?P<rest>(?:\d+ {2,20})(?:[-+\d.einaf]{1,20}(?: {2,60}|$)){1,40}) *$", "row", distinctive=False
        ),
    )
    examples = (
        Example(
            """
[
    {
        "main/loss": 0.5,
        "validation/main/loss": 0.375,
        "epoch": 1,
        "iteration": 100,
        "elapsed_time": 12.5
    },
    {
        "main/loss": 0.25,
        "epoch": 2,
        "iteration": 200,
        "elapsed_time": 22.5
    }
]
""",
            iterations=((100, None, 1, 0.5), (200, 0.1, 100, 0.25)),
            evaluations=((100, {"val_loss": 0.375}),),
        ),
        Example(
            """
epoch       main/loss   validation/main/loss  main/accuracy  validation/main/accuracy  elapsed_time
1           0.5         0.375                 0.75           0.875                     12.5
2           0.25        0.25                  0.875          0.9375                    22.5
""",
            iterations=((1, None, 1, 0.5), (2, 10.0, 1, 0.25)),
            evaluations=((1, {"val_loss": 0.375, "accuracy": 0.875}), (2, {"val_loss": 0.25, "accuracy": 0.9375})),
            variant="Chainer's table",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._entry: dict[str, float | None] = {}
        self._names: list[str] = []

    @handler()
    def opens(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """An entry of the file begins."""
        self._entry = {}
        return []

    @handler(iterations=True)
    def entry(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The value that each entry has once."""
        return self._add(line)

    @handler()
    def value(self, _fields: Fields, line: LogLine) -> list[Event]:
        """A value of the entry."""
        return self._add(line)

    def _add(self, line: LogLine) -> list[Event]:
        name, _, text = line.text.rpartition(":")
        if len(self._entry) < _MOST:
            self._entry[name.rpartition('"')[0].rpartition('"')[2]] = number(text.strip().rstrip(","))
        return []

    @handler()
    def closes(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The entry is whole."""
        entry, self._entry = self._entry, {}
        return self._report(entry, line) if "elapsed_time" in entry else []

    @handler(texts=("rest",))
    def heading(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The names of the table's columns."""
        self._names = re.split(_GAP, fields["rest"])
        return []

    @handler(iterations=True, texts=("rest",))
    def row(self, fields: Fields, line: LogLine) -> list[Event]:
        """A row of the table; where a cell is empty nobody can say which."""
        cells = fields["rest"].split()
        if len(cells) != len(self._names):
            cells = cells[: sum(name in _PLACES for name in self._names[:2])]
        return self._report(dict(zip(self._names, map(number, cells), strict=False)), line)

    def _report(self, entry: Mapping[str, float | None], line: LogLine) -> list[Event]:
        index = entry.get("iteration", entry.get("epoch"))
        if index is None:
            return []
        elapsed_s = finite(entry.get("elapsed_time"))
        fields: Fields = {
            "iteration": index,
            "loss": entry.get("main/loss"),
            "learning_rate": entry.get("lr"),
            "scalars": {
                name: value
                for name, value in scalars(entry.items(), _UNDERSTOOD).items()
                if not _of_validation(name)
            },
            "elapsed_s": elapsed_s,
        }
        values = {
            {"loss": "val_loss"}.get(short := name.removeprefix("validation/main/"), short): value
            for name, value in entry.items()
            if _of_validation(name) and value is not None
        }
        after = self.evaluation({**values, "iteration": index}, line) if values else []
        return self.timed(fields, line, elapsed_s, after=after)


def _of_validation(name: str) -> bool:
    return name.startswith("validation/main/")
