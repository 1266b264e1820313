"""AllenNLP: a table of metrics at the end of each epoch.

    2019-04-19 22:30:21,965 - INFO - allennlp.training.trainer - Epoch 0/19
    2019-04-19 22:31:04,519 - INFO - allennlp.training.tensorboard_writer -                     Training |  Validation
    2019-04-19 22:31:04,520 - INFO - allennlp.training.tensorboard_writer - loss            |     1.334  |     1.228
    2019-04-19 22:31:05,088 - INFO - allennlp.training.trainer - Epoch duration: 00:00:43
The last epoch is named, not how many there are. The duration has the validation in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, EVALUATION
from ...base import Example
from ...families.elapsed import clock_seconds
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import ended, number, scalars

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_CELL = r"(?:-?\d[\d.eE+-]{0,30}|N/A|nan|inf)"
_MOST_VALUES = 200


class AllenNlp(LineParser):
    """Epochs, each with the duration that it prints."""

    name = "AllenNLP"
    about = "Epoch duration: with validation and checkpoint"
    unit = "epoch"
    reads_instead_of = ("AllenNLP bars",)  # which say less of the same epochs
    time_includes = (EVALUATION, CHECKPOINT)
    lines = (
        Line("allennlp.training.", r"allennlp\.training\.\w{1,40} - Epoch (?P<iteration>\d+)/(?P<total>\d+)\s{0,4}$", "begins"),
        Line("allennlp.training.", r"allennlp\.training\.\w{1,40} - Epoch duration: (?P<clock>[\d:.]{5,20})", "whole"),
        Line("allennlp.training.", rf"allennlp\.training\.\w{{1,40}} - (?P<key>[\w/-]{{1,60}}) +\| +(?P<train>{_CELL})(?: +\| +(?P<found>{_CELL}))?\s{{0,4}}$", "metric"),
        Line("||:", r" \|\|: {0,3}\d{1,3}%\|", "known"),
        Line("Ran out of patience", r"allennlp\.training\.\w{1,40} - Ran out of patience", "done"),
    )  # fmt: skip
    examples = (
        Example(
            """
2024-05-01 10:00:00,100 - INFO - allennlp.training.trainer - Epoch 0/1
2024-05-01 10:00:42,100 - INFO - allennlp.training.tensorboard_writer -                Training |  Validation
2024-05-01 10:00:42,100 - INFO - allennlp.training.tensorboard_writer - accuracy   |     0.500  |     0.250
2024-05-01 10:00:42,100 - INFO - allennlp.training.tensorboard_writer - gpu_0_MB   |  2500.000  |       N/A
2024-05-01 10:00:42,100 - INFO - allennlp.training.tensorboard_writer - loss       |     1.500  |     1.250
2024-05-01 10:00:43,100 - INFO - allennlp.training.trainer - Epoch duration: 00:00:43
2024-05-01 10:00:43,100 - INFO - allennlp.training.trainer - Epoch 1/1
2024-05-01 10:01:24,100 - INFO - allennlp.training.metrics - loss       |     1.250  |     1.125
2024-05-01 10:01:25,100 - INFO - allennlp.training.trainer - Epoch duration: 0:00:42.500000
""",
            iterations=((0, 43.0, 1, 1.5), (1, 42.5, 1, 1.25)),
            evaluations=((0, {"val_loss": 1.25, "validation_accuracy": 0.25}), (1, {"val_loss": 1.125})),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._place: Fields = {}  # of the epoch at hand
        self._trained: dict[str, str] = {}
        self._found: dict[str, str] = {}

    @handler()
    def begins(self, fields: Fields, _line: LogLine) -> list[Event]:
        """An epoch."""
        self._place, self._trained, self._found = fields | {"total": fields["total"] + 1}, {}, {}
        return []

    @handler(texts=("key", "train", "found"))
    def metric(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A metric of it."""
        if self._place and len(self._trained) < _MOST_VALUES:
            key, found = fields["key"], fields.get("found", "N/A")
            self._trained[key] = fields["train"]
            if found != "N/A":
                self._found["val_loss" if key == "loss" else f"validation_{key}"] = found
        return []

    @handler(iterations=True, texts=("clock",))
    def whole(self, fields: Fields, line: LogLine) -> list[Event]:
        """It is over."""
        place, self._place = self._place, {}
        if not place:
            return []
        loss, took_s = number(self._trained.pop("loss", "")), clock_seconds(fields["clock"])
        others = scalars(self._trained.items()) or None
        events = self.iteration(place | {"loss": loss, "duration_s": took_s, "scalars": others}, line)
        found = scalars(self._found.items())
        return [*events, *([ended(EVALUATION, line.at_s, place["iteration"], values=found)] if found else [])]
