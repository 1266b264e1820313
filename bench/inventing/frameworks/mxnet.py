"""MXNet's Speedometer, and GluonCV's classification script: a speed for each window of batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration


class Speedometer(Trainer):
    """`Module.fit`: batch 0 starts the clock; the window behind it ends where its number divides `frequent`."""

    name = "mxnet"
    counts = ("batch", "epoch")

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        stamps = ("INFO:root:", "%Y-%m-%d %H:%M:%S,{ms:03d} Node[0] ", "INFO:root:")
        self.stamp = self.tape.stamp = self.script.stamp = self.random.choice(stamps)
        self.script.every = min(self.script.every, self.plan.phases[0].batches - 1)  # so that it has a row
        self.has_ranges = self.random.random() < 0.5

    def begins(self) -> None:
        size, epochs = self.plan.batch_size, self.plan.phases[0].epochs
        settings = f"start with arguments Namespace(batch_size={size}, disp_batches={self.script.every}, gpus='0'"
        self.tape.say(f"{settings}, kv_store='device', lr=0.1, network='resnet', num_epochs={epochs})", self.now_s)

    def stepped(self, one: Iteration) -> None:
        every = self.script.every
        if one.batch % every or not one.batch:
            self.row_s = self.now_s if not one.batch else self.row_s
            return
        speed = every * self.plan.batch_size / (self.now_s - self.row_s)
        first = one.batch - every + (one.batch > every)
        place = f"{first}-{one.batch}" if self.has_ranges else one.batch
        loss = round(sum(self.losses[first:]) / len(self.losses[first:]), 6)
        self.tape.say(
            f"Epoch[{one.epoch}] Batch [{place}]\tSpeed: {speed:.2f} samples/sec\taccuracy=0.512500"
            f"\tcross-entropy={loss:.6f}",
            self.now_s,
        )
        self.told(one, (loss,), (one.batch,))

    def epoch_trained(self) -> None:
        loss, epoch = round(sum(self.losses) / len(self.losses), 6), self.epoch
        self.tape.say(f"Epoch[{epoch}] Train-accuracy=0.525000", self.now_s)
        self.tape.say(f"Epoch[{epoch}] Train-cross-entropy={loss:.6f}", self.now_s)
        self.value("train", "loss", loss)
        self.tape.say(f"Epoch[{epoch}] Time cost={self.now_s - self.epoch_s:.3f}", self.now_s)
        if self.plan.save_s:
            self.save()
            self.tape.say(f'Saved checkpoint to "model/net-{epoch + 1:04d}.params"', self.now_s)
        if VALID in self.plan.sets:
            self.evaluate()
            loss = self.metric(VALID, "loss")
            self.tape.say(f"Epoch[{epoch}] Validation-accuracy=0.500000", self.now_s)
            self.tape.say(f"Epoch[{epoch}] Validation-cross-entropy={loss:.6f}", self.now_s)
            self.value(VALID, "loss", loss)


class GluonCv(Trainer):
    """GluonCV's scripts: windows of full length from batch 0; an epoch's speed is over training and evaluation."""

    name = "gluon"
    stamp = "INFO:root:"
    counts = ("batch", "epoch")

    def begins(self) -> None:
        size, epochs = self.plan.batch_size, self.plan.phases[0].epochs
        settings = f"Namespace(batch_norm=False, batch_size={size}, log_interval={self.script.every}, lr=0.1"
        self.tape.say(f"{settings}, model='resnet50_v1', num_epochs={epochs}, num_gpus=1)", self.now_s)

    def stepped(self, one: Iteration) -> None:
        every = self.script.every
        if (one.batch + 1) % every:
            return
        speed = self.plan.batch_size * every / (self.now_s - self.row_s)
        self.tape.say(
            f"Epoch[{one.epoch}] Batch [{one.batch}]\tSpeed: {speed:f} samples/sec\taccuracy=0.5125\tlr=0.100000",
            self.now_s,
        )
        self.told(one, (), (one.batch,))

    def epoch_trained(self) -> None:
        phase = self.plan.phases[0]
        speed = int(self.plan.batch_size * phase.batches / (self.now_s - self.epoch_s))
        trained_s = self.now_s - self.epoch_s
        if VALID in self.plan.sets:
            self.evaluate()
        self.tape.say(f"[Epoch {self.epoch}] training: accuracy=0.525000", self.now_s)
        self.tape.say(f"[Epoch {self.epoch}] speed: {speed} samples/sec\ttime cost: {trained_s:f}", self.now_s)
        if VALID in self.plan.sets:
            self.tape.say(f"[Epoch {self.epoch}] validation: err-top1=0.475000 err-top5=0.125000", self.now_s)
        if self.plan.save_s:
            self.save()
            self.tape.stops[-1].told = False
