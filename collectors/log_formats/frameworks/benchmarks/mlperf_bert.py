"""The BERT reference of MLPerf.

    {'training_steps': 6024, 'average_loss': 3.8, ..., 'global_steps': 994, ..., 'timestamp': 1593153554.72}
The time of a step is the difference of two such time stamps.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .....events import EVALUATION
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import Fields, LogLine, finite, number

if TYPE_CHECKING:
    from .....events import Event

_BERT = re.compile(r"'(average_loss|step_loss|learning_rate|global_steps|timestamp)': ([-+\w.]{1,40})")


class MlPerfBert(LineParser):
    """A dictionary for each step of the optimizer, from one rank."""

    name = "MLPerf BERT"
    about = "difference of the lines' own time stamps: one step, with all that happened in between"
    time_includes = (EVALUATION,)
    from_stamps = True
    lines = (Line("'global_steps':", r"\{'training_steps': \d+, 'average_loss': ", "step"),)

    @handler(iterations=True)
    def step(self, _fields: Fields, line: LogLine) -> list[Event]:
        """A step; its time stamp stands at the end of the line."""
        read = {key: number(value) for key, value in _BERT.findall(line.text[:2000])}
        stamp_s = finite(read.get("timestamp"))
        line = line._replace(stamped=False) if stamp_s is None else line.at(stamp_s)
        fields = {"iteration": read.get("global_steps"), "loss": read.get("step_loss"),
                  "learning_rate": read.get("learning_rate")}  # fmt: skip
        return [] if fields["iteration"] is None else self.iteration(fields, line)
