"""OpenPCDet.

    Train:    1/3 ( 33%) [  49/323 ( 15%)]  Loss: 36.77 (81.7)  ...  Data time: 0.00(0.02)  ...  Batch time: 0.31(0.31)
The first figure is that of the newest batch, and no picture of the 50 since the row before; the one in brackets is the epoch's
mean, too rough to tell what those took. The stamps do: they are the rows' times. In a log without them it is the first figure.
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


class OpenPcDet(LineParser):
    """OpenPCDet; epochs count from 1, and `Acc_iter` counts on through them."""

    name = "OpenPCDet"
    about = "the seconds between rows by their stamps, or the newest batch's; with its data"
    time_includes = (DATA,)
    lines = (
        Line("Acc_iter", r"Train: +(?P<nth>\d+)/(?P<epochs>\d+) \( *\d+%\) \[ *(?P<batch_of_epoch>\d+)/(?P<length>\d+) \( *\d+%\)\] +Loss: (?P<loss>N) \([^)]*\) +LR: (?P<learning_rate>N)"
             r".{0,80}?Acc_iter (?P<iteration>\d+) +Data time: (?P<data_wait_s>N)\([^)]*\).{0,80}?Batch time: (?P<duration_s>N)\("),
    )  # fmt: skip
    examples = (
        Example(
            """
Train:    1/3 ( 33%) [  49/323 ( 15%)]  Loss: 36.75 (81.7)  LR: 1.431e-04  Time cost: 00:15/01:25 [00:15/04:48]  Acc_iter 50          Data time: 0.00(0.02)  Forward time: 0.31(0.29)  Batch time: 0.3125(0.31)
""",
            iterations=((50, 0.3125, 1, 36.75),),
        ),
    )

    @handler(iterations=True, texts=("nth", "epochs", "batch_of_epoch", "length"))
    def iteration(self, fields: Fields, line: LogLine) -> list[Event]:
        """A row: what one batch waited is no wait of all since the row before, but for an epoch's first."""
        nth, epochs, batch, length = (
            int(fields.pop(name)) for name in ("nth", "epochs", "batch_of_epoch", "length")
        )
        if batch:
            fields.pop("data_wait_s")
        if fields["iteration"] == (nth - 1) * length + batch + 1:  # else epochs had another length before
            fields["total"] = float(epochs * length)
        if line.stamped:
            fields.pop("duration_s")
        return super().iteration(fields, line)
