"""Tacotron and its relatives in TensorFlow: a line a step.

    Step   10000 [1.234 sec/step, loss=0.61234, avg_loss=0.61321]
    [2018-03-01 10:10:10.123]  Step 100      [01.234 sec/step, loss=0.70000, avg_loss=0.69000]
`sec/step` is the mean over the newest hundred steps, data included: it hides what a single step took, so where the lines have stamps
these give the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class Tacotron(LineParser):
    """A line a step; its time is a moving mean."""

    name = "Tacotron"
    about = "time stamps' difference, all in it; without stamps sec/step, the mean over the newest 100 steps"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    from_stamps = True
    lines = (
        Line(
            "sec/step",
            r"\bStep +(?P<iteration>\d+) +\[(?P<duration_s>N) sec/step, loss=(?P<loss>N), avg_loss=",
            "step",
        ),
        Line("Saving checkpoint to:", r"Saving checkpoint to: (?P<detail>\S{1,400})", "checkpoint"),
    )
    examples = (
        Example(
            """
[2018-03-01 10:10:10.125]  Step 1       [01.500 sec/step, loss=0.75000, avg_loss=0.75000]
[2018-03-01 10:10:11.625]  Step 2       [01.250 sec/step, loss=0.62500, avg_loss=0.68750]
Saving checkpoint to: logs/model.ckpt-2
""",
            iterations=((1, None, 1, 0.75), (2, 1.5, 1, 0.625)),
            checkpoints=(3,),
        ),
        Example(
            """
Step       1 [1.500 sec/step, loss=0.75000, avg_loss=0.75000]
Step       2 [1.250 sec/step, loss=0.62500, avg_loss=0.68750]
""",
            iterations=((1, 1.5, 1, 0.75), (2, 1.25, 1, 0.625)),
            variant="Tacotron without stamps",
        ),
    )

    @handler(iterations=True)
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """A step."""
        if line.stamped:
            fields.pop("duration_s", None)
        return self.iteration(fields, line)
