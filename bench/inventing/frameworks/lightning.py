"""PyTorch Lightning: one bar of tqdm for all epochs, with mean rates, and a bar below it for each validation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .tqdm_bars import TqdmBar
from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration


def padded(value: float) -> str:
    """A number as Lightning's bar prints it: of five characters at least."""
    said = f"{value:.3g}"
    if "e" in said:
        return said
    return (said if "." in said or len(said) >= 5 else said + ".").ljust(5, "0")


class Lightning2(Trainer):
    """2.x: the bar counts the training's batches alone, and is drawn again behind a validation."""

    name = "lightning-2"
    counts_validation = False

    def begins(self) -> None:
        self.every = self.script.every = self.random.choice([1, 1, 1, 10])
        self.mean_too = self.random.random() < 0.5
        self.saves = self.random.random() < 0.7
        self.values: dict[str, str] = {}
        validates = VALID in self.plan.sets
        self.total = self.plan.phases[0].batches + (
            self.plan.evaluation_batches if validates and self.counts_validation else 0
        )
        for text in (
            "GPU available: True (cuda), used: True",
            "TPU available: False, using: 0 TPU cores",
            "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
            "",
            "  | Name  | Type       | Params",
            "-------------------------------------",
            "0 | model | Sequential | 1.2 M ",
            "-------------------------------------",
            "1.2 M     Trainable params",
            "0         Non-trainable params",
        ):
            self.tape.say(text, self.now_s)
        if validates:
            self._sanity()
        self.bar: TqdmBar | None = None

    def _sanity(self) -> None:
        title = "Sanity Checking" if not self.counts_validation else "Validation sanity check"
        bar = TqdmBar(self.tape, title, 2, self.now_s, smoothing=0)
        bar.title = "Sanity Checking DataLoader 0"
        for number in (1, 2):
            self.now_s += self.plan.evaluation_s
            bar.shown = number
            bar.draw(self.now_s)
        bar.close(self.now_s, stays=False)

    def epoch_begins(self) -> None:
        if self.bar is None:
            self.bar = TqdmBar(self.tape, "Training", self.total, self.now_s, smoothing=0)
        else:
            self.bar.begin(self.now_s)
        self.bar.title = f"Epoch {self.epoch}"
        self.bar.draw(self.now_s)

    def stepped(self, one: Iteration) -> None:
        done, bar = one.batch + 1, self.bar
        if bar is None or (done % self.every and done != self.plan.phases[0].batches):
            return
        bar.shown = done
        bar.draw(self.now_s)
        loss = padded(self.losses[-1])
        self._shows("train_loss_step" if self.mean_too else "train_loss", loss)
        bar.draw(self.now_s)
        self.told(one, (float(loss),), (self.epoch,))

    def _shows(self, name: str, value: str) -> None:
        self.values[name] = value
        version = {"v_num": "3"}
        loss = {}
        if self.counts_validation:
            newest = self.losses[-20:]
            loss = {"loss": f"{sum(newest) / len(newest):.3g}"}
        if self.bar is not None:
            self.bar.postfix = ", ".join(f"{one}={said}" for one, said in (loss | version | self.values).items())

    def epoch_trained(self) -> None:
        bar = self.bar
        if bar is None:
            return
        if VALID in self.plan.sets:
            self._validate(bar)
        if self.saves and VALID in self.plan.sets:
            self.save()
        if self.mean_too:
            self._shows("train_loss_epoch", padded(sum(self.losses) / len(self.losses)))
        bar.draw(self.now_s)
        if self.saves and VALID not in self.plan.sets:
            self.save()

    def _validate(self, bar: TqdmBar) -> None:
        self.below = TqdmBar(
            self.tape, "Validation", self.plan.evaluation_batches, self.now_s, smoothing=0, below=1
        )
        self.below.title = "Validation DataLoader 0"
        self.below.draw(self.now_s)
        self.evaluate()
        loss = padded(self.metric(VALID, "loss"))
        self._shows("val_loss", loss)
        bar.draw(self.now_s)
        self.value(VALID, "loss", float(loss))
        self.below.close(self.now_s, stays=False)

    def evaluation_step(self, number: int, of: int, spent_s: float) -> None:
        if number % self.every == 0 or number == of:
            self.below.shown = number
            self.below.draw(self.below.began_s + spent_s)
            if self.counts_validation and self.bar is not None:
                self.bar.shown = self.plan.phases[0].batches + number
                self.bar.draw(self.now_s)

    def ends(self) -> None:
        phase = self.plan.phases[0]
        if phase.run_epochs == phase.epochs:
            self.tape.say(f"`Trainer.fit` stopped: `max_epochs={phase.epochs}` reached.", self.now_s)
        if self.bar is not None:
            self.bar.close(self.now_s)


class Lightning1(Lightning2):
    """1.5 to 1.9: the bar counts the validation's batches, too, and shows the loss's mean over twenty steps."""

    name = "lightning-1"
    counts_validation = True

    def stepped(self, one: Iteration) -> None:
        rows = len(self.tape.rows)
        super().stepped(one)
        if len(self.tape.rows) > rows:
            newest = self.losses[-20:]
            mean = float(f"{sum(newest) / len(newest):.3g}")
            row = self.tape.rows[-1]
            row.losses = (*row.losses, mean)
