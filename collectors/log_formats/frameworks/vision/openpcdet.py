"""OpenPCDet.

    Train:    1/3 ( 33%) [  49/323 ( 15%)]  Loss: 36.77 (81.7)  ...  Data time: 0.00(0.02)  ...  Batch time: 0.31(0.31)
The first figure is that of the newest batch, which is used; the one in brackets the epoch's mean. Times are seconds of one
batch, data loading included, and wait for the GPU through `loss.item()`. Meters begin anew with each epoch: validation and
checkpoints are in none of them.
"""

from __future__ import annotations

from .....events import DATA
from ...base import Example
from ...parsing.grammar import Line
from ...parsing.lines import LineParser


class OpenPcDet(LineParser):
    """OpenPCDet; epochs count from 1, and `Acc_iter` counts on through them."""

    name = "OpenPCDet"
    about = "the newest batch's seconds, with its data; without validation and checkpoint"
    time_includes = (DATA,)
    lines = (
        Line("Acc_iter", r"Train: +\d+/\d+ \( *\d+%\) \[ *\d+/\d+ \( *\d+%\)\] +Loss: (?P<loss>N) \([^)]*\) +LR: (?P<learning_rate>N)"
             r".{0,80}?Acc_iter (?P<iteration>\d+) +Data time: (?P<data_wait_s>N)\([^)]*\).{0,80}?Batch time: (?P<duration_s>N)\("),
    )  # fmt: skip
    examples = (
        Example(
            """
2023-01-05 16:34:49,377   INFO  Train:    1/3 ( 33%) [  49/323 ( 15%)]  Loss: 36.75 (81.7)  LR: 1.431e-04  Time cost: 00:15/01:25 [00:15/04:48]  Acc_iter 50          Data time: 0.00(0.02)  Forward time: 0.31(0.29)  Batch time: 0.3125(0.31)
""",
            iterations=((50, 0.3125, 1, 36.75),),
        ),
    )
