"""DeepXDE: the table of `Model.train`.

    Step      Train loss                        Test loss                         Test metric
    1000      [3.86e-02, 7.37e-04, 5.66e-02]    [3.86e-02, 7.37e-04, 5.66e-02]    []
    'train' took 199.462942 s
Each loss has parts, of the equation and of each condition: their sum is what is trained, as its line on the best model
says. No row has a time. A second `train` (L-BFGS after Adam) counts on where the first one ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import Fields, LogLine, number, seconds

if TYPE_CHECKING:
    from .....events import Event

_PARTS = r"\[[-+.\deEnaif, ]*\]"


class DeepXDE(LineParser):
    """Rows without times."""

    name = "DeepXDE"
    about = "losses are the sums of their parts; the log gives no times but those of whole trainings, which are added up"
    lines = (
        Line("]", rf"^(?P<iteration>\d+) +(?P<trained>{_PARTS}) +(?P<tested>{_PARTS}) +(?P<rest>\[.*\]) *$", "row"),
        Line("'train' took", r"^'train' took (?P<duration_s>N) s$", "took"),
    )  # fmt: skip
    examples = (
        Example(
            """
Step      Train loss                        Test loss                         Test metric
0         [1.25e-01, 2.50e-01]    [1.25e-01, 5.00e-01]    []
1000      [6.25e-02, 1.25e-01]    [6.25e-02, 2.50e-01]    [2.50e-01]

'train' took 199.500000 s
""",
            iterations=((0, None, 1, 0.375), (1000, None, 1, 0.1875)),
            evaluations=((0, {"val_loss": 0.625}), (1000, {"val_loss": 0.3125})),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._took_s = 0.0  # all trainings of this process

    @handler()
    def took(self, fields: Fields, line: LogLine) -> list[Event]:
        """What a training took, with those that it goes on from."""
        self._took_s += seconds(fields["duration_s"]) or 0.0
        return super().took(fields | {"duration_s": self._took_s}, line)

    @handler(iterations=True, texts=("trained", "tested", "rest"))
    def row(self, fields: Fields, line: LogLine) -> list[Event]:
        """A row: the training's loss, and what a test found."""
        fields.pop("rest")
        trained, tested = _sum(fields.pop("trained")), _sum(fields.pop("tested"))
        index = fields["iteration"]
        if index == self.last:  # a second training says first where it begins: nothing has begun anew
            self.opened = self.said_again = self.surely = False
            return []
        self._took_s = 0.0 if self.last is not None and index < self.last else self._took_s
        found = self.iteration(fields | {"loss": trained}, line)
        if not found or tested is None:
            return found
        return [*self.evaluation({"val_loss": tested, "iteration": index}, line), *found]


def _sum(parts: str) -> float | None:
    """Of the numbers in brackets; `None` where there are none."""
    values = [value for part in parts.strip("[]").split(",") if (value := number(part.strip())) is not None]
    return sum(values) if values else None
