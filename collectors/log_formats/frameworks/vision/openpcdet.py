"""OpenPCDet.

    Train:    1/3 ( 33%) [  49/323 ( 15%)]  Loss: 36.77 (81.7)  ...  Data time: 0.00(0.02)  ...  Batch time: 0.31(0.31)
The first figure is that of the newest batch, which is used; the one in brackets the epoch's mean. Times are seconds of one
batch, data loading included, and wait for the GPU through `loss.item()`. Meters begin anew with each epoch: validation and
checkpoints are in none of them.
"""

from __future__ import annotations

from .....events import DATA
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
