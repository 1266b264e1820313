"""WeNet: a line each `log_interval` batches, with the epoch and the batch in it.

    2021-06-01 10:10:10,123 DEBUG TRAIN Batch 0/100 loss 35.25 loss_att 40.125 loss_ctc 30.5 lr 0.00008 rank 0
    2024-06-01 10:10:10,123 DEBUG TRAIN | steps/sec 1.250| Batch 0/100 loss 35.25 lr 8e-05 grad_norm 2.5 rank 0
    2021-06-01 10:20:10,123 INFO Epoch 0 CV info cv_loss 12.5
Batches are counted; with `accum_grad` an update is several. `CV` is validation. How many batches an epoch has is not printed: the highest
seen in the epoch before stands for it, and the first window of an epoch has no time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example
from ...counting.ends import OpenEpochs
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import whole

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class WeNet(LineParser):
    """Batches through the epochs."""

    name = "WeNet"
    about = "time stamps' difference over the batches between, with data; the first window of an epoch has no time"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    from_stamps = True
    lines = (
        Line("TRAIN ", r"\bTRAIN (?:\| )?(?:steps/sec [\d.]{1,20}\| )?Batch (?P<epoch>\d+)/(?P<batch>\d+) loss (?P<loss>N) "
             r"(?:.{0,400}?\blr (?P<learning_rate>N))?(?:.{0,200}?\bgrad_norm (?P<gradient_norm>N))?(?:.{0,80}?\brank (?P<rank>\d+))?", "batch"),
        Line("CV ", r"\bCV (?:\| )?(?:steps/sec [\d.]{1,20}\| )?Batch \d+/\d+ loss ", "validating"),
        Line("cv_loss ", r"\bEpoch \d+ (?:Step \d+ )?CV info .{0,200}?cv_loss (?P<val_loss>N)", "validated"),
        Line("TRAIN info", r"\bEpoch \d+ (?:Step \d+ )?TRAIN info ", "known"),
        Line("save to checkpoint", r"Checkpoint: save to checkpoint (?P<detail>\S{1,400})", "checkpoint"),
    )  # fmt: skip
    examples = (
        Example(
            """
2021-06-01 10:10:00,000 DEBUG TRAIN Batch 0/100 loss 35.5 loss_att 40.125 loss_ctc 30.5 lr 0.00008 rank 0
2021-06-01 10:10:50,000 DEBUG TRAIN Batch 0/200 loss 30.5 loss_att 40.125 loss_ctc 30.5 lr 0.00008 rank 0
2021-06-01 10:11:00,000 DEBUG CV Batch 0/0 loss 25.5 loss_att 40.125 loss_ctc 30.5 history loss 24.2 rank 0
2021-06-01 10:12:00,000 INFO Epoch 0 CV info cv_loss 12.5
2021-06-01 10:12:00,000 INFO Checkpoint: save to checkpoint exp/0.pt
2021-06-01 10:13:00,000 DEBUG TRAIN | steps/sec 1.250| Batch 1/100 loss 25.5 loss_att 2.5 lr 8e-05 grad_norm 2.5 rank 0
""",
            iterations=((100, None, 1, 35.5), (200, 0.5, 100, 30.5), (300, None, 1, 25.5)),
            evaluations=((201, {"val_loss": 12.5}),),
            checkpoints=(201,),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._epochs = OpenEpochs(first=1)

    @handler(iterations=True)
    def batch(self, fields: Fields, line: LogLine) -> list[Event]:
        """Some batches; what lies between two epochs is not theirs."""
        epoch, batch = fields["epoch"], fields["batch"]
        if whole(epoch) is None or whole(batch) is None:
            return []
        place = self._epochs.place(epoch, batch)
        if self._epochs.turned:
            self.last_at_s = None
        return [*self.iteration(fields | place, line), *self.said(self._epochs.word(), line)]

    @handler()
    def validating(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """A batch of the validation: the time up to the next line of training is not training's alone."""
        self.last_at_s = None
        return []

    @handler()
    def validated(self, fields: Fields, line: LogLine) -> list[Event]:
        """What the validation found."""
        self.last_at_s = None
        return self.evaluation({"val_loss": fields["val_loss"]}, line)
