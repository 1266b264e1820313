"""Scripts that descend from the deep learning tutorials of Theano (2010 to 2017).

    epoch 1, minibatch 2500/2500, validation error 10.500000 %
         epoch 1, minibatch 2500/2500, test error of best model 9.500000 %
    The code run for 74 epochs, with 1.936983 epochs/sec
Only validations are printed, with the place at which they were. There is no time, and no training loss.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class TheanoTutorials(LineParser):
    """Validations, by their place."""

    name = "Theano tutorials"
    about = "batches at which it was validated; no time and no training loss is printed"
    first_epoch = 1
    lines = (
        Line("validation error", r"^\s*epoch (?P<epoch>\d+), minibatch (?P<batch>\d+)/(?P<batches>\d+), (?:this )?validation error (?P<found>N) ?%",
             "validated"),
        Line("test error", r"^\s*epoch \d+, minibatch \d+/\d+, test error of (?:the )?best model", "known"),
        Line("The code run for", r"^The code run for \d+ epochs, with ", "known"),
        Line("Optimization complete", r"^Optimization complete", "known"),
    )  # fmt: skip
    examples = (
        Example(
            """
epoch 1, minibatch 2500/2500, validation error 10.500000 %
     epoch 1, minibatch 2500/2500, test error of best model 9.500000 %
epoch 2, minibatch 2500/2500, validation error 8.500000 %
""",
            iterations=((2500, None, 1, None), (5000, None, 1, None)),
            evaluations=((2500, {"validation error %": 10.5}), (5000, {"validation error %": 8.5})),
        ),
    )

    @handler(iterations=True, numbers=("found",))
    def validated(self, fields: Fields, line: LogLine) -> list[Event]:
        """A validation, which says how far the training is."""
        found = fields.pop("found")
        events = self.iteration(fields, line)
        return (
            [*events, *self.evaluation({"validation error %": found, "iteration": self.last}, line)]
            if events
            else []
        )
