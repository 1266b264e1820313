"""PyTorch's ImageNet example and timm's `train.py`: the newest batch's figure and its epoch's mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration


class Meter:
    """The newest of some figures, and their mean."""

    def __init__(self) -> None:
        self.newest = self.all = 0.0
        self.count = 0

    def add(self, value: float) -> None:
        self.newest, self.all, self.count = value, self.all + value, self.count + 1

    @property
    def mean(self) -> float:
        return self.all / self.count


class Metered(Trainer):
    """Meters of times, waits and losses, made anew with each epoch. A stall may be one of the data."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.data_share = self.random.choice([0.002, 0.05, 0.4])
        self.waits_stall = self.random.random() < 0.5
        self.version = self.random.randrange(3)
        self.plan.evaluation_every = 1

    def epoch_begins(self) -> None:
        self.times, self.waits, self.mean_loss = Meter(), Meter(), Meter()
        self.tested_s, self.test_times, self.test_losses = 0.0, Meter(), Meter()

    def metered(self, one: Iteration) -> None:
        """The meters with one batch more."""
        stall_s = self.plan.stall_s if (0, one.place) in self.plan.stalls else 0.0
        one.waited_s = self.data_share * (one.took_s - stall_s) + (stall_s if self.waits_stall else 0.0)
        self.times.add(one.took_s)
        self.waits.add(one.waited_s)
        self.mean_loss.add(self.losses[-1])

    def tested(self, spent_s: float) -> None:
        """The meters of an evaluation with one batch more."""
        self.test_times.add(spent_s - self.tested_s)
        self.tested_s = spent_s
        self.test_losses.add(self.random.uniform(0.5, 3.0))


class ImageNetExample(Metered):
    """`examples/imagenet/main.py`: at first with tabs alone, then padded, at last counting from 1."""

    name = "imagenet"
    counts = ("batch", "epoch")

    def begins(self) -> None:
        self.tape.say("=> creating model 'resnet50'", self.now_s)
        if self.random.random() < 0.3:
            self.tape.say("=> loading checkpoint 'none.pth.tar'", self.now_s)

    def stepped(self, one: Iteration) -> None:
        self.metered(one)
        if one.batch % self.script.every:
            return
        of = self.plan.phases[0].batches
        times, waits, loss = self.times, self.waits, self.mean_loss
        top = 100 * (0.2 + 0.6 * one.place / self.plan.phases[0].steps)
        if self.version == 0:
            said = (
                f"Epoch: [{one.epoch}][{one.batch}/{of}]\tTime {times.newest:.3f} ({times.mean:.3f})\t"
                f"Data {waits.newest:.3f} ({waits.mean:.3f})\tLoss {loss.newest:.4f} ({loss.mean:.4f})\t"
                f"Prec@1 {top:.3f} ({top:.3f})\tPrec@5 {top + 9:.3f} ({top + 8:.3f})"
            )
        else:
            batch = one.batch + (self.version == 2)
            said = (
                f"Epoch: [{one.epoch}][{batch:{len(str(of))}d}/{of}]\t"
                f"Time {times.newest:6.3f} ({times.mean:6.3f})\t"
                f"Data {waits.newest:6.3f} ({waits.mean:6.3f})\tLoss {loss.newest:.4e} ({loss.mean:.4e})\t"
                f"Acc@1 {top:6.2f} ({top:6.2f})\tAcc@5 {top + 9:6.2f} ({top + 8:6.2f})"
            )
        self.tape.say(said, self.now_s)
        self.told(one, (float(f"{loss.newest:.4f}" if self.version == 0 else f"{loss.newest:.4e}"),), (one.batch,))

    def evaluation_step(self, number: int, of: int, spent_s: float) -> None:
        self.tested(spent_s)
        if (number - 1) % self.script.every:
            return
        times, loss = self.test_times, self.test_losses
        top = 41.25
        if self.version == 0:
            said = (
                f"Test: [{number - 1}/{of}]\tTime {times.newest:.3f} ({times.mean:.3f})\t"
                f"Loss {loss.newest:.4f} ({loss.mean:.4f})\tPrec@1 {top:.3f} ({top:.3f})\t"
                f"Prec@5 {top + 9:.3f} ({top + 8:.3f})"
            )
        else:
            batch = number - 1 + (self.version == 2)
            said = (
                f"Test: [{batch:{len(str(of))}d}/{of}]\tTime {times.newest:6.3f} ({times.mean:6.3f})\t"
                f"Loss {loss.newest:.4e} ({loss.mean:.4e})\tAcc@1 {top:6.2f} ({top:6.2f})\t"
                f"Acc@5 {top + 9:6.2f} ({top + 8:6.2f})"
            )
        self.tape.say(said, self.now_s)
        self.value(VALID, "batch loss", round(loss.mean, 4))

    def epoch_trained(self) -> None:
        if VALID in self.plan.sets:
            self.evaluate()
            word = "Prec" if self.version == 0 else "Acc"
            self.tape.say(f" * {word}@1 41.250 {word}@5 66.125", self.now_s)
        if self.plan.save_s:
            self.save()
            self.tape.stops[-1].told = False


