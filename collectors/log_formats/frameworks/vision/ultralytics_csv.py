"""`results.csv` of YOLOv5 and of Ultralytics: an epoch a row, with blanks around its cells until 2024.

epoch,time,train/box_loss,train/cls_loss,metrics/recall(B),val/box_loss,lr/pg0
1,14.5,1.25,2.5,0.5,1.5,0.0003
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example, Specificity
from ...generic.csv_table import Csv
from ...parsing.grammar import Line, handler
from ...parsing.values import Fields, LogLine, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import Event
_FOUND = ("val/", "metrics/")
"""Columns with what a validation found: zeros alone, where there was none (`val=False`)."""
_UNDERSTOOD = ("epoch", "time", "train/loss", "val/loss", "lr/pg0", "x/lr0")


class UltralyticsCsv(Csv):
    """`results.csv` of YOLOv5 and of Ultralytics: an epoch a row, with blanks around its cells until 2024."""

    name = "Ultralytics results.csv"
    unit = "epoch"
    about = "time (since 2024): from one epoch to the next, the first from its beginning, with validation and checkpoint; losses are sums of their parts"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    specificity = Specificity.FRAMEWORK
    guesses = False
    lines: ClassVar[tuple[Line, ...]] = (
        Line("train/", r"^ *epoch,(?: *time,)? *train/\w*loss,", "heading"),
        Line(",", r"^ *\d+,[-+\d.eEnaif, ]+$", "values", distinctive=False),
    )
    examples = (
        Example(
            """
                  epoch,         train/box_loss,         train/cls_loss,   metrics/recall(B),           val/box_loss,                 lr/pg0
                      1,                 1.25,                 2.5,                 0.5,                 1.5,                 0.0003
                      2,                 1.0,                  2.0,                 0.6,                 1.4,                 0.0002
""",
            iterations=((1, None, 1, 3.75), (2, None, 1, 3.0)),
            evaluations=((1, {"val_loss": 1.5}), (2, {"val_loss": 1.4})),
            variant="Ultralytics results.csv of YOLOv8",
        ),
        Example(
            """
epoch,time,train/loss,metrics/accuracy_top1,val/loss,lr/pg0
1,14.5,1.25,0.5,1.5,0.0003
2,28.0,1.0,0.6,1.4,0.0002
""",
            iterations=((1, 14.5, 1, 1.25), (2, 13.5, 1, 1.0)),
            evaluations=((1, {"val_loss": 1.5}), (2, {"val_loss": 1.4})),
            variant="Ultralytics results.csv with its time",
        ),
        Example(
            """
epoch,time,train/box_loss,train/cls_loss,metrics/recall(B),metrics/mAP50(B),val/box_loss,val/cls_loss,lr/pg0
1,14.5,1.25,2.5,0,0,0,0,0.0003
2,28.0,1.0,2.0,0,0,0,0,0.0002
3,43.5,0.75,1.5,0.5,0.25,1.0,1.75,0.0001
""",
            iterations=((1, 14.5, 1, 3.75), (2, 13.5, 1, 3.0), (3, 15.5, 1, 2.25)),
            evaluations=((3, {"val_loss": 2.75}),),
            variant="Ultralytics results.csv, validated in its last epoch alone",
        ),
    )

    @handler(iterations=True)
    def values(self, _fields: Fields, line: LogLine) -> Sequence[Event]:
        """An epoch: the losses of its parts are added up, as the trainer itself does."""
        cells = self.unprefixed(line.text).split(",")
        if len(cells) != len(self._names):
            return []
        read = {
            name: value
            for name, cell in zip(self._names, cells, strict=True)
            if (value := number(cell)) is not None
        }
        found = [name for name in read if name.startswith(_FOUND)]
        if not any(read[name] for name in found):
            read = {name: value for name, value in read.items() if name not in found}
        row = {
            "epoch": read.get("epoch"),
            "elapsed": read.get("time"),
            "lr": read.get("lr/pg0", read.get("x/lr0")),
        }
        for field, part in (("loss", "train/"), ("val_loss", "val/")):
            losses = [value for name, value in read.items() if name.startswith(part) and name.endswith("loss")]
            row[field] = sum(losses) if losses else None
        row |= {name: value for name, value in read.items() if name not in _UNDERSTOOD}
        if row["epoch"] == 1:
            row["time"] = row["elapsed"]  # its clock begins with the first epoch
        return self.row(row.items(), line)
