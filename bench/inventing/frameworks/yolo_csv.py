"""`results.csv` of YOLOv5 and of Ultralytics, before it had a time and since."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration


class Results8(Trainer):
    """`results.csv`: an epoch a row, its time since the beginning, with its validation and without its save."""

    name = "yolov8-csv"
    has_time = True

    def begins(self) -> None:
        self.has_time = self.random.random() < 0.6
        self.is_v5 = not self.has_time and self.random.random() < 0.6
        self.parts = (0.2, 0.5, 0.3)
        third = "obj_loss" if self.is_v5 else "dfl_loss"
        losses = [f"{of_set}/{one}" for of_set in ("train", "val") for one in ("box_loss", third, "cls_loss")]
        found = ["precision(B)", "recall(B)", "mAP50(B)", "mAP50-95(B)"]
        found = ["precision", "recall", "mAP_0.5", "mAP_0.5:0.95"] if self.is_v5 else found
        rates = [f"x/lr{one}" if self.is_v5 else f"lr/pg{one}" for one in range(3)]
        names = [*losses[:3], *(f"metrics/{one}" for one in found), *losses[3:], *rates]
        self.names = names
        self._say(["epoch", *(["time"] * self.has_time), *names])

    def _say(self, cells: list[str]) -> None:
        width = 0 if self.has_time else 20 if self.is_v5 else 23
        self.tape.say(",".join(f"{one:>{width}}" for one in cells), self.now_s)

    def stepped(self, one: Iteration) -> None:
        """Nothing: an epoch has a row."""

    def epoch_trained(self) -> None:
        validates = VALID in self.plan.sets
        if validates:
            self.evaluate()
        digits = 5 if self.is_v5 else 6 if self.has_time else 5
        mean, loss = sum(self.losses) / len(self.losses), self.metric(VALID, "loss") if validates else 0.0
        train, valid = ([float(f"{one * part:.{digits}g}") for part in self.parts] for one in (mean, loss))
        found = [0.01 + log(2 + self.epoch) / 10 * part for part in (1, 0.9, 0.8, 0.5)] if validates else [0.0] * 4
        epoch = [self.epoch + (not self.is_v5), *([self.now_s - self.phase_s] * self.has_time)]
        row = [*epoch, *train, *found, *valid, *[1e-3] * 3]
        self._say([f"{one:.{digits}g}" for one in row])
        self.told(self.tape.iterations[-1], (sum(train),), (self.epoch + (not self.is_v5),), of_epoch=True)
        for name, one in zip(self.names, row[-len(self.names) :], strict=True):
            self.value("", name, float(f"{one:.{digits}g}"))
        if validates:
            self.value(VALID, "loss", sum(valid))
        self.save()
