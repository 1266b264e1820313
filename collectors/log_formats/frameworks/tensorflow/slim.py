"""TensorFlow's slim, which the first object detection API and DeepLab trained with, too.

    INFO:tensorflow:global step 300: loss = 0.5210 (0.412 sec/step)           `(0.41 sec)` until TensorFlow 1.0
    INFO:tensorflow:Recording summary at step 300.
    INFO:tensorflow:Finished training! Saving model to disk.
The seconds are those of the one step that is named, with what it waited for data; steps between two rows have none. A thread of
its own saves, and records summaries, while the steps go on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA, End
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LONGEST_ORIGIN, LineParser
from ...parsing.values import unix_time

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class Slim(LineParser):
    """A line for a step, or for every tenth, with the seconds of that one."""

    name = "TensorFlow slim"
    about = "the printed seconds of the step that is named, with its wait for data; without saves and summaries"
    time_includes = (DATA,)
    lines = (
        Line(" sec", r"global step (?P<iteration>\d+): loss = (?P<loss>N) \((?P<duration_s>N) sec(?:/step)?\)"),
        Line("Recording summary at step", r"Recording summary at step \d+", "known"),
        Line("global_step/sec: ", r"global_step/sec: \d", "known", distinctive=False),
        Line("Finished training! ", r"Finished training! Saving model to disk", "finished"),
    )
    examples = (
        Example(
            """
INFO:tensorflow:global step 1: loss = 2.5000 (12.500 sec/step)
INFO:tensorflow:global step 2: loss = 1.5000 (0.250 sec/step)
INFO:tensorflow:Recording summary at step 2.
INFO:tensorflow:Finished training! Saving model to disk.
""",
            iterations=((1, 12.5, 1, 2.5), (2, 0.25, 1, 1.5)),
        ),
        Example(
            """
INFO:tensorflow:global step 1: loss = 2.5000 (12.50 sec)
INFO:tensorflow:global step 2: loss = 1.5000 (0.25 sec)
""",
            iterations=((1, 12.5, 1, 2.5), (2, 0.25, 1, 1.5)),
            variant="slim of TensorFlow 1.0",
        ),
    )

    @handler()
    def finished(self, _fields: Fields, line: LogLine) -> list[Event]:
        """All steps were made."""
        return [End(at_s=unix_time(line.at_s), detail=line.text.strip()[:LONGEST_ORIGIN])]
