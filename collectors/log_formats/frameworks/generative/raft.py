"""RAFT and its children (GMA, FlowFormer, RAFT-Stereo): a line every 100 steps, of means without a name.

    [   100,  0.0000205]    15.9012,     0.1893,     0.3121,     0.4402,
    2023-05-03 10:01:44,121 INFO     [train_stereo.py:101] Training Metrics (99): [   100,  0.0000205]     0.5123, ...
    Validation Chairs EPE: 1.234567
The step and the learning rate; which mean is which, their order tells only who knows the fork. No time is printed: where
a logger has stamps it is their difference, with all that happened between two lines.
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


class Raft(LineParser):
    """A line every 100 steps."""

    name = "RAFT"
    about = "time stamps' difference over the steps between two lines, all in it; a log without stamps has no time"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    from_stamps = True
    lines = (
        Line(",  0.00", r"(?:^|[\s:>)|\]])\[ {0,6}(?P<iteration>\d{1,9}),  (?P<learning_rate>0\.00\d{5})\](?: {1,10}(?:-?[\d.]{1,16}|nan|inf),){1,40} ?$", "step"),
        Line("Validation ", r"Validation \(?\w{1,30}\)?(?: EPE)?: (?:EPE )?\d", "evaluated", distinctive=False),
        Line("Parameter Count: ", r"Parameter Count: \d+$", "begins", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
Parameter Count: 5257536
[   100,  0.0000205]    15.9012,     0.1893,     0.3121,     0.4402,
[   200,  0.0000410]    12.5012,     0.2893,     0.4121,     0.5402,
Validation Chairs EPE: 3.234567
""",
            iterations=((100, None, 1, None), (200, None, 1, None)),
            evaluations=((201, {}),),
        ),
        Example(
            """
2023-05-03 10:00:52,121 INFO     [train_stereo.py:101] Training Metrics (99): [   100,  0.0000205]     0.5123,     0.7100,
2023-05-03 10:01:42,121 INFO     [train_stereo.py:101] Training Metrics (199): [   200,  0.0000410]     0.6123,     0.8100,
""",
            iterations=((100, None, 1, None), (200, 0.5, 100, None)),
            variant="RAFT-Stereo, by a logger with stamps",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._evaluated: float | None = None  # behind which step the newest evaluation was

    @handler()
    def begins(self, _fields: Fields, line: LogLine) -> list[Event]:
        """A process tells of its model; it counts from 0, whatever it loads."""
        self.last = self.last_at_s = self._evaluated = None
        return [self.run_info(line)]

    @handler(iterations=True)
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """Means since the line before."""
        return self.iteration(fields, line)

    @handler()
    def evaluated(self, _fields: Fields, line: LogLine) -> list[Event]:
        """What an evaluation found: a line for each set of images, all of one evaluation."""
        if self.last is None or self.last == self._evaluated:
            return []
        self._evaluated = self.last
        return self.evaluation({}, line)
