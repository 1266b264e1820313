"""nnU-Net (segmentation of medical images), both generations: several lines an epoch, which counts from 0.

    2024-03-01 10:00:00.000000: Epoch 0                                   2021-03-01 10:00:00.000000:
    2024-03-01 10:00:00.100000: Current learning rate: 0.01               epoch:  0
    2024-03-01 10:03:20.000000: train_loss -0.25                          2021-03-01 10:03:00.000000: train loss : -0.2500
    2024-03-01 10:03:20.000000: val_loss -0.5                             2021-03-01 10:03:20.000000: validation loss: -0.5000
    2024-03-01 10:03:20.000000: Pseudo dice [0.5, 0.75]                   ...: Average global foreground Dice: [0.5, 0.75]
    2024-03-01 10:03:20.000000: Epoch time: 200.0 s                       2021-03-01 10:03:25.000000: This epoch took 205.000000 s
The time of an epoch has its validation in it, in the first generation also the save. How many epochs there are to be is not
printed. The cases that are predicted behind the last epoch are no training.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, ClassVar

from .....events import CHECKPOINT, DATA, EVALUATION, Alive, End
from ....patterns import lazy_pattern
from ...base import Example
from ...parsing.grammar import PREFIX, Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import ended, finite, unix_time

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_SHARE = lazy_pattern(r"(?<![\w.])\d{1,3}(?:\.\d{0,20})?(?:e-\d{1,3})?(?=[\s,)\]]|$)")
_LIST = r"\[(?P<shares>[^\]]{1,3900})\]"
_LOSS = r"(?P<value>N)\s{0,4}$"


class _Epochs(LineParser):
    """What both generations have in common: an epoch is a row once its time is printed."""

    unit = "epoch"
    dice: ClassVar[str] = ""

    def __init__(self) -> None:
        super().__init__()
        self._epoch: Fields = {}  # the one at hand
        self._found: dict[str, float] = {}

    @handler()
    def starts(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """A process asks to be cited: what comes next is its own."""
        self.started, self._epoch = self.last is not None, {}
        return []

    @handler(numbers=("epoch",))
    def begins(self, fields: Fields, _line: LogLine) -> list[Event]:
        """An epoch."""
        self._epoch, self._found = {"iteration": fields["epoch"]}, {}
        return []

    @handler(numbers=("value",))
    def trained(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The mean loss of its batches."""
        self._epoch["loss"] = fields["value"]
        return []

    @handler(numbers=("value",))
    def validated(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The loss of its validation."""
        if (value := finite(fields["value"])) is not None:
            self._found["val_loss"] = value
        return []

    @handler(texts=("shares",))
    def measured(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The Dice of each class; the mean leaves out those of which nothing was seen, as the program's own does."""
        shares = [float(one[0]) for one in _SHARE.finditer(fields["shares"])]
        if shares and all(map(isfinite, shares)):
            self._found[self.dice] = sum(shares) / len(shares)
        return []

    @handler(iterations=True)
    def whole(self, fields: Fields, line: LogLine) -> list[Event]:
        """The epoch is over."""
        epoch, self._epoch = self._epoch, {}
        if "iteration" not in epoch:
            return []
        events = self.iteration(fields | epoch, line)
        return [*events, ended(EVALUATION, line.at_s, epoch["iteration"], values=self._found)]

    @handler()
    def over(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The training was over with its last epoch; a process that only predicts says this as well."""
        if self.last is None:
            return []
        return [End(at_s=unix_time(self.last_at_s), detail=PREFIX.sub("", line.text, count=1).strip())]


class NnUnet(_Epochs):
    """The second generation."""

    name = "nnU-Net"
    about = "Epoch time: training and validation with data; saves and plots lie between two epochs"
    time_includes = (DATA, EVALUATION)
    dice = "val_mean_pseudo_dice"
    lines = (
        Line("Epoch time: ", r"^Epoch time: (?P<duration_s>N) s\s{0,4}$", "whole"),
        Line("Epoch ", r"^Epoch (?P<epoch>\d+)\s{0,4}$", "begins", distinctive=False),
        Line("Current learning rate: ", r"^Current learning rate: (?P<learning_rate>N)\s{0,4}$", "rate", distinctive=False),
        Line("train_loss ", rf"^train_loss {_LOSS}", "trained", distinctive=False),
        Line("val_loss ", rf"^val_loss {_LOSS}", "validated", distinctive=False),
        Line("Pseudo dice ", rf"^Pseudo dice {_LIST}", "measured"),
        Line("Yayy! New best EMA pseudo Dice", r"^Yayy! New best EMA pseudo Dice", "known"),
        Line("Training done.", r"^Training done\.\s{0,4}$", "over", distinctive=False),
        Line("Mean Validation Dice", r"^Mean Validation Dice:? {1,4}(?P<value>N)\s{0,4}$", "predicted"),
        Line("when using nnU-Net", r"^Please cite the following paper when using nnU-Net", "starts"),
    )  # fmt: skip
    examples = (
        Example(
            """
2024-03-01 10:00:00.000000: Epoch 0
2024-03-01 10:00:00.000000: Current learning rate: 0.01
2024-03-01 10:03:20.000000: train_loss -0.25
2024-03-01 10:03:20.000000: val_loss -0.5
2024-03-01 10:03:20.000000: Pseudo dice [0.5, 0.75]
2024-03-01 10:03:20.000000: Epoch time: 200.0 s
2024-03-01 10:03:20.000000: Yayy! New best EMA pseudo Dice: 0.625
2024-03-01 10:03:22.000000: Epoch 1
2024-03-01 10:03:22.000000: Current learning rate: 0.0099
2024-03-01 10:06:22.000000: train_loss -0.375
2024-03-01 10:06:22.000000: val_loss -0.625
2024-03-01 10:06:22.000000: Pseudo dice [np.float32(0.5), nan]
2024-03-01 10:06:22.000000: Epoch time: 180.0 s
2024-03-01 10:06:24.000000: Training done.
""",
            iterations=((0, 200.0, 1, -0.25), (1, 180.0, 1, -0.375)),
            evaluations=(
                (0, {"val_loss": -0.5, "val_mean_pseudo_dice": 0.625}),
                (1, {"val_loss": -0.625, "val_mean_pseudo_dice": 0.5}),
            ),
        ),
    )

    @handler()
    def rate(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The learning rate of the epoch at hand."""
        self._epoch["learning_rate"] = fields["learning_rate"]
        return []

    @handler(numbers=("value",))
    def predicted(self, fields: Fields, _line: LogLine) -> list[Event]:
        """What the cases of the validation set came to, predicted whole behind the last epoch: no time of the training."""
        values = {"mean_validation_dice": fields["value"]}
        return [] if self.last is None else [ended(EVALUATION, None, self.last, values=values)]


class NnUnetFirst(_Epochs):
    """The first generation: the line with the epoch has no stamp of its own."""

    name = "nnU-Net v1"
    about = "This epoch took: training, validation and save with data"
    time_includes = (DATA, EVALUATION, CHECKPOINT)
    dice = "val_mean_dice"
    lines = (
        Line("This epoch took ", r"^This epoch took (?P<duration_s>N) s\s{0,4}$", "whole"),
        Line("epoch: ", r"^epoch: {1,4}(?P<epoch>\d+)\s{0,4}$", "begins", distinctive=False),
        Line("train loss : ", rf"^train loss : {_LOSS}", "trained", distinctive=False),
        Line("validation loss: ", rf"^validation loss: {_LOSS}", "validated", distinctive=False),
        Line("Average global foreground Dice: ", rf"^Average global foreground Dice: {_LIST}", "measured"),
        Line("lr: ", rf"^lr: {_LOSS}", "next_rate", distinctive=False),
        Line("saving ", r"^saving (?:best epoch |scheduled )?checkpoint(?: file)?\.\.\.", "saves", distinctive=False),
        Line("done, saving took ", r"^done, saving took [\d.]{1,12} seconds\s{0,4}$", "saves"),
        Line("finished prediction", r"^finished prediction\s{0,4}$", "over", distinctive=False),
        Line("when using nnUNet", r"^Please cite the following paper when using nnUNet", "starts"),
    )  # fmt: skip
    examples = (
        Example(
            """
2021-03-01 10:00:00.000000:
epoch:  0
2021-03-01 10:03:00.000000: train loss : -0.2500
2021-03-01 10:03:20.000000: validation loss: -0.5000
2021-03-01 10:03:20.000000: Average global foreground Dice: [0.5, 0.75]
2021-03-01 10:03:20.000000: lr: 0.0099
2021-03-01 10:03:20.000000: saving checkpoint...
2021-03-01 10:03:25.000000: done, saving took 5.00 seconds
2021-03-01 10:03:25.000000: This epoch took 205.000000 s

2021-03-01 10:03:25.000000:
epoch:  1
2021-03-01 10:06:00.000000: train loss : -0.3750
2021-03-01 10:06:20.000000: validation loss: -0.6250
2021-03-01 10:06:20.000000: lr: 0.0098
2021-03-01 10:06:20.000000: This epoch took 175.000000 s
""",
            iterations=((0, 205.0, 1, -0.25), (1, 175.0, 1, -0.375)),
            evaluations=(
                (0, {"val_loss": -0.5, "val_mean_dice": 0.625}),
                (1, {"val_loss": -0.625}),
            ),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._rate: float | None = None

    @handler(numbers=("value",))
    def next_rate(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The learning rate that was set for the next epoch: this one was trained with the one before."""
        self._epoch["learning_rate"], self._rate = self._rate, fields["value"]
        return []

    @handler()
    def saves(self, _fields: Fields, line: LogLine) -> list[Event]:
        """A save lies within the epoch, whose time has it in it."""
        return [] if line.at_s is None else [Alive(line.at_s)]
