"""Composer and llm-foundry (MosaicML), console logger: one record of many lines for each logged batch.

    [batch=366/48000]:
             Train time/batch: 365
             Train throughput/device/tokens_per_sec: 21000.5
             Train loss/train/total: 10.3750
`time/batch` counts from 0, the heading from 1: the heading's number is used. No time of a batch is printed.
`throughput/batches_per_sec` is the mean over a sliding window of up to 100 batches, without evaluation; no batch's time
follows from it, so times stay unknown. `Eval ...` lines are an evaluation's values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import EVALUATION
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import Fields, LogLine, ended, finite, whole

if TYPE_CHECKING:
    from .....events import Event


class Composer(LineParser):
    """A batch is reported when its loss is read."""

    name = "Composer"
    about = "loss by batch; the console gives no batch's time, only a throughput smoothed over 100 batches"
    lines = (
        Line(
            "batch=",
            r"\[(?:epoch=\d+(?:/\d+)?\]\[)?batch=(?P<iteration>\d+)/(?P<total>\d+)\]:? *$",
            "head",
        ),
        Line("Train ", r"^\s*Train (?:loss/train/total|trainer/loss|loss/train/ce_loss): (?P<loss>N)$", "loss"),
        Line("Train ", r"^\s*Train throughput/tokens_per_sec: (?P<tokens_per_s>N)$", "value"),
        Line("Train ", r"^\s*Train lr[\w/-]*: (?P<learning_rate>N)$", "value"),
        Line("Train ", r"^\s*Train l2_norm/grad/global: (?P<gradient_norm>N)$", "value"),
        Line("Train ", r"^\s+Train [\w/.@-]+: \S+$", "known"),
        Line("Eval ", r"^\s*Eval (?P<key>[\w/.@-]{1,120}): (?P<value>N)$", "evaluated"),
    )
    examples = (
        Example(
            """
[batch=1/100]:
\t Train time/batch: 0
\t Train loss/train/total: 10.5
[epoch=0/1][batch=2/100]:
\t Train loss/train/total: 10.25
\t Eval metrics/eval/Accuracy: 0.5
""",
            iterations=((1, None, 1, 10.5), (2, None, 1, 10.25)),
            evaluations=((2, {"metrics/eval/Accuracy": 0.5}),),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._record: Fields | None = None

    @handler(iterations=True)
    def head(self, fields: Fields, line: LogLine) -> list[Event]:
        """A record begins; one that held no loss ends here."""
        events = self._end_record(line)
        self._record = fields
        return events

    @handler()
    def value(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A value of the record."""
        if self._record is not None:
            self._record |= fields
        return []

    @handler()
    def loss(self, fields: Fields, line: LogLine) -> list[Event]:
        """The value that a batch is reported with."""
        self.value(fields, line)
        return self._end_record(line)

    @handler(numbers=("value",), texts=("key",))
    def evaluated(self, fields: Fields, line: LogLine) -> list[Event]:
        """One value of an evaluation."""
        index = self.last if self._record is None else whole(self._record["iteration"])
        self._record = None
        value = finite(fields.get("value"))
        return [] if value is None else [ended(EVALUATION, line.at_s, index, values={fields["key"]: value})]

    def _end_record(self, line: LogLine) -> list[Event]:
        record, self._record = self._record, None
        return [] if record is None else self.iteration(record, line)
