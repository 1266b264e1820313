"""Informer and the many forecasters that were made of its code: Autoformer, PatchTST, Time-Series-Library.

        iters: 100, epoch: 1 | loss: 0.5000000
        speed: 0.0500s/iter; left time: 125.0000s
    Epoch: 1 cost time: 12.5
    Epoch: 1, Steps: 250 | Train Loss: 0.4500000 Vali Loss: 0.7500000 Test Loss: 0.5000000
    Validation loss decreased (inf --> 0.750000).  Saving model ...
The clock of `speed` is set back where it is printed, and nowhere else: what it shows first in an epoch, times the iterations of that
epoch, is all since the newest row, with the end of the epoch before and what came behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import seconds, whole

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class Informer(LineParser):
    """Iterations through the epochs, each hundredth with a row."""

    name = "Informer family"
    about = "speed over the iterations since the line before: a mean, with validation, test and saving between two epochs"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    mean = True
    lines = (
        Line("iters: ", r"\biters: +(?P<batch>\d+), epoch: +(?P<epoch>\d+) \| \w{0,20}loss: +(?P<loss>N)", "row"),
        Line("s/iter; left time: ", r"\bspeed: +(?P<each>N)s/iter; left time: +-?[\d.]{1,24}s", "speed"),
        Line(
            ", Steps: ",
            r"\bEpoch: +(?P<epoch>\d+), Steps: +(?P<steps>\d+) \| (?:Train Loss: +[-\d.naife]{1,24} )?"
            r"(?:Vali Loss: +\[?(?P<val_loss>N)\]?(?= |$))?(?: Test Loss: +\[?(?P<test_loss>N)\]?(?= |$))?",
            "epoch_over",
        ),
        Line(" cost time: ", r"\bEpoch: +\d+ cost time: ", "known", distinctive=False),
    )
    examples = (
        Example(
            """
	iters: 100, epoch: 1 | loss: 0.5000000
	speed: 0.0500s/iter; left time: 125.0000s
	iters: 200, epoch: 1 | loss: 0.4000000
	speed: 0.0400s/iter; left time: 100.0000s
Epoch: 1 cost time: 12.5
Epoch: 1, Steps: 250 | Train Loss: 0.4500000 Vali Loss: 0.7500000 Test Loss: 0.5000000
	iters: 100, epoch: 2 | loss: 0.2500000
	speed: 0.0900s/iter; left time: 100.0000s
""",
            iterations=((100, 0.05, 100, 0.5), (200, 0.04, 100, 0.4), (350, 0.06, 150, 0.25)),
            evaluations=((201, {"val_loss": 0.75, "test_loss": 0.5}),),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._held: tuple[Fields, LogLine] | None = None  # a row whose speed is due
        self._steps, self._is_said = 0.0, False  # of an epoch, as far as rows show it, until its line says so
        self._newest = 0.0, 0.0  # epoch and batch of the newest row
        self._before = 0.0  # iterations of the newest row's epoch when the row before was printed

    @handler(iterations=True)
    def row(self, fields: Fields, line: LogLine) -> list[Event]:
        """A hundred iterations on; how fast they were stands below."""
        events = self.release()
        epoch, batch = fields.pop("epoch"), fields.pop("batch")
        self._before = 0.0 if batch <= self._before else self._before
        if (epoch, batch) <= self._newest:  # another training, with epochs of its own
            self._steps, self._is_said = 0.0, False
        self._newest = epoch, batch
        if not self._is_said:
            self._steps = max(self._steps, batch)
        self.at_least = self.at_least or (epoch > 1 and not self._is_said)
        self._held = fields | {"iteration": (epoch - 1) * self._steps + batch, "batch": batch}, line
        return events

    @handler(numbers=("each",))
    def speed(self, fields: Fields, _line: LogLine) -> list[Event]:
        """Of the row above it."""
        if self._held is None:
            return []
        each_s, (row, _) = seconds(fields["each"]), self._held
        batch, index, newest = row["batch"], whole(row["iteration"]) or 0, self.last or 0
        passed = index - newest if index > newest else batch  # another training has begun its clock with it
        if each_s is not None and passed:
            row |= {"duration_s": each_s * (batch - self._before) / passed, "averaged_over": passed}
        self._before = batch
        return self.release()

    @handler(numbers=("steps", "test_loss"))
    def epoch_over(self, fields: Fields, line: LogLine) -> list[Event]:
        """An epoch: of how many iterations it was, and what was found behind it."""
        events = self.release()
        fields.pop("epoch")
        self._steps, self._is_said = fields.pop("steps"), True
        return [*events, *self.evaluation(fields, line)] if fields else events

    def release(self) -> list[Event]:
        """Nothing comes that the row could wait for."""
        if self._held is None:
            return []
        (fields, line), self._held = self._held, None
        fields.pop("batch", None)
        return self.iteration(fields, line)
