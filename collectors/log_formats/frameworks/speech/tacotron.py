"""Tacotron and its relatives in TensorFlow: a line a step.

    Step   10000 [1.234 sec/step, loss=0.61234, avg_loss=0.61321]
    [2018-03-01 10:10:10.123]  Step 100      [01.234 sec/step, loss=0.70000, avg_loss=0.69000]
`sec/step` is the mean over the newest hundred steps, in which each session's run is timed, data included.
"""

from __future__ import annotations

from .....events import DATA
from ...base import Example
from ...parsing.grammar import Line
from ...parsing.lines import LineParser


class Tacotron(LineParser):
    """A line a step; its time is a moving mean."""

    name = "Tacotron"
    about = "sec/step: the mean over the newest 100 steps, with data; without evaluation and checkpoint"
    time_includes = (DATA,)
    lines = (
        Line("sec/step", r"\bStep +(?P<iteration>\d+) +\[(?P<duration_s>N) sec/step, loss=(?P<loss>N), avg_loss="),
        Line("Saving checkpoint to:", r"Saving checkpoint to: (?P<detail>\S{1,400})", "checkpoint"),
    )
    examples = (
        Example(
            """
[2018-03-01 10:10:10.125]  Step 1       [01.500 sec/step, loss=0.75000, avg_loss=0.75000]
[2018-03-01 10:10:11.625]  Step 2       [01.250 sec/step, loss=0.62500, avg_loss=0.68750]
Saving checkpoint to: logs/model.ckpt-2
""",
            iterations=((1, 1.5, 1, 0.75), (2, 1.25, 1, 0.625)),
            checkpoints=(3,),
        ),
    )
