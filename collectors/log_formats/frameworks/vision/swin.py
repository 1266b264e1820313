"""Swin Transformer's `main.py`.

    Train: [3/300][150/1251]  eta 0:10:00 lr 0.001  time 0.4120 (0.4300)  loss 6.9000 (6.9500)
The first figure is that of the newest batch, which is used; the one in brackets the epoch's mean. Times are seconds of one
batch, data loading included, and wait for the GPU through `loss.item()`. Meters begin anew with each epoch: validation and
checkpoints are in none of them.
"""

from __future__ import annotations

from .....events import DATA
from ...base import Example
from ...families.meters import TESTED, TESTS, Meters
from ...parsing.grammar import Line


class Swin(Meters):
    """Swin Transformer's `main.py`; a line without a place in the epoch stands for the whole epoch."""

    name = "Swin"
    about = "the newest batch's seconds, with its data; without validation and checkpoint"
    time_includes = (DATA,)
    lines = (
        Line("time ", r"Train: \[(?P<epoch>\d+)/(?P<epochs>\d+)\]\[(?P<batch>\d+)/(?P<batches>\d+)\]\s+(?:eta \S+ )?lr (?P<learning_rate>N)"
             r"(?:\s+wd \S+)?\s+time (?P<duration_s>N) \((?P<so_far>N)\)\s+loss (?P<loss>N) \([^)]*\)(?:\s+grad_norm (?P<gradient_norm>N))?"),
        Line("time ", r"Train: \[(?P<iteration>\d+)/(?P<total>\d+)\]\s+(?:eta \S+ )?lr (?P<learning_rate>N)\s+time \S+ \([^)]*\)"
             r"\s+loss \S+ \((?P<loss>N)\)"),
        Line("EPOCH", r"EPOCH \d+ training takes", "known"),
        TESTS._replace(distinctive=False),
        TESTED,
    )  # fmt: skip
    examples = (
        Example(
            """
[2021-04-11 02:03:00 swin_tiny](main.py 200): INFO Train: [1/300][150/1251]\teta 0:10:00 lr 0.001000\ttime 0.4125 (0.4300)\tloss 6.5000 (6.9500)\tgrad_norm 1.5 (2.0)\tmem 11000MB
""",
            iterations=((1401, 0.4125, 1, 6.5),),
        ),
    )
