"""OpenMMLab: mmengine (since 2022) and mmcv (before), and all that is built on them.

    2023/05/01 12:00:00 - mmengine - INFO - Epoch(train)   [1][ 50/100]  lr: 1.0e-02  eta: 0:10:00  time: 0.5000
      data_time: 0.0100  memory: 5000  loss: 0.4006                                           (one line in the log)
    2021-12-14 19:57:26,847 - mmseg - INFO - Epoch [1][50/100]  lr: 1.000e-02, eta: 1 day, 1:52:14, time: 1.865, ..., loss: 0.4
`time` is in seconds and a mean: over the iterations since the last line (mmcv), or over the last ten or so (mmengine). Data
loading is in it. Its clock begins anew with each epoch, so validation, checkpoints and the iterations behind an epoch's last line are not in it. With loops by iteration
`Iter(train) [ 50/1000]` and `Iter [50/1000]` count on without epochs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA
from ...base import Example
from ...families.pairs import words
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import Fields, LogLine, scalars

if TYPE_CHECKING:
    from .....events import Event
_TIMES = frozenset(("time", "data_time"))
_UNDERSTOOD = frozenset((*_TIMES, "loss", "lr", "grad_norm"))


class OpenMmLab(LineParser):
    """`key: value` behind the place in the epoch; the keys vary with the model."""

    name = "OpenMMLab"
    about = (
        "time: a mean since the last line (mmcv) or over the last ten (mmengine), with data; without validation"
    )
    time_includes = (DATA,)
    mean = True
    tells_the_rest = True
    first_epoch = 1
    lines = (
        Line(
            "Epoch(train)",
            r"Epoch\(train\) +\[(?P<epoch>\d+)\]\[ *(?P<batch>\d+)/(?P<batches>\d+)\](?P<rest>.*)$",
            "step",
        ),
        Line(
            "Iter(train)",
            r"Iter\(train\) +\[ *(?P<iteration>\d+)/(?P<total>\d+)\](?P<rest>.*)$",
            "step",
        ),
        Line(
            " data_time:",
            r"Epoch \[(?P<epoch>\d+)\]\[ *(?P<batch>\d+)/(?P<batches>\d+)\](?P<rest>.*)$",
            "step",
        ),
        Line(" data_time:", r"Iter \[ *(?P<iteration>\d+)/(?P<total>\d+)\](?P<rest>.*)$", "step"),
        Line(
            "(val)",
            r"(?:Epoch|Iter)\(val\) +\[\d+\](?:\[ *(?P<done>\d+)/(?P<of>\d+)\]|\[\d+\])(?P<rest>.*)$",
            "validation",
        ),
        Line("Saving checkpoint at", r"Saving checkpoint at \d+ (?:epochs|iterations)", "checkpoint"),
        Line("max_epochs=", r"\bmax_epochs=(?P<epochs>\d+)", "length", distinctive=False),
        Line("workflow: [(", r"workflow: \[\(.{0,80}\], max: (?P<epochs>\d+) epochs", "length"),
    )
    examples = (
        Example(
            """
2023/05/01 12:00:00 - mmengine - INFO - Epoch(train)   [1][ 50/100]  base_lr: 1.0e-02 lr: 1.0e-02  eta: 1 day, 0:10:00  time: 0.5000  data_time: 0.0100  memory: 5000  grad_norm: 1.5  loss: 0.40  loss_cls: 0.1
2023/05/01 12:01:00 - mmengine - INFO - Epoch(val)   [1][10/25]    eta: 0:00:01  time: 0.0500  data_time: 0.0100  memory: 900
2023/05/01 12:01:00 - mmengine - INFO - Epoch(train)   [2][ 50/100]  lr: 1.0e-02  eta: 0:10:00  time: 0.2500  data_time: 0.0100  memory: 5000  loss: 0.30
""",
            iterations=((50, 0.5, 1, 0.4), (150, 0.25, 50, 0.3)),
            variant="mmengine",
        ),
        Example(
            """
2021-12-14 19:57:26,847 - mmseg - INFO - Epoch [1][50/100]\tlr: 1.000e-02, eta: 1 day, 1:52:14, time: 1.865, data_time: 1.706, memory: 12561, decode.loss_ce: 0.2194, loss: 0.4006
2021-12-14 19:58:35,366 - mmseg - INFO - Epoch [1][100/100]\tlr: 1.000e-02, eta: 22:25:12, time: 1.370, data_time: 1.253, memory: 12561, loss: 0.1936
""",
            iterations=((50, 1.865, 1, 0.4006), (100, 1.37, 50, 0.1936)),
            variant="mmcv",
        ),
        Example(
            """
2021-12-14 19:57:26,847 - mmseg - INFO - Iter [50/80000]\tlr: 1.000e-02, eta: 6:00:00, time: 0.265, data_time: 0.006, memory: 12561, loss: 0.4
""",
            iterations=((50, 0.265, 1, 0.4),),
            variant="mmcv by iterations",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._epochs: float | None = None

    @handler()
    def length(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The run's, in epochs, from the settings that are printed at its start."""
        self._epochs = fields["epochs"]
        return []

    @handler(iterations=True, texts=("rest",))
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """The pairs behind the place; mmcv parts them by commas, mmengine by blanks."""
        read = words(fields.pop("rest"))
        fields["duration_s"], fields["data_wait_s"] = read.get("time"), read.get("data_time")
        fields["loss"], fields["learning_rate"] = read.get("loss"), read.get("lr")
        fields["gradient_norm"] = read.get("grad_norm")
        fields["scalars"] = scalars(read.items(), _UNDERSTOOD)
        if self._epochs is not None:
            fields["epochs"] = self._epochs
        return self.iteration(fields | self.of_its_epoch(fields), line)

    @handler(numbers=("done", "of"), texts=("rest",))
    def validation(self, fields: Fields, line: LogLine) -> list[Event]:
        """mmengine counts through the validation: only its last line has the metrics."""
        if fields.get("done") != fields.get("of"):
            return []
        read = words(fields["rest"])
        values = {
            {"loss": "val_loss"}.get(name, name): value for name, value in scalars(read.items(), _TIMES).items()
        }
        return self.evaluation(values, line)
