"""The gnmt reference of MLPerf.

    0: TRAIN [1][1060/1885]  Time 0.145 (0.143)  Data 2.2e-04 (4.2e-04)  Tok/s 100681 (96405)  Loss/tok 3.27 (3.41)
The first figure is that of the newest batch, which is used; the one in brackets the epoch's mean. Times are seconds of one
batch, data loading included, and wait for the GPU through `loss.item()`. Meters begin anew with each epoch: validation and
checkpoints are in none of them.
"""

from __future__ import annotations

from .....events import DATA
from ...base import Example
from ...parsing.grammar import Line
from ...parsing.lines import LineParser


class Gnmt(LineParser):
    """Several ranks print; the first that does is read."""

    name = "GNMT"
    about = "the newest batch's seconds, with its data; without validation and checkpoint"
    time_includes = (DATA,)
    lines = (
        Line("TRAIN [", r"(?:(?P<rank>\d+): )?TRAIN \[(?P<epoch>\d+)\]\[(?P<batch>\d+)/(?P<batches>\d+)\]\s+Time (?P<duration_s>N) \([^)]*\)"
             r"\s+Data (?P<data_wait_s>N) \([^)]*\)\s+Tok/s [\d.,]+ \([^)]*\)(?:\s+Loss/tok (?P<loss>N) \([^)]*\))?"
             r"(?:\s+LR (?P<learning_rate>N))?"),
        Line("VALIDATION [", r"VALIDATION \[\d+\]\[\d+/\d+\]\s+Time", "known"),
    )  # fmt: skip
    examples = (
        Example(
            """
1: TRAIN [0][10/241]\tTime 0.028 (0.096)\tData 6.91e-05 (2.78e-02)\tTok/s 40254 (34076)\tLoss/tok 9.5 (10.5)\tLR 5.610e-05
0: TRAIN [0][10/241]\tTime 0.028 (0.096)\tData 6.91e-05 (2.78e-02)\tTok/s 40254 (34076)\tLoss/tok 9.5 (10.5)\tLR 5.610e-05
1: TRAIN [1][0/241]\tTime 0.025 (0.096)\tData 6.91e-05 (2.78e-02)\tTok/s 40254 (34076)\tLoss/tok 9.0 (10.5)\tLR 5.610e-05
""",
            iterations=((10, 0.028, 1, 9.5), (241, 0.025, 1, 9.0)),
        ),
    )
