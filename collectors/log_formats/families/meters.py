"""What PyTorch's ImageNet example and its children share: `Test: [ 10/196]  Time 0.300 (0.400)  Loss 2.1 (2.2)` is a part of an
evaluation. Its meters begin anew with it: the mean in brackets times the number of batches is its length."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..parsing.grammar import Line, handler
from ..parsing.lines import LineParser
from ..parsing.validation import Validation
from ..parsing.values import whole
from .means_so_far import SoFar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event
    from ..parsing.values import Fields, LogLine

TESTS = Line(
    "Time", r"(?i:test|val|valid|validation|eval|evaluation): *\[ *(?P<batch>\d+)/(?P<batches>\d+)\]\s+Time:? +[\d.]+ \( *(?P<duration_s>N)\)"
    r"(?:.{0,80}?\bLoss:? +\S+ \( *(?P<loss>N)\))?", "tests")  # fmt: skip

_UNSURE = 0.02
"""Of a batch's time: a wait that may be wrong by more than this is not told."""


class Meters(LineParser):
    """Lines of training and of evaluations, with meters for both."""

    def __init__(self) -> None:
        super().__init__()
        self.validation = Validation()
        self._so_far, self._waits = SoFar(), SoFar()
        self._several = False  # processes print their rows side by side: each waits for its own data
        self._batch = 0  # of the newest row
        self._again = False  # the newest line is another process's row of the newest place
        self._beside = False  # another line came behind it: a save, an evaluation

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """Between two rows that stand side by side nothing else is told of that may have taken the time."""
        self._again = False
        events = super().line(text, at_s)
        self._beside = self._beside or (not (events or self._again) and bool(text.strip()))
        return events

    @handler(iterations=True, texts=("so_far", "waits_so_far"))
    def iteration(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch of the training, with which an evaluation is over."""
        waits = fields.pop("waits_so_far", None)
        if (mean := fields.pop("so_far", None)) is not None:
            fields |= self._hidden(fields, mean, waits)
        return [*self.validation.over(), *super().iteration(fields, line)]

    def _hidden(self, fields: Fields, mean: str, waits: str | None) -> Fields:
        """The mean of all batches since the row before of the same epoch, where one of them took longer than the printed one.

        What is waited for data is of all of them, too: one batch's wait says nothing of those that no row is of.
        """
        batch, index = whole(fields["batch"]), self.position(fields)
        if index is not None and index == self.last:
            self._several = self._again = True
            self._so_far.again(mean)
            return {}
        if batch is None or index is None or self.last is None or index - self.last != batch - self._batch:
            self._so_far.begin()
            self._waits.begin()
        self._batch, beside, self._beside = batch or 0, self._beside, False
        found = self._so_far.between(self._batch + 1, mean, fields["duration_s"])
        allowed_s = _UNSURE * fields["duration_s"]
        wait_s = None if waits is None else self._waits.each(self._batch + 1, waits, allowed_s)
        if found and not beside:
            wait_s = wait_s if wait_s is not None and wait_s <= found[0] and not self._several else None
            return {"duration_s": found[0], "averaged_over": found[1], "data_wait_s": wait_s}
        return {}

    @handler()
    def tests(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch of an evaluation."""
        mean_s, loss = fields["duration_s"], fields.get("loss")
        part = {"iteration": fields["batch"], "length": fields["batches"], "spent_s": mean_s * fields["batches"]}
        return self.validation.part(part, line, self.next_index, {} if loss is None else {"val_loss": loss})

    def end(self) -> list[Event]:
        """The log is over: an evaluation at its end is, too."""
        return self.validation.over()
