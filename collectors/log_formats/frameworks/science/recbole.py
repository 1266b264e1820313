"""RecBole: a line for the training of an epoch, and one for its evaluation.

    Thu 11 Jan 2024 17:35:31 INFO  epoch 0 training [time: 0.35s, train loss: 27.7254]
    Thu 11 Jan 2024 17:35:31 INFO  epoch 0 evaluating [time: 0.23s, valid_score: 0.019400]
    Thu 11 Jan 2024 17:35:31 INFO  Finished training, best eval result in epoch 0
Epochs count from 0. The loss is the sum over the batches of an epoch; a model with several prints each, and none of them is all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import DATA, EVALUATION, Config
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import ended, whole

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class RecBole(LineParser):
    """Epochs."""

    name = "RecBole"
    about = "time: the training of one epoch, without its evaluation; an epoch is an iteration"
    unit = "epoch"
    time_includes = (DATA,)
    lines = (
        Line("training [", r"\bepoch (?P<iteration>\d+) training \[time: (?P<duration_s>N)s, train[ _]loss: (?P<loss>N)\]", "row"),
        Line("training [", r"\bepoch (?P<iteration>\d+) training \[time: (?P<duration_s>N)s, train[ _]loss1: -?\d", "row"),
        Line("evaluating [", r"\bepoch (?P<epoch>\d+) evaluating \[time: (?P<took>N)s, valid_score: (?P<score>N)\]", "evaluated"),
        Line("Finished training", r"\bFinished training, best eval result in epoch \d+", "done"),
        Line("epochs", r"^epochs ?= ?(?P<epochs>\d+)$", "planned", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
epochs = 50
Thu 11 Jan 2024 17:35:31 INFO  epoch 0 training [time: 8.25s, train loss: 27.5000]
Thu 11 Jan 2024 17:35:33 INFO  epoch 0 evaluating [time: 1.75s, valid_score: 0.125000]
Thu 11 Jan 2024 17:35:41 INFO  epoch 1 training [time: 8.50s, train loss: 26.5000]
Thu 11 Jan 2024 17:35:43 INFO  epoch 1 evaluating [time: 1.50s, valid_score: 0.250000]
Thu 11 Jan 2024 17:35:43 INFO  Finished training, best eval result in epoch 1
""",
            iterations=((0, 8.25, 1, 27.5), (1, 8.5, 1, 26.5)),
            evaluations=((1, {"valid_score": 0.125}), (2, {"valid_score": 0.25})),
        ),
    )

    @handler(numbers=("epochs",))
    def planned(self, fields: Fields, _line: LogLine) -> list[Event]:
        """How many epochs there are to be, at most."""
        epochs = whole(fields["epochs"])
        return [Config(origin="log", max_iterations=epochs)] if epochs and self.last is None else []

    @handler(iterations=True)
    def row(self, fields: Fields, line: LogLine) -> list[Event]:
        """The training of an epoch is over."""
        return self.iteration(fields, line)

    @handler(numbers=("took", "score"))
    def evaluated(self, fields: Fields, line: LogLine) -> list[Event]:
        """Its evaluation is."""
        values = {"valid_score": fields["score"]}
        end = ended(EVALUATION, line.at_s, self.next_index, fields["took"], values=values, apart=True)
        return [replace(end, after=self.last)]
