"""`metrics.csv` of PyTorch Lightning's CSVLogger.

    epoch,step,train_loss_step,val_loss
    0,49,7.5,
    0,99,,7.125
Training and validation stand in rows of their own.
"""

from __future__ import annotations

from typing import ClassVar

from ...base import Example, Specificity
from ...generic.csv_table import NUMBERS, Csv
from ...parsing.grammar import Line


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
    )
