"""KAIR, the trainer of SwinIR, USRNet, DnCNN and others: a line every `checkpoint_print` iterations.

    25-01-26 19:55:24.534 : <epoch:  3, iter:   5,000, lr:2.000e-04> G_loss: 4.286e-03
    25-01-26 19:56:10.101 : <epoch:  3, iter:   5,000, Average PSNR : 31.20dB
No time is printed: it is the difference of two lines' time stamps, with all that happened between them. What the
script says twice (two loggers of one file) is one iteration.
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


class Kair(LineParser):
    """A line every so many iterations."""

    name = "KAIR"
    about = "time stamps' difference over the iterations between two lines, all in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    from_stamps = True
    lines = (
        Line("<epoch:", r"<epoch: *\d+, iter: *(?P<iteration>\d[\d,]{0,15}), lr:(?P<learning_rate>N)>(?: (?:G_)?loss: (?P<loss>N))?", "step"),
        Line("<epoch:", r"<epoch: *\d+, iter: *[\d,]{1,16}(?:, Average PSNR ?: ?[\d.]{1,12} ?dB|> \w{1,40}: {0,3}_?[-\d.])", "evaluated"),
        Line(":   task:", r":   task: \S", "begins", distinctive=False),
        Line("Saving the model.", r"Saving the model\.$", "checkpoint", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
25-01-26 19:00:00.000 : <epoch:  0, iter:     800, lr:2.000e-04> G_loss: 2.500e-01
25-01-26 19:04:00.000 : <epoch:  0, iter:   1,000, lr:2.000e-04> G_loss: 1.250e-01
25-01-26 19:04:00.001 : <epoch:  0, iter:   1,000, lr:2.000e-04> G_loss: 1.250e-01
25-01-26 19:04:05.000 : <epoch:  0, iter:   1,000, Average PSNR : 31.20dB
""",
            iterations=((800, None, 1, 0.25), (1000, 1.2, 200, 0.125)),
            evaluations=((1001, {}),),
        ),
    )

    @handler()
    def begins(self, _fields: Fields, line: LogLine) -> list[Event]:
        """A process prints its options."""
        self.last = self.last_at_s = None
        return [self.run_info(line)]

    @handler(iterations=True)
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """An iteration, but for one that was just said."""
        return [] if fields["iteration"] == self.last else self.iteration(fields, line)

    @handler()
    def evaluated(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The result of an evaluation, which is over."""
        return self.evaluation({}, line)
