"""PaddleRec: costs are means over the window since the last line.

epoch: 0, batch_id: 500, AUC:0.93, loss:0.10, avg_reader_cost: 0.0001 sec, avg_batch_cost: 0.577 sec, ips: 1772 ins/s
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA
from ...base import Example
from ...counting.ends import OpenEpochs
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class PaddleRec(LineParser):
    """PaddleRec: costs are means over the window since the last line."""

    name = "PaddleRec"
    about = "avg_batch_cost: a mean since the last line, with data (avg_reader_cost)"
    time_includes = (DATA,)
    mean = True
    lines = (
        Line("avg_batch_cost:", r"epoch: (?P<epoch>\d+), batch_id: (?P<batch>\d+),.{0,200}?(?:loss:(?P<loss>N).{0,80}?)?"
             r"avg_reader_cost: (?P<data_wait_s>N) sec, avg_batch_cost: (?P<duration_s>N) sec", "window"),
    )  # fmt: skip
    examples = (
        Example(
            """
2022-04-12 17:06:10,849 - INFO - epoch: 0, batch_id: 500, AUC:0.5, ACC:0.64, loss:0.5, avg_reader_cost: 0.00058 sec, avg_batch_cost: 0.575 sec, avg_samples: 1024.0, ips: 1000.71910 ins/s
2022-04-12 17:16:10,849 - INFO - epoch: 1, batch_id: 0, AUC:0.5, ACC:0.64, loss:0.25, avg_reader_cost: 0.00058 sec, avg_batch_cost: 0.5 sec, avg_samples: 1024.0, ips: 1000.71910 ins/s
""",
            iterations=((500, 0.575, 1, 0.5), (501, 0.5, 1, 0.25)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._epochs = OpenEpochs(first=0)

    @handler(iterations=True)
    def window(self, fields: Fields, line: LogLine) -> list[Event]:
        """Some batches of an epoch whose length is never printed."""
        fields |= self._epochs.place(fields["epoch"], fields["batch"])
        return [*self.iteration(fields, line), *self.said(self._epochs.word(), line)]
