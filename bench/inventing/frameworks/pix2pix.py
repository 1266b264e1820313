"""pix2pix and CycleGAN: a row each `print_freq` images, and the seconds of an epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration


class Pix2Pix(Trainer):
    """Of 2018 and later, with its options in front; some programs print none of them."""

    name = "pix2pix"
    counts = ("samples", "batch")

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.plan.batch_size = self.random.choice([1, 1, 4])
        self.script.stamp = "%S"  # an epoch's time is in whole seconds
        self.prints_options = self.random.random() < 0.8
        self.data_share = self.random.choice([0.01, 0.3])
        self.save_every = self.random.choice([1, 2, 5])
        self.short = self.random.randrange(self.plan.batch_size)  # images that lack in an epoch's last batch

    def begins(self) -> None:
        phase, size = self.plan.phases[0], self.plan.batch_size
        if self.prints_options:
            half = phase.epochs // 2
            self.tape.say("----------------- Options ---------------", self.now_s)
            for name, value in (("batch_size", size), ("n_epochs", phase.epochs - half), ("n_epochs_decay", half)):
                self.tape.say(f"{name:>25}: {value!s:<30}", self.now_s)
            self.tape.say(f"{'print_freq':>25}: {self.script.every * size!s:<30}\t[default: 100]", self.now_s)
            self.tape.say("----------------- End -------------------", self.now_s)
        self.tape.say("dataset [AlignedDataset] was created", self.now_s)
        self.tape.say(f"The number of training images = {phase.batches * size - self.short}", self.now_s)
        self.tape.say("model [Pix2PixModel] was created", self.now_s)

    def stepped(self, one: Iteration) -> None:
        size = self.plan.batch_size
        one.waited_s = self.data_share * one.took_s
        if (one.place + 1) % self.script.every:
            return
        each_s = (one.took_s - one.waited_s) / size
        losses = [self.random.uniform(0.2, 2) for _ in range(4)]
        said = " ".join(
            f"{name}: {loss:.3f}" for name, loss in zip(("G_GAN", "G_L1", "D_real", "D_fake"), losses, strict=True)
        )
        images = (one.batch + 1) * size
        self.tape.say(
            f"(epoch: {one.epoch + 1}, iters: {images}, time: {each_s:.3f}, data: {one.waited_s:.3f}) {said} ",
            self.now_s,
        )
        self.told(one, (), (images,))

    def epoch_trained(self) -> None:
        phase, epoch = self.plan.phases[0], self.epoch + 1
        if epoch % self.save_every == 0:
            images = len(self.tape.iterations) * self.plan.batch_size
            self.tape.say(f"saving the model at the end of epoch {epoch}, iters {images}", self.now_s)
            self.save()
            self.tape.stops[-1].piece -= 1
        spent_s = self.now_s - self.epoch_s
        self.tape.say(f"End of epoch {epoch} / {phase.epochs} \t Time Taken: {int(spent_s)} sec", self.now_s)
        last = self.tape.iterations[-1]
        self.told(last, (), (phase.batches * self.plan.batch_size,))  # how far it is, this tells, too
