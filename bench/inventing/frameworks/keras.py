"""Keras: `fit` with a bar that ends with each epoch's line, or with that line alone.

What is printed at an epoch's end holds its validation and its saves, for the bar is the last of the callbacks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration

LEAST_S = 0.05


def each(seconds: float, unit: str = "step") -> str:
    """A step's time, in whole units."""
    if seconds >= 1 or not seconds:
        return f"{seconds:.0f}s/{unit}"
    return f"{seconds * 1e3:.0f}ms/{unit}" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us/{unit}"


def left(seconds: float) -> str:
    """What is left of the epoch."""
    if seconds > 3600:
        return f"{seconds // 3600:.0f}:{seconds % 3600 // 60:02.0f}:{int(seconds % 60):02d}"
    return f"{int(seconds // 60)}:{int(seconds % 60):02d}" if seconds > 60 else f"{int(seconds)}s"


class Keras(Trainer):
    """What all its versions print alike."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.saves = self.random.choice(["", "", "silent", "each", "best"])
        self.accuracy = self.random.random() < 0.6
        self.learning_rate = self.random.random() < 0.2
        self.best_loss: float | None = None
        self.settings = {"times hold stops": True}

    def epoch_begins(self) -> None:
        self.tape.say(f"Epoch {self.epoch + 1}/{self.plan.phases[0].epochs}", self.now_s)

    def epoch_trained(self) -> None:
        phase, validates = self.plan.phases[0], VALID in self.plan.sets
        if validates:
            self.evaluate()
        loss = round(sum(self.losses) / len(self.losses), 4)
        loss_of_valid = self.metric(VALID, "loss")
        if self.saves:
            self._save(loss_of_valid if validates else loss, "val_loss" if validates else "loss")
        named = [("loss", f"{loss:.4f}")]
        named += [("val_loss", f"{loss_of_valid:.4f}")] if validates else []
        if self.accuracy:
            named = [(name.replace("loss", "accuracy"), f"{0.5:.4f}") for name, _ in named] + named
        named += [("learning_rate", "1.0000e-03")] if self.learning_rate else []
        said = "".join(f" - {name}: {value}" for name, value in sorted(named, key=lambda one: "val_" in one[0]))
        self.closes(said)
        if validates:
            self.value(VALID, "loss", loss_of_valid)
        self.told(self.tape.iterations[-1], (loss,), (phase.batches, self.epoch + 1), of_epoch=self.of_epoch)

    of_epoch = True

    def closes(self, said: str) -> None:
        """The line of an epoch."""
        raise NotImplementedError

    def _save(self, loss: float, of: str) -> None:
        """`ModelCheckpoint`: says what it will do, and does it."""
        path = f"out/model_{self.epoch + 1:02d}.keras"
        before = "inf" if self.best_loss is None else f"{self.best_loss:.5f}"
        improved = self.best_loss is None or loss < self.best_loss
        head = f"\nEpoch {self.epoch + 1}: "
        if self.saves == "each":
            self.tape.say(f"{head}saving model to {path}", self.now_s)
        elif self.saves == "best" and improved:
            self.tape.say(f"{head}{of} improved from {before} to {loss:.5f}, saving model to {path}", self.now_s)
        elif self.saves == "best":
            self.tape.say(f"{head}{of} did not improve from {before}", self.now_s)
        self.best_loss = loss if improved else self.best_loss
        if improved or self.saves != "best":
            self.save(told=self.saves != "silent")

    def ends(self) -> None:
        phase = self.plan.phases[0]
        if phase.run_epochs < phase.epochs:
            self.tape.say(f"Epoch {phase.run_epochs}: early stopping", self.now_s)


class KerasLines(Keras):
    """`verbose=2`: an epoch's line; its step's time is that of the whole epoch, over its steps."""

    name = "keras-lines"

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.version = self.random.choice(["3", "3", "2.6", "2.4"])

    def stepped(self, one: Iteration) -> None:
        """Nothing: an epoch has a line."""

    def closes(self, said: str) -> None:
        batches, took_s = self.plan.phases[0].batches, self.now_s - self.epoch_s
        head = f"{batches}/{batches} - {took_s:.0f}s"
        if self.version == "3":
            head += f" - {each(took_s / batches)}"
        elif self.version == "2.6":
            said += f" - {each(took_s, 'epoch')} - {each(took_s / batches)}"
        self.tape.say(head + said, self.now_s)


class KerasBars(Keras):
    """Keras 3, `verbose=1`: the mean time of all steps but the first; the last frame holds the validation."""

    name = "keras-bars-3"
    of_epoch = False

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.means_of_means = self.random.random() < 0.5  # as Keras 3 had it until 2025
        self.width, self.drawn_s, self.first_s = 0, 0.0, 0.0

    def epoch_begins(self) -> None:
        super().epoch_begins()
        self.width, self.drawn_s, self.first_s = 0, 0.0, 0.0

    def stepped(self, one: Iteration) -> None:
        if one.batch == 0:
            self.first_s = one.ends_s
        if one.ends_s - self.drawn_s < LEAST_S:
            return
        means = [sum(self.losses[: n + 1]) / (n + 1) for n in range(len(self.losses))]
        loss = round(sum(means) / len(means) if self.means_of_means else means[-1], 4)
        said = f" - accuracy: 0.5000 - loss: {loss:.4f}" if self.accuracy else f" - loss: {loss:.4f}"
        self.draw(one.batch + 1, said, closes=False)
        self.told(one, (loss,), (one.batch + 1, one.epoch + 1))
        self.drawn_s = one.ends_s

    def step_s(self, done: int) -> float:
        """The mean without the first."""
        return self.now_s - self.epoch_s if done == 1 else (self.now_s - self.first_s) / (done - 1)

    def draw(self, done: int, said: str, *, closes: bool) -> None:
        of, step_s = self.plan.phases[0].batches, self.step_s(done)
        drawn = int(20 * done / of)
        colour = f"\x1b[32m{'━' * drawn}\x1b[0m" if drawn else ""
        bar = f"\x1b[1m{done:>{len(str(of))}}/{of}\x1b[0m {colour}\x1b[37m{'━' * (20 - drawn)}\x1b[0m"
        clock = f"{self.now_s - self.epoch_s:.0f}s" if closes else left(step_s * (of - done))
        info = f" \x1b[1m{clock}\x1b[0m {each(step_s)}{said}"
        self.write_over(bar + info, len(bar) + len(info) - 25 - 9 * bool(drawn), closes=closes)

    def write_over(self, text: str, width: int, *, closes: bool) -> None:
        """With a backspace for each character before."""
        blank = " " * max(0, self.width - width)
        self.tape.say("\b" * self.width + "\r" + text + blank, self.now_s, "\n" if closes else "")
        self.width = width

    def closes(self, said: str) -> None:
        self.draw(self.plan.phases[0].batches, said, closes=True)


class KerasBarsOf2(KerasBars):
    """Keras 2: frames tell what is left, the last one the time of a step."""

    name = "keras-bars-2"

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.means_of_means = False
        self.without_first = self.random.random() < 0.6  # since 2.4
        self.on_a_terminal = self.random.random() < 0.6  # else each frame has a line of its own

    def step_s(self, done: int) -> float:
        return super().step_s(done) if self.without_first else (self.now_s - self.epoch_s) / done

    def draw(self, done: int, said: str, *, closes: bool) -> None:
        of, step_s = self.plan.phases[0].batches, self.step_s(done)
        drawn = int(30 * done / of)
        arrow = ("=" * (drawn - 1) + (">" if done < of else "=")) if drawn else ""
        bar = f"{done:>{len(str(of))}}/{of} [{arrow:.<30}]"
        spent = f" - {self.now_s - self.epoch_s:.0f}s {each(step_s)}"
        text = bar + (spent if closes else f" - ETA: {left(step_s * (of - done))}") + said
        self.write_over(text, len(text), closes=closes)

    def write_over(self, text: str, width: int, *, closes: bool) -> None:
        if self.on_a_terminal:
            super().write_over(text, width, closes=closes)
        else:
            self.tape.say("\n" + text, self.now_s, "\n" if closes else "")
