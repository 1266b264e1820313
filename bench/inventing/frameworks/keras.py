"""Keras: `fit` with a bar that ends with each epoch's line, or with that line alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration


class KerasLines(Trainer):
    """`verbose=2`: an epoch's line, its time with the validation in it, its step's time without the first step."""

    name = "keras-lines"

    def epoch_begins(self) -> None:
        self.tape.say(f"Epoch {self.epoch + 1}/{self.plan.phases[0].epochs}", self.now_s)

    def stepped(self, one: Iteration) -> None:
        """Nothing: an epoch has a line."""

    def epoch_trained(self) -> None:
        phase = self.plan.phases[0]
        if VALID in self.plan.sets:
            self.evaluate()
        took_s = self.now_s - self.epoch_s
        steps = self.tape.iterations[-phase.batches :]
        behind_first_s = self.now_s - steps[0].ends_s
        loss = round(sum(self.losses) / len(self.losses), 4)
        said = [f"{phase.batches}/{phase.batches}", f"{took_s:.0f}s", f"loss: {loss:.4f}"]
        each_s = behind_first_s / max(1, phase.batches - 1)
        each = f"{each_s * 1e3:.0f}ms/step" if each_s < 1 else f"{each_s:.0f}s/step"
        said[1] += f" - {each}" if self.seed_is_even else f" {each}"
        if VALID in self.plan.sets:
            loss_of_valid = self.metric(VALID, "loss")
            said.append(f"val_loss: {loss_of_valid:.4f}")
        self.tape.say(" - ".join(said), self.now_s)
        if VALID in self.plan.sets:
            self.value(VALID, "loss", loss_of_valid)
        self.told(steps[-1], (loss,), (self.epoch + 1,), of_epoch=True)

    @property
    def seed_is_even(self) -> bool:
        """Keras 3 writes ` - ` in front of the step's time; Keras 2 does not."""
        return self.script.batch_from == 0
