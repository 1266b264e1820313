"""fastai: a table, a row an epoch. (In a notebook the table may be a picture: then nothing is left of it.)

    epoch     train_loss  valid_loss  accuracy  time
    0         6.454500    5.968120    0.094213  02:40
    1      0.678583    0.367560    0.124542    (00:09)                                             2018
The time is the epoch's, with its validation, cut to whole seconds. `train_loss` is a moving mean at the epoch's end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION, Total
from ...base import Example
from ...families.elapsed import clock_seconds
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import number, seconds

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_CLOCK = r"\d{1,4}:\d\d(?::\d\d)?"
_LEAST_S = 5.0  # of a time cut to whole seconds: less is not known to 20 %
_GAP = r" {2,}"


class FastAi(LineParser):
    """Epochs."""

    name = "fastai"
    unit = "epoch"
    about = "time: one epoch, validation in it, in whole seconds; an epoch is an iteration"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    lines = (
        Line("epoch ", r"^epoch {2,12}(?:train_loss|train loss|trn_loss) {1,12}[\w .%/-]{1,400}$", "heading"),
        Line(":", rf"^(?P<iteration>\d+) {{2,12}}(?P<rest>(?:(?:[-+\d.eEnaif]{{1,24}}|#na#) {{1,40}}){{1,40}})\(?(?P<stamp>{_CLOCK})\)? *$", "epoch"),
        Line("Total time:", rf"^Total time: (?P<stamp>{_CLOCK}) *$", "total_time", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
epoch     train_loss  valid_loss  accuracy  time
0         2.500000    2.250000    0.094213  02:40
1         1.750000    nan         0.181822  1:02:35
2         1.500000    #na#                  00:02
Total time: 1:05:17
""",
            iterations=((0, 160.0, 1, 2.5), (1, 3755.0, 1, 1.75), (2, None, 1, 1.5)),
            evaluations=((0, {"val_loss": 2.25, "accuracy": 0.094213}), (1, {"accuracy": 0.181822})),
        ),
        Example(
            """
epoch  train loss  valid loss  error_rate
1      0.625000    0.375000    0.125000    (00:09)
2      0.500000    0.250000    0.125000    (00:10)
""",
            iterations=((1, 9.0, 1, 0.625), (2, 10.0, 1, 0.5)),
            evaluations=(
                (1, {"val_loss": 0.375, "error_rate": 0.125}),
                (2, {"val_loss": 0.25, "error_rate": 0.125}),
            ),
            variant="fastai of 2018",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._names: list[str] = []

    @handler()
    def heading(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The names of the columns: another `fit` begins."""
        text = line.text[line.text.find("epoch") :].strip()
        self._names = [name.strip() for name in re.split(_GAP, text)][1:]
        self.started = self.last is not None
        return []

    @handler(iterations=True, texts=("rest", "stamp"))
    def epoch(self, fields: Fields, line: LogLine) -> list[Event]:
        """An epoch. A metric that was not taken leaves its place empty: then only the first columns are sure."""
        cells = [number(cell) for cell in fields.pop("rest").split()]
        spent_s = seconds(clock_seconds(fields.pop("stamp")))
        fields["loss"] = cells[0]
        if spent_s is not None and spent_s >= _LEAST_S:
            fields["duration_s"] = spent_s
        events = self.iteration(fields, line)
        names = [name for name in self._names if name != "time"]
        if not events or len(names) != len(cells):
            return events
        found = {name: value for name, value in zip(names[1:], cells[1:], strict=True) if value is not None}
        values = {_VALID.get(name, name): value for name, value in found.items() if value == value}
        return (
            [*events, *self.evaluation({**values, "iteration": fields["iteration"]}, line)] if values else events
        )

    @handler(texts=("stamp",))
    def total_time(self, fields: Fields, line: LogLine) -> list[Event]:
        """What the whole `fit` took."""
        spent_s = seconds(clock_seconds(fields["stamp"]))
        return [] if spent_s is None else [Total(spent_s, "Total time", at_s=line.at_s)]


_VALID = {"valid_loss": "val_loss", "valid loss": "val_loss", "val_loss": "val_loss"}
