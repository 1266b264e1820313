"""Torch7's trainings of many batches an epoch, in Lua.

    Epoch: [2][30/10000]	Time 0.500 Err 4.2500 Top1-%: 10.00 LR 1e-02 DataLoadingTime 0.125
    Epoch: [2][30/2000]	Time 0.500 DataTime 0.125 TrainingLoss 4.2500

One clock begins anew when the batch has come, and one when the row is printed: the time holds no wait for the data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_PLACE = r"Epoch: \[(?P<epoch>\d+)\]\[ *(?P<batch>\d+)/(?P<batches>\d+)\]\s+Time:? (?P<duration_s>N)"
_LOSS = r"(?:Err|(?:Train(?:ing)?)?Loss):? (?P<loss>N)"


class Torch7(LineParser):
    """Rows of a batch each, which count from 1 in each epoch."""

    name = "Torch7"
    about = "a batch's seconds and the wait before it, which the log prints apart; without evaluation"
    time_includes = (DATA,)
    first_epoch = 1
    lines = (
        Line("DataLoadingTime", rf"{_PLACE} {_LOSS}\b.{{0,80}}?\bDataLoadingTime:? (?P<data_wait_s>N)"),
        Line("DataTime", rf"{_PLACE} DataTime:? (?P<data_wait_s>N) {_LOSS}\b"),
    )
    examples = (
        Example(
            """
==> online epoch # 1
Epoch: [1][1/2]	Time 0.500 Err 6.5000 Top1-%: 0.00 LR 1e-02 DataLoadingTime 1.250
Epoch: [1][2/2]	Time 0.500 Err 6.2500 Top1-%: 1.00 LR 1e-02 DataLoadingTime 0.125
Epoch: [2][1/2]	Time 0.500 Err 6.1250 Top1-%: 1.00 LR 1e-02 DataLoadingTime 0.250
""",
            iterations=((1, 1.75, 1, 6.5), (2, 0.625, 1, 6.25), (3, 0.75, 1, 6.125)),
        ),
        Example(
            """
<trainer> online epoch # 1
Epoch: [1][1/2]	Time 0.500 DataTime 1.250 TrainingLoss 3.5000
Epoch: [1][2/2]	Time 0.500 DataTime 0.125 TrainingLoss 3.2500
""",
            iterations=((1, 1.75, 1, 3.5), (2, 0.625, 1, 3.25)),
            variant="the wait before the loss",
        ),
    )

    @handler(iterations=True)
    def iteration(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch, with the wait for it."""
        both_s = fields["duration_s"] + fields["data_wait_s"]
        return super().iteration(fields | {"duration_s": both_s}, line)
