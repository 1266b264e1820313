"""Pointnet_Pointnet2_pytorch (clouds of points), its three programs: an epoch a row, all of it by the lines' stamps.

    2021-05-01 10:00:00,000 - Model - INFO - Epoch 1 (1/200):                       **** Epoch 1 (1/32) ****
    2021-05-01 10:03:00,000 - Model - INFO - Train Instance Accuracy: 0.500000      Training mean loss, Training accuracy
    2021-05-01 10:03:40,000 - Model - INFO - Test Instance Accuracy: 0.625000, Class Accuracy: 0.500000
    2021-05-01 10:03:40,000 - Model - INFO - Save model...                          Saving model.... once it is written
Of the two numbers of a heading the first counts the epochs of the process, the second those of the training. An epoch trains from
its heading to the accuracy of its training; from there, or from a heading of its own, to what it found lasts the evaluation. On the
screen these lines have no stamp, and bars among them that say more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import CHECKPOINT, DATA, EVALUATION, RunInfo, SpanBegin, Witness
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.validation import of_the_newest
from ...parsing.values import ended, scalars, unix_time

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_STAMPED = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} - [\w.]{1,40} - INFO - "
_OF_TEST = {
    "instance": "Test Instance Accuracy",
    "classes": "Test Class Accuracy",
    "points": "test Accuracy",
    "class_iou": "test Class avg mIOU",
    "instance_iou": "test Inctance avg mIOU",
}


class Pointnet(LineParser):
    """Epochs, of which each line has its stamp."""

    name = "Pointnet_Pointnet2_pytorch"
    unit = "epoch"
    about = "an epoch from its heading to its training accuracy, by the stamps: training alone; evaluations and saves are apart"
    time_includes = (DATA,)
    lines = (
        Line("Epoch ", rf"{_STAMPED}(?:\*{{4}} )?Epoch \d+ \((?P<epoch>\d+)/(?P<epochs>\d+)\)(?::| \*{{4}})\s*$", "begins", distinctive=False),
        Line("Learning rate:", rf"{_STAMPED}Learning rate: ?(?P<learning_rate>N)\s*$", "rate", distinctive=False),
        Line("Training mean loss: ", rf"{_STAMPED}Training mean loss: (?P<loss>N)", "lost", distinctive=False),
        Line("Train Instance Accuracy: ", rf"{_STAMPED}(?P<named>Train Instance Accuracy): (?P<accuracy>N)", "trained"),
        Line("Train accuracy is: ", rf"{_STAMPED}(?P<named>Train accuracy) is: (?P<accuracy>N)", "trained"),
        Line("Training accuracy: ", rf"{_STAMPED}(?P<named>Training accuracy): (?P<accuracy>N)", "trained", distinctive=False),
        Line("Test Instance Accuracy: ", rf"{_STAMPED}Test Instance Accuracy: (?P<instance>N), Class Accuracy: (?P<classes>N)", "tested"),
        Line(" test Accuracy: ", rf"{_STAMPED}Epoch \d+ test Accuracy: (?P<points>N) +Class avg mIOU: (?P<class_iou>N) +In[cs]tance avg mIOU: (?P<instance_iou>N)", "tested"),
        Line(" EVALUATION ----", rf"{_STAMPED}---- (?:EPOCH|Epoch) \d+ EVALUATION ----", "evaluates"),
        Line("eval mean loss: ", rf"{_STAMPED}eval (?P<named>mean loss): (?P<value>N)", "found", distinctive=False),
        Line("eval point ", rf"{_STAMPED}(?P<named>eval point (?:avg class IoU|accuracy|avg class acc)): (?P<value>N)", "found"),
        Line("eval mIoU of ", rf"{_STAMPED}eval mIoU of \w{{1,60}} +[\d.]", "known"),
        Line("Best ", rf"{_STAMPED}Best (?:Instance Accuracy: [\d.]{{1,20}}, Class Accuracy: |(?:class|in[cs]tance) avg mIOU is: )", "known"),
        Line("Save model...", rf"{_STAMPED}Save model\.\.\.\s*$", "saves", distinctive=False),
        Line("Saving model....", rf"{_STAMPED}Saving model\.{{4}}\s*$", "saved", distinctive=False),
        Line("PARAMETER ...", rf"{_STAMPED}PARAMETER \.\.\.\s*$", "starts", distinctive=False),
        Line("Use pretrain model", rf"{_STAMPED}Use pretrain model\s*$", "restores", distinctive=False),
        Line("End of training...", rf"{_STAMPED}End of training\.\.\.\s*$", "over", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
2021-05-01 10:00:00,000 - Model - INFO - PARAMETER ...
2021-05-01 10:00:10,000 - Model - INFO - No existing model, starting training from scratch...
2021-05-01 10:00:10,000 - Model - INFO - Epoch 1 (1/2):
2021-05-01 10:03:10,000 - Model - INFO - Train Instance Accuracy: 0.500000
2021-05-01 10:03:50,000 - Model - INFO - Test Instance Accuracy: 0.625000, Class Accuracy: 0.500000
2021-05-01 10:03:50,000 - Model - INFO - Best Instance Accuracy: 0.625000, Class Accuracy: 0.500000
2021-05-01 10:03:50,000 - Model - INFO - Save model...
2021-05-01 10:03:50,000 - Model - INFO - Saving at log/classification/a/checkpoints/best_model.pth
2021-05-01 10:03:51,000 - Model - INFO - Epoch 2 (2/2):
2021-05-01 10:06:41,000 - Model - INFO - Train Instance Accuracy: 0.750000
2021-05-01 10:07:21,000 - Model - INFO - Test Instance Accuracy: 0.562500, Class Accuracy: 0.437500
2021-05-01 10:07:21,000 - Model - INFO - Best Instance Accuracy: 0.625000, Class Accuracy: 0.500000
2021-05-01 10:07:21,000 - Model - INFO - End of training...
""",
            iterations=((1, 180.0, 1, None), (2, 170.0, 1, None)),
            evaluations=(
                (2, {"Test Instance Accuracy": 0.625, "Test Class Accuracy": 0.5}),
                (3, {"Test Instance Accuracy": 0.5625, "Test Class Accuracy": 0.4375}),
            ),
            checkpoints=(2,),
        ),
        Example(
            """
2021-05-01 10:00:00,000 - Model - INFO - Epoch 1 (1/3):
2021-05-01 10:00:00,000 - Model - INFO - Learning rate:0.001000
2021-05-01 10:06:40,000 - Model - INFO - Train accuracy is: 0.75000
2021-05-01 10:07:40,000 - Model - INFO - eval mIoU of Bag            0.500000
2021-05-01 10:07:40,000 - Model - INFO - eval mIoU of Mug            0.750000
2021-05-01 10:07:40,000 - Model - INFO - Epoch 1 test Accuracy: 0.875000  Class avg mIOU: 0.625000   Inctance avg mIOU: 0.750000
2021-05-01 10:07:40,000 - Model - INFO - Save model...
2021-05-01 10:07:40,000 - Model - INFO - Saving at log/part_seg/a/checkpoints/best_model.pth
2021-05-01 10:07:42,000 - Model - INFO - Saving model....
2021-05-01 10:07:42,000 - Model - INFO - Best accuracy is: 0.87500
2021-05-01 10:07:42,000 - Model - INFO - Best class avg mIOU is: 0.62500
2021-05-01 10:07:42,000 - Model - INFO - Best inctance avg mIOU is: 0.75000
2021-05-01 10:07:42,000 - Model - INFO - Epoch 2 (2/3):
2021-05-01 10:07:42,000 - Model - INFO - Learning rate:0.000500
2021-05-01 10:14:12,000 - Model - INFO - Train accuracy is: 0.87500
2021-05-01 10:15:12,000 - Model - INFO - Epoch 2 test Accuracy: 0.937500  Class avg mIOU: 0.500000   Inctance avg mIOU: 0.500000
""",
            iterations=((1, 400.0, 1, None), (2, 390.0, 1, None)),
            evaluations=(
                (2, {"test Accuracy": 0.875, "test Class avg mIOU": 0.625, "test Inctance avg mIOU": 0.75}),
                (3, {"test Accuracy": 0.9375, "test Class avg mIOU": 0.5, "test Inctance avg mIOU": 0.5}),
            ),
            checkpoints=(2,),
            variant="Pointnet_Pointnet2_pytorch for parts",
        ),
        Example(
            """
2021-05-01 10:00:00,000 - Model - INFO - **** Epoch 1 (1/32) ****
2021-05-01 10:00:00,000 - Model - INFO - Learning rate:0.001000
2021-05-01 10:10:00,000 - Model - INFO - Training mean loss: 1.500000
2021-05-01 10:10:00,000 - Model - INFO - Training accuracy: 0.500000
2021-05-01 10:10:00,000 - Model - INFO - Save model...
2021-05-01 10:10:00,000 - Model - INFO - Saving at log/sem_seg/a/checkpoints/model.pth
2021-05-01 10:10:02,000 - Model - INFO - Saving model....
2021-05-01 10:10:02,000 - Model - INFO - ---- EPOCH 001 EVALUATION ----
2021-05-01 10:12:02,000 - Model - INFO - eval mean loss: 1.750000
2021-05-01 10:12:02,000 - Model - INFO - eval point avg class IoU: 0.250000
2021-05-01 10:12:02,000 - Model - INFO - eval point accuracy: 0.500000
2021-05-01 10:12:02,000 - Model - INFO - eval point avg class acc: 0.375000
2021-05-01 10:12:02,000 - Model - INFO - Eval mean loss: 1.750000
2021-05-01 10:12:02,000 - Model - INFO - Eval accuracy: 0.500000
2021-05-01 10:12:02,000 - Model - INFO - Save model...
2021-05-01 10:12:02,000 - Model - INFO - Saving at log/sem_seg/a/checkpoints/best_model.pth
2021-05-01 10:12:05,000 - Model - INFO - Saving model....
2021-05-01 10:12:05,000 - Model - INFO - Best mIoU: 0.250000
2021-05-01 10:12:05,000 - Model - INFO - **** Epoch 2 (2/32) ****
2021-05-01 10:12:05,000 - Model - INFO - Learning rate:0.001000
2021-05-01 10:21:55,000 - Model - INFO - Training mean loss: 1.250000
2021-05-01 10:21:55,000 - Model - INFO - Training accuracy: 0.625000
2021-05-01 10:21:55,000 - Model - INFO - ---- EPOCH 002 EVALUATION ----
2021-05-01 10:23:55,000 - Model - INFO - eval mean loss: 1.625000
2021-05-01 10:23:55,000 - Model - INFO - eval point avg class IoU: 0.125000
2021-05-01 10:23:55,000 - Model - INFO - eval point accuracy: 0.500000
2021-05-01 10:23:55,000 - Model - INFO - eval point avg class acc: 0.250000
2021-05-01 10:23:55,000 - Model - INFO - Best mIoU: 0.250000
""",
            iterations=((1, 600.0, 1, 1.5), (2, 590.0, 1, 1.25)),
            evaluations=(
                (2, {"val_loss": 1.75, "eval point avg class IoU": 0.25, "eval point accuracy": 0.5, "eval point avg class acc": 0.375}),
                (3, {"val_loss": 1.625, "eval point avg class IoU": 0.125, "eval point accuracy": 0.5, "eval point avg class acc": 0.25}),
            ),
            checkpoints=(2, 2),
            variant="Pointnet_Pointnet2_pytorch for scenes",
        ),
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._epoch: Fields | None = None  # the one that trains
        self._since_s: float | None = None  # when it began, or what came last was done
        self._saves_s: float | None = None  # when the save that goes on began
        self._found: dict[str, float] = {}  # of the evaluation that is being told of
        self._found_at: tuple[float | None, float | None] = (None, None)  # when that was over, and how long it was
        self._restores = False

    def run_info(self, line: LogLine) -> RunInfo:
        """Of a process that took over the weights of another one, and counts on from there."""
        info, epoch = super().run_info(line), self._epoch
        goes_on = self._restores and epoch is not None and epoch["iteration"] > 1
        return replace(info, resumed=True) if goes_on else info

    @handler()
    def starts(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """A process begins: what was going on ended with the one before."""
        told = self._told()
        self.started, self._restores = self.last is not None, False
        self._epoch = self._since_s = self._saves_s = None
        return told

    @handler()
    def restores(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """The weights are those of a save, and so is the epoch that it counts from."""
        self._restores = True
        return []

    @handler(numbers=("epoch", "epochs"))
    def begins(self, fields: Fields, line: LogLine) -> list[Event]:
        """An epoch begins to train. None has two headings: what comes again is of another training."""
        told = self._told()
        self.started = self.started or (self.last is not None and fields["epoch"] <= self.last)
        self._epoch = {"iteration": fields["epoch"], "total": fields["epochs"]}
        self._since_s, self._saves_s = _clock(line), None
        return told

    @handler(numbers=("learning_rate",))
    def rate(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The learning rate of the epoch at hand."""
        if self._epoch is not None:
            self._epoch["learning_rate"] = fields["learning_rate"]
        return []

    @handler(numbers=("loss",))
    def lost(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The mean loss of its batches, told in front of the accuracy."""
        if self._epoch is not None:
            self._epoch["loss"] = fields["loss"]
        return []

    @handler(iterations=True, numbers=("accuracy",), texts=("named",))
    def trained(self, fields: Fields, line: LogLine) -> list[Event]:
        """The epoch is trained."""
        if self._epoch is None:
            return []
        now_s = _clock(line)
        read: Fields = self._epoch | {"scalars": scalars([(fields["named"], fields["accuracy"])]) or None}
        if self._since_s is not None and now_s is not None:  # a clock of the epoch's own
            read |= {"duration_s": now_s - self._since_s, "witness": Witness.BETWEEN}
        events = self.iteration(read, line)  # which asks `run_info`, and that the epoch
        self._epoch, self._since_s = None, now_s
        return events

    @handler()
    def evaluates(self, _fields: Fields, line: LogLine) -> list[Event]:
        """An evaluation begins."""
        self._since_s = _clock(line)
        return []

    @handler(numbers=tuple(_OF_TEST))
    def tested(self, fields: Fields, line: LogLine) -> list[Event]:
        """What an evaluation found, all of it in one line."""
        self._over(line)
        self._found = {_OF_TEST[name]: value for name, value in fields.items()}
        return self._told()

    @handler(numbers=("value",), texts=("named",))
    def found(self, fields: Fields, line: LogLine) -> list[Event]:
        """One of the values that an evaluation found; the first shows that it is over."""
        if not self._found:
            self._over(line)
        named = "val_loss" if fields["named"] == "mean loss" else fields["named"]
        self._found[named] = fields["value"]
        return self._told() if named == "eval point avg class acc" else []

    @handler()
    def saves(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The weights are about to be written."""
        told = self._told()
        self._saves_s, self._since_s = _clock(line), None
        return [*told, SpanBegin(CHECKPOINT, unix_time(line.at_s), self.next_index)]

    @handler()
    def saved(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The weights were written; not all programs say so."""
        since_s, now_s = self._saves_s, _clock(line)
        if since_s is None or now_s is None:
            return []
        self._saves_s, self._since_s = None, now_s
        return [ended(CHECKPOINT, now_s, self.next_index, now_s - since_s, apart=True)]

    @handler()
    def over(self, fields: Fields, line: LogLine) -> list[Event]:
        """The training is over, by its own words."""
        self._epoch = self._since_s = self._saves_s = None
        said = line._replace(text=line.text.rpartition(" - INFO - ")[2])
        return [*self._told(), *self.done(fields, said)]

    def _over(self, line: LogLine) -> None:
        """An evaluation is over."""
        since_s, now_s = self._since_s, _clock(line)
        self._found_at = now_s, None if since_s is None or now_s is None else now_s - since_s
        self._since_s = None

    def _told(self) -> list[Event]:
        """An evaluation is told of; none behind no epoch, or in the middle of one."""
        found, self._found = self._found, {}
        if not found or self.last is None or self._epoch is not None:
            return []
        at_s, lasted_s = self._found_at
        end = ended(EVALUATION, at_s, self.next_index, lasted_s, values=found, apart=True)
        return [of_the_newest(end, self.last)]


def _clock(line: LogLine) -> float | None:
    """What the line itself says of the time: when it was read counts for nothing here."""
    return line.at_s if line.stamped else None