class Timm(Metered):
    """timm: an epoch's last batch has a row, too; from 2023 on epochs are 3/300 and the first is not at 0 %."""

    name = "timm"
    counts = ("batch", "epoch")

    def begins(self) -> None:
        self.tape.say("Training with a single process on 1 device (cuda:0).", self.now_s)
        self.tape.say("Model resnet50 created, param count:25557032", self.now_s)
        epochs = self.plan.phases[0].epochs
        self.tape.say(f"Scheduled epochs: {epochs}. LR stepped per epoch.", self.now_s)

    def stepped(self, one: Iteration) -> None:
        self.metered(one)
        phase, size = self.plan.phases[0], self.plan.batch_size
        last = phase.batches - 1
        if one.batch % self.script.every and one.batch != last:
            return
        epoch = f"{one.epoch}/{phase.epochs}" if self.version == 2 else one.epoch
        per_cent = 100 * (one.batch + 1) / phase.batches if self.version == 2 else 100 * one.batch / max(1, last)
        times, waits, loss = self.times, self.waits, self.mean_loss
        losses = f"{loss.newest:#.4g} ({loss.mean:#.3g})" if self.version == 0 else ""
        losses = losses or f"{loss.newest:#.3g} ({loss.mean:#.3g})"
        self.tape.say(
            f"Train: {epoch} [{one.batch:>4d}/{phase.batches} ({per_cent:>3.0f}%)]  Loss: {losses}  "
            f"Time: {times.newest:.3f}s, {size / times.newest:>7.2f}/s  "
            f"({times.mean:.3f}s, {size / times.mean:>7.2f}/s)  LR: 1.000e-03  "
            f"Data: {waits.newest:.3f} ({waits.mean:.3f})",
            self.now_s,
        )
        self.told(one, (float(losses.split(" ")[0]),), (one.batch,))

    def evaluation_step(self, number: int, of: int, spent_s: float) -> None:
        self.tested(spent_s)
        if (number - 1) % self.script.every and number != of:
            return
        times, loss = self.test_times, self.test_losses
        self.tape.say(
            f"Test: [{number - 1:>4d}/{of - 1}]  Time: {times.newest:.3f} ({times.mean:.3f})  "
            f"Loss: {loss.newest:>7.4f} ({loss.mean:>6.4f})  Acc@1: {41.25:>7.4f} ({41.25:>7.4f})  "
            f"Acc@5: {66.5:>7.4f} ({66.5:>7.4f})",
            self.now_s,
        )
        self.value(VALID, "loss" if number == of else "batch loss", round(loss.mean, 4))

    def epoch_trained(self) -> None:
        if VALID in self.plan.sets:
            self.evaluate()
        if not self.plan.save_s:
            return
        self.save()
        self.tape.stops[-1].told = True
        self.tape.say("Current checkpoints:", self.now_s)
        for epoch in range(self.epoch, max(-1, self.epoch - 3), -1):
            self.tape.say(f" ('./output/train/checkpoint-{epoch}.pth.tar', {40 + epoch / 2})", self.now_s)
        self.tape.say("", self.now_s)

    def ends(self) -> None:
        self.tape.say(f"*** Best metric: 41.25 (epoch {self.epoch})", self.now_s)
