"""OpenNMT-py: a line each `report_every` steps, with the seconds since its beginning."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration


class OpenNmt(Trainer):
    """Steps without epochs; the loss is a window's mean. Each version prints other digits and columns."""

    name = "opennmt"
    stamp = "[%Y-%m-%d %H:%M:%S,{ms:03d} INFO] "

    def begins(self) -> None:
        self.version = self.random.choice([1, 2, 3])
        batches = self.plan.phases[0].batches
        self.script.every = min(self.random.choice([5, 10, 50]), max(1, batches // 2))
        self.saves_each = self.random.choice([batches, 2 * batches, max(1, batches // 2)])
        self.first_of_window, self.all_losses = 0, []
        say = self.tape.say
        say("Building model...", self.now_s)
        say(
            " * number of parameters: 44513280" if self.version > 1 else "* number of parameters: 44513280",
            self.now_s,
        )
        say("Starting training on GPU: [0]", self.now_s)
        validates = f"Start training loop and validate every {batches} steps..."
        say(validates if VALID in self.plan.sets else "Start training loop without validation...", self.now_s)

    def stepped(self, one: Iteration) -> None:
        phase, step = self.plan.phases[0], one.place + 1
        self.all_losses.append(self.losses[-1])
        if step % self.script.every == 0:
            self._report(one)
        if step % phase.batches == 0 and VALID in self.plan.sets:
            self._validate()
        if step % self.saves_each == 0:
            self._save(step)

    def _report(self, one: Iteration) -> None:
        step, steps = one.place + 1, self.plan.phases[0].epochs * self.plan.phases[0].batches
        window = self.all_losses[self.first_of_window :]
        since_s = self.tape.iterations[self.first_of_window].begins_s
        tokens = len(window) * self.plan.batch_size * 25 / (self.now_s - since_s)
        self.first_of_window = step
        loss, spent_s = sum(window) / len(window), self.now_s - self.phase_s
        digits = 1 if self.version > 1 else 2
        xent = f"{loss:4.2f}" if self.version == 1 else f"{loss:3.1f}"
        said = f"Step {step:2d}/{steps:5d}; acc: {100 * exp(-loss):6.{digits}f}; ppl: {exp(loss):5.{digits}f}; "
        said += f"xent: {xent}; lr: {0.00025:7.5f}; "
        if self.version > 1:
            sentences = len(window) * self.plan.batch_size
            said += (
                f"sents: {sentences:7.0f}; bsz: {self.plan.batch_size * 25:4.0f}/{self.plan.batch_size * 24:4.0f}/"
            )
            said += f"{self.plan.batch_size:2.0f}; "
        said += f"{tokens:3.0f}/{0.96 * tokens:3.0f} tok/s; {spent_s:6.0f} sec" + ";" * (self.version > 1)
        self.tape.say(said, self.now_s)
        self.told(one, (float(xent),), (step,))

    def _validate(self) -> None:
        begins_s, ends_s = self.evaluate()
        loss = self.metric(VALID, "loss")
        if self.version == 3:
            self.tape.say("valid stats calculation", self.now_s)
            self.tape.pieces.append(f"                           took: {ends_s - begins_s} s.\n")
            self.tape.times_s.append(self.now_s)
        self.tape.say(f"Validation perplexity: {exp(loss):g}", self.now_s)
        self.value(VALID, "perplexity", float(f"{exp(loss):g}"))
        self.tape.say(f"Validation accuracy: {100 * exp(-loss):g}", self.now_s)

    def _save(self, step: int) -> None:
        self.tape.say(f"Saving checkpoint run/model_step_{step}.pt", self.now_s)
        self.save()
        self.tape.stops[-1].piece -= 1  # the line stands in front of it

    def epoch_trained(self) -> None:
        """Nothing: there are no epochs."""
