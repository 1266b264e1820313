"""The BERT fine-tuning tutorial of McCormick and Ryan, and the many scripts that were made of it.

    ======== Epoch 2 / 4 ========
    Training...
      Batch 1,150  of  1,832.    Elapsed: 0:07:42.
      Average training loss: 0.12
      Training epcoh took: 0:12:15
    Running Validation...
      Accuracy: 0.94
      Validation Loss: 0.24
      Validation took: 0:00:27
The clock is that of the epoch, in whole seconds. A line of batches outside of an epoch's training is a prediction's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA, EVALUATION, SpanBegin, Total
from ...base import Example
from ...families.elapsed import ElapsedParser, clock_seconds
from ...parsing.grammar import Line, handler
from ...parsing.values import ended

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_CLOCK = r"(?P<clock>(?:\d{1,3}:)?\d{1,4}:\d\d:\d\d)"
_VALUE = r"(?P<value>[\d.]{1,20}|nan)"


class BertTutorial(ElapsedParser):
    """Batches by the clock of their epoch."""

    name = "BERT tutorial"
    about = "mean time of the batches since the line before, by the epoch's clock; validation is apart"
    time_includes = (DATA,)
    lines = (
        Line("Elapsed:", rf"^\s*Batch\s+(?P<batch>[\d,]{{1,12}})\s+of\s+(?P<batches>[\d,]{{1,12}})\.\s+Elapsed:\s+{_CLOCK}\.?\s*$", "batch"),
        Line("= Epoch ", r"^=+ Epoch (?P<epoch>\d+) / (?P<epochs>\d+) =+$", "begins", distinctive=False),
        Line("verage training loss:", rf"^\s*Average training loss: {_VALUE}$", "loss", distinctive=False),
        Line("raining ep", rf"^\s*Training ep(?:oc|co)h took:\s+{_CLOCK}", "trained", distinctive=False),
        Line("unning Validation", r"^\s*Running Validation", "validates", distinctive=False),
        Line(":", rf"^\s*(?P<name>Accuracy|Validation Loss|F1[ \w-]{{0,20}}|MCC): {_VALUE}$", "found", distinctive=False),
        Line("alidation took:", rf"^\s*Validation took:\s+{_CLOCK}", "validated", distinctive=False),
        Line("raining complete!", r"^\s*Training complete!", "done", distinctive=False),
        Line("training took", rf"Total training took {_CLOCK}", "in_all", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
======== Epoch 1 / 2 ========
Training...
  Batch    40  of    100.    Elapsed: 0:00:40.
  Batch    80  of    100.    Elapsed: 0:01:20.

  Average training loss: 0.50
  Training epcoh took: 0:01:40

Running Validation...
  Accuracy: 0.80
  Validation Loss: 0.45
  Validation took: 0:00:05

======== Epoch 2 / 2 ========
Training...
  Batch    40  of    100.    Elapsed: 0:00:42.
  Batch    80  of    100.    Elapsed: 0:01:24.

  Average training loss: 0.30
  Training epcoh took: 0:01:45

Running Validation...
  Accuracy: 0.82
  Validation Loss: 0.47
  Validation took: 0:00:05

Training complete!
Total training took 0:03:35 (h:mm:ss)
Predicting labels for 516 test sentences...
  Batch    40  of     45.    Elapsed: 0:00:04.
""",
            iterations=(
                (40, 1.0, 40, None),
                (80, 1.0, 40, None),
                (100, 1.0, 20, 0.5),
                (140, 1.05, 40, None),
                (180, 1.05, 40, None),
                (200, 1.05, 20, 0.3),
            ),
            evaluations=((101, {"accuracy": 0.8, "val_loss": 0.45}), (201, {"accuracy": 0.82, "val_loss": 0.47})),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._epoch = self._epochs = self._batches = 0.0
        self._trains = False
        self._loss: float | None = None  # of the epoch, said before its last batch
        self._found: dict[str, float] = {}

    @handler(numbers=("epoch", "epochs"))
    def begins(self, fields: Fields, line: LogLine) -> list[Event]:  # noqa: ARG002 - as all handlers
        """An epoch's training begins, and its clock."""
        self._epoch, self._epochs, self._trains = fields["epoch"], fields["epochs"], True
        before = (self._epoch - 1) * self._batches
        self._began, self._newest = (before, 0.0), (before, 0.0)
        return []

    @handler(iterations=True, numbers=("batch", "batches"), texts=("clock",))
    def batch(self, fields: Fields, line: LogLine) -> list[Event]:
        """Some batches of an epoch."""
        if not self._trains:
            return []
        self._batches = fields["batches"]
        return self._until(fields["batch"], fields["clock"], line)

    def _until(self, batch: float, clock: str, line: LogLine) -> list[Event]:
        fields: Fields = {
            "iteration": (self._epoch - 1) * self._batches + batch,
            "total": self._epochs * self._batches,
        }
        if batch == self._batches:
            fields["loss"], self._loss = self._loss, None
        return self.timed(fields, line, clock_seconds(clock), 1.0)

    @handler(texts=("value",))
    def loss(self, fields: Fields, line: LogLine) -> list[Event]:  # noqa: ARG002
        """The mean loss of an epoch."""
        self._loss = float(fields["value"])
        return []

    @handler(iterations=True, texts=("clock",))
    def trained(self, fields: Fields, line: LogLine) -> list[Event]:
        """The last batch of an epoch."""
        trains, self._trains = self._trains, False
        if not trains or not self._batches:
            return []
        return [*self._until(self._batches, fields["clock"], line), *self.release()]

    @handler()
    def validates(self, _fields: Fields, line: LogLine) -> list[Event]:
        """A validation begins."""
        self._trains, self._found = False, {}
        return [SpanBegin(EVALUATION, line.at_s, self.next_index)]

    @handler(texts=("name", "value"))
    def found(self, fields: Fields, line: LogLine) -> list[Event]:  # noqa: ARG002
        """What it finds."""
        name = fields["name"].lower()
        self._found[{"validation loss": "val_loss"}.get(name, name)] = float(fields["value"])
        return []

    @handler(texts=("clock",))
    def validated(self, fields: Fields, line: LogLine) -> list[Event]:
        """It is over."""
        spent_s = clock_seconds(fields["clock"])
        return [ended(EVALUATION, line.at_s, self.next_index, spent_s, values=self._found)]

    @handler(texts=("clock",))
    def in_all(self, fields: Fields, line: LogLine) -> list[Event]:
        """How long the whole training took, its validations with it."""
        took_s = clock_seconds(fields["clock"])
        return [] if took_s is None else [Total(took_s, origin="Total training took", at_s=line.at_s)]
