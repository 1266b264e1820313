"""Glue Factory: SuperGlue, LightGlue and other matchers.

    [07/26/2025 11:40:20 gluefactory INFO] [E 0 | it 700] loss {total 1.372E+00, last 7.528E-01, nll_pos 1.216E+00}
    [07/26/2025 11:45:26 gluefactory INFO] [Validation] {match_recall 6.318E-01, loss/total 1.967E+00}
The times are those between the lines' stamps. Iterations begin again with each epoch, whose length no line says: an epoch
is taken to end with its last line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from .....events import CHECKPOINT, DATA, EVALUATION
from ....patterns import lazy_pattern
from ...base import Example
from ...counting.ends import OpenEpochs
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import Fields, LogLine, number

if TYPE_CHECKING:
    from .....events import Event

_VALUE = lazy_pattern(r"([\w/@.-]{1,60}) ([-+]?\d[\d.]*(?:[eE][-+]?\d+)?|nan|inf)(?=[,}])")


class GlueFactory(LineParser):
    """Batches between stamps."""

    name = "Glue Factory"
    about = "time: between the lines' stamps, with all that happened in it; loss: the total"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    from_stamps: ClassVar[bool] = True
    lines = (
        Line("| it ", r"\[E (?P<epoch>\d+) \| it (?P<batch>\d+)\] loss \{(?P<rest>[^}]*\})", "step"),
        Line("[Validation]", r"\[Validation\] \{(?P<rest>[^}]*\})", "validated"),
    )
    examples = (
        Example(
            """
[07/26/2025 10:28:00 gluefactory INFO] [E 0 | it 0] loss {total 1.500E+00, last 9.226E-01, nll_pos 1.512E+00}
[07/26/2025 10:30:00 gluefactory INFO] [Validation] {match_recall 6.318E-01, loss/total 1.750E+00}
[07/26/2025 10:38:00 gluefactory INFO] [E 0 | it 100] loss {total 1.250E+00, last 6.716E-01, nll_pos 9.465E-01}
[07/26/2025 10:43:00 gluefactory INFO] [E 1 | it 0] loss {total 1.125E+00, last 6.716E-01, nll_pos 9.465E-01}
[07/26/2025 10:48:00 gluefactory INFO] [E 1 | it 100] loss {total 1.000E+00, last 6.716E-01, nll_pos 9.465E-01}
""",
            iterations=((0, None, 1, 1.5), (100, 6.0, 100, 1.25), (101, None, 1, 1.125), (201, 3.0, 100, 1.0)),
            evaluations=((1, {"val_loss": 1.75}),),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._epochs = OpenEpochs(first=0)

    @handler(iterations=True, texts=("rest",))
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch of the training."""
        place = self._epochs.place(fields["epoch"], fields["batch"])
        if self._epochs.turned:
            self.last_at_s = None  # nobody knows how many steps lie between the two lines
        loss = _values(fields.pop("rest")).get("total")
        return [*self.iteration(place | {"loss": loss}, line), *self.said(self._epochs.word(), line)]

    @handler(texts=("rest",))
    def validated(self, fields: Fields, line: LogLine) -> list[Event]:
        """What a validation found."""
        loss = _values(fields["rest"]).get("loss/total")
        return self.evaluation({} if loss is None else {"val_loss": loss}, line)


def _values(text: str) -> dict[str, float]:
    found = ((one[1], number(one[2])) for one in _VALUE.finditer(text[:4000]))
    return {name: value for name, value in found if value is not None}
