"""timm's `train.py`.

    Train: 3 [ 150/1251 ( 12%)]  Loss: 6.9 (6.95)  Time: 0.412s,  621.36/s  (0.430s,  595.35/s)  LR: 1e-03  Data: 0.01 (0.02)
The first figure is that of the newest batch, which is used; the one in brackets the epoch's mean. Times are seconds of one
batch, data loading included, and wait for the GPU through `loss.item()`. Meters begin anew with each epoch: validation and
checkpoints are in none of them.
"""

from __future__ import annotations

from .....events import DATA
from ...base import Example
from ...families.meters import TESTS, Meters
from ...parsing.grammar import Line


class Timm(Meters):
    """timm's `train.py`; updates were 1-based before 2023, and epochs printed as 3/300 since."""

    name = "timm"
    about = "the newest batch's seconds, with its data; without validation and checkpoint"
    time_includes = (DATA,)
    lines = (
        Line("Time:", r"Train: (?P<epoch>\d+)(?:/\d+)? \[ *(?P<batch>\d+)/(?P<batches>\d+) +\( *\d+%\)\] +Loss: +(?P<loss>N) \([^)]*\) +"
             r"Time: +(?P<duration_s>N)s, +[\d.]+/s +\((?P<so_far>N)s?\b[^)]*\)(?: +LR: (?P<learning_rate>N))?(?: +Data: (?P<data_wait_s>N)(?: \( *(?P<waits_so_far>N)\))?)?"),
        TESTS,
    )  # fmt: skip
    examples = (
        Example(
            """
Train: 0 [  50/1251 (  4%)]  Loss: 6.95 (6.96)  Time: 0.412s,  621.36/s  (0.430s,  595.35/s)  LR: 1.000e-03  Data: 0.010 (0.020)
Train: 1/300 [  50/1251 (  4%)]  Loss:  6.85 (6.86)  Time: 0.4s,  621.36/s  (0.430s,  595.35/s)  LR: 1.000e-03  Data: 0.010 (0.020)
""",
            iterations=((50, 0.412, 1, 6.95), (1301, 0.4, 1, 6.85)),
        ),
    )
