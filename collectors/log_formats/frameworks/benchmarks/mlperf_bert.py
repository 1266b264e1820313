"""The BERT reference of MLPerf.

    {'training_steps': 6024, 'average_loss': 3.8, ..., 'global_steps': 994, ..., 'timestamp': 1593153554.72}
The time of a step is the difference of two such time stamps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import EVALUATION
from ....patterns import lazy_pattern
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import Fields, LogLine, finite, number

if TYPE_CHECKING:
    from .....events import Event

_BERT = lazy_pattern(r"'(average_loss|step_loss|learning_rate|global_steps|timestamp)': ([-+\w.]{1,40})")


class MlPerfBert(LineParser):
    """A dictionary for each step of the optimizer, from one rank."""

    name = "MLPerf BERT"
    about = "difference of the lines' own time stamps: one step, with all that happened in between"
    time_includes = (EVALUATION,)
    from_stamps = True
    lines = (Line("'global_steps':", r"\{'training_steps': \d+, 'average_loss': ", "step"),)
    examples = (
        Example(
            """
0: {'training_steps': 6024, 'average_loss': 3.8, 'step_loss': 3.5, 'learning_rate': 0.0003, 'seq/s': 349.6, 'global_steps': 994, 'samples_trained': 286272, 'skipped_steps': 10, 'timestamp': 1593153554.5}
0: {'training_steps': 6030, 'average_loss': 3.4, 'step_loss': 3.0, 'learning_rate': 0.0003, 'seq/s': 392.9, 'global_steps': 995, 'samples_trained': 286560, 'skipped_steps': 10, 'timestamp': 1593153555.25}
""",
            iterations=((994, None, 1, 3.5), (995, 0.75, 1, 3.0)),
        ),
    )

    @handler(iterations=True)
    def step(self, _fields: Fields, line: LogLine) -> list[Event]:
        """A step; its time stamp stands at the end of the line."""
        read = {key: number(value) for key, value in _BERT.findall(line.text[:2000])}
        stamp_s = finite(read.get("timestamp"))
        line = line._replace(stamped=False) if stamp_s is None else line.at(stamp_s)
        fields = {"iteration": read.get("global_steps"), "loss": read.get("step_loss"),
                  "learning_rate": read.get("learning_rate")}  # fmt: skip
        return [] if fields["iteration"] is None else self.iteration(fields, line)
