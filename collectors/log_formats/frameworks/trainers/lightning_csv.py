"""`metrics.csv` of PyTorch Lightning's CSVLogger.

    epoch,step,train_loss_step,val_loss
    0,49,7.5,
    0,99,,7.125
Training, validation, learning rates and an epoch's means stand in rows of their own; only the first is an iteration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...base import Example, Specificity
from ...counting.standing import NO_CONTEXT, RowContext
from ...generic.csv_table import NUMBERS, Csv
from ...parsing.grammar import Line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .....events import Event
    from ...parsing.values import LogLine

_PLACES = ("epoch", "step", "lr")


class LightningCsv(Csv):
    """`metrics.csv` of Lightning's CSVLogger: training and validation in rows of their own, and no time."""

    name = "Lightning metrics.csv"
    about = "loss by step; the file holds no time unless the module logs one"
    specificity = Specificity.FRAMEWORK
    guesses = False
    lines: ClassVar[tuple[Line, ...]] = (
        Line("step", r"^(?=.{0,4000}\bepoch,)(?=.{0,4000}\bstep\b)[\w/.,()-]+$", "heading"),
        NUMBERS,
    )
    examples = (
        Example(
            """
epoch,step,train_loss_step,val_loss
0,49,7.5,
0,99,7.25,
0,99,,7.125
""",
            iterations=((49, None, 1, 7.5), (99, None, 1, 7.25)),
            evaluations=((99, {"val_loss": 7.125}),),
        ),
        Example(
            """
epoch,lr-Adam,step,train_loss_epoch,val_acc,val_loss
,0.001,0,,,
0,,99,,0.5,2.125
0,,99,2.5,,
,0.001,100,,,
1,,199,,0.75,2.0
1,,199,2.25,,
""",
            iterations=((99, None, 1, 2.5), (199, None, 1, 2.25)),
            evaluations=((99, {"val_acc": 0.5, "val_loss": 2.125}), (199, {"val_acc": 0.75, "val_loss": 2.0})),
            variant="Lightning metrics.csv with an epoch's mean and a monitor of the learning rate",
        ),
    )

    def row(self, row: Iterable[tuple[str, object]], line: LogLine, said: RowContext = NO_CONTEXT) -> list[Event]:
        """A row; one that has nothing but its place and a learning rate is none of training."""
        cells = {name: cell for name, cell in row if cell not in ("", None)}
        if all(name in _PLACES or name.startswith("lr-") for name in cells):
            return []
        if "train_loss_epoch" in cells and not {"loss", "train_loss", "train_loss_step"} & {*cells}:
            cells["train_loss"] = cells.pop("train_loss_epoch")
        return super().row(cells.items(), line, said)
