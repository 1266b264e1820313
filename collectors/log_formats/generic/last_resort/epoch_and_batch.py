"""Rows whose brackets hold an epoch and a batch of so many, with values of any names and a loss or more among them.

[3,   25/ 2562] - train_losses - Parent: 7.12 - Encoder Loss (total): 363.9 - [wd: 5.00e-02] [lr: 7.52e-05] (1251.1 ms)
Which of several losses is the one that is trained, only who wrote it knows: none but a plain `loss` is taken for it. The time at
the end is left out: it may be a mean so far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ....patterns import lazy_pattern
from ...base import Specificity
from ...counting.progression import Progression
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.phases import Phase, of_line
from ...parsing.values import number, scalars
from ..line_values import values_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import Event
    from ...parsing.values import Fields, LogLine

_ROW = (
    r"^\[ {0,3}(?P<epoch>\d{1,6}), {0,8}(?P<batch>\d{1,9}) {0,3}/ {0,8}(?P<batches>\d{1,9}) {0,3}\] "
    r"(?=.{0,600}?(?i:loss))(?=.{0,1000}?\blr: ?\d)(?P<said>.{1,1500})$"
)
_SEVERAL = lazy_pattern(r"[\w()./-]{1,40}: ?\[ ?[-\d][^\[\]:]{0,200}\]")
"""`Loss: [0.25 / 89.25]`: nobody knows which of them is its value."""
_LOSSES = ("loss", "train_loss", "Loss")
_FINE = lazy_pattern(r"(?i)\.|nan|inf")
_MOST_HELD = 64


class EpochAndBatch(LineParser):
    """Rows, once they have counted on."""

    name = "epoch and batch"
    about = "rows whose brackets hold the epoch and the batch of so many; times from stamps"
    specificity = Specificity.ALONE
    from_stamps = True
    first_epoch = None
    lines: ClassVar[tuple[Line, ...]] = (Line("lr:", _ROW, "row"),)

    def __init__(self) -> None:
        super().__init__()
        self._counts = Progression()
        self._held: list[tuple[Fields, LogLine]] = []  # until it is known that they count on

    @handler(iterations=True, texts=("said",))
    def row(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """One more; what an evaluation found is none."""
        said = str(fields.pop("said"))
        if of_line(line.text[:2000]) is Phase.EVALUATION or fields["batch"] > fields["batches"]:
            return []
        values = {
            name: value for name, value in values_of(_SEVERAL.sub(" ", said)).items() if _FINE.search(str(value))
        }
        loss = next((name for name in _LOSSES if name in values), None)
        row = fields | {
            "loss": number(str(values.pop(loss))) if loss else None,
            "learning_rate": number(str(values.pop("lr", ""))),
            "scalars": scalars(values.items()),
        }
        self._held = [*self._held[-_MOST_HELD:], (row, line)]
        if self.last is None and not self._counts.see(fields["batch"], fields["epoch"]):
            return []
        held, self._held = self._held, []
        return [event for one in held for event in self.iteration(*one)]
