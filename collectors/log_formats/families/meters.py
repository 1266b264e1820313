"""What PyTorch's ImageNet example and its children share: `Test: [ 10/196]  Time 0.300 (0.400)  Loss 2.1 (2.2)` is a part of an
evaluation. Its meters begin anew with it: the mean in brackets times the number of batches is its length."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..parsing.grammar import Line, handler
from ..parsing.lines import LineParser
from ..parsing.validation import Validation

if TYPE_CHECKING:
    from ....events import Event
    from ..parsing.values import Fields, LogLine

TESTS = Line(
    "Time", r"(?i:test|val|valid|validation|eval|evaluation): *\[ *(?P<batch>\d+)/(?P<batches>\d+)\]\s+Time:? +[\d.]+ \( *(?P<duration_s>N)\)"
    r"(?:.{0,80}?\bLoss:? +\S+ \( *(?P<loss>N)\))?", "tests")  # fmt: skip


class Meters(LineParser):
    """Lines of training and of evaluations, with meters for both."""

    def __init__(self) -> None:
        super().__init__()
        self.validation = Validation()

    @handler(iterations=True)
    def iteration(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch of the training, with which an evaluation is over."""
        return [*self.validation.over(), *super().iteration(fields, line)]

    @handler()
    def tests(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch of an evaluation."""
        mean_s, loss = fields["duration_s"], fields.get("loss")
        part = {"iteration": fields["batch"], "length": fields["batches"], "spent_s": mean_s * fields["batches"]}
        return self.validation.part(part, line, self.next_index, {} if loss is None else {"val_loss": loss})

    def end(self) -> list[Event]:
        """The log is over: an evaluation at its end is, too."""
        return self.validation.over()
