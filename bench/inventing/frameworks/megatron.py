"""Megatron-LM: the mean time of `log_interval` iterations; until 2023 with saves and evaluations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration


class MegatronLm(Trainer):
    """Until 2023: the interval's timer runs on while it evaluates and saves."""

    name = "megatron-old"
    counts = ("step",)
    stops_timer = False

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.interval_s = 0.0  # of the timer, without what runs since
        self.since = 0  # iterations in it
        self.mean: list[float] = []  # losses since the row before

    def begins(self) -> None:
        phase = self.plan.phases[0]
        settings = {
            "eval_interval": phase.batches,
            "eval_iters": self.plan.evaluation_batches,
            "global_batch_size": self.plan.batch_size,
            "log_interval": self.script.every,
            "micro_batch_size": self.plan.batch_size,
            "save_interval": phase.batches,
            "train_iters": phase.epochs * phase.batches,
            "world_size": 1,
        }
        names = {
            "eval_interval": "eval_every",
            "save_interval": "save_steps",
            "eval_iters": "evaluation_iterations",
        }
        self.settings = {name: settings[key] for key, name in names.items()}
        rows = [f"  {name} {'.' * (48 - len(name))} {value}" for name, value in settings.items()]
        self.tape.say("------------------------ arguments ------------------------", self.now_s)
        for row in rows:
            self.tape.say(row, self.now_s)
        self.tape.say("-------------------- end of arguments ---------------------", self.now_s)
        self.tape.say("done with setup ...", self.now_s)
        moment = self.moment("%Y-%m-%d %H:%M:%S")
        self.tape.say(f"[before the start of training step] datetime: {moment} ", self.now_s)

    def stepped(self, one: Iteration) -> None:
        self.interval_s += one.took_s
        self.since += 1
        self.mean.append(self.losses[-1])
        number, phase = one.place + 1, self.plan.phases[0]
        first = self.stops_timer and number == 1
        if number % self.script.every and not first:
            return
        each_ms, loss = 1e3 * self.interval_s / self.since, float(f"{sum(self.mean) / len(self.mean):.6E}")
        stamp = f" [{self.moment('%Y-%m-%d %H:%M:%S')}]" if self.stops_timer else ""
        self.tape.say(
            f"{stamp} iteration {number:8d}/{phase.epochs * phase.batches:8d} | "
            f"consumed samples: {number * self.plan.batch_size:12d} | "
            f"elapsed time per iteration (ms): {each_ms:.1f} | learning rate: 1.500E-04 | "
            f"global batch size: {self.plan.batch_size:5d} | lm loss: {loss:.6E} | loss scale: 1.0 | "
            f"grad norm: 1.342 | number of skipped iterations:   0 | number of nan iterations:   0 |",
            self.now_s,
        )
        self.told(one, (loss,), (number,))
        self.mean = []
        if not first or self.script.every == 1:
            self.interval_s, self.since = 0.0, 0

    def epoch_trained(self) -> None:
        done, begins_s = len(self.tape.iterations), self.now_s
        if VALID in self.plan.sets:
            self.evaluate()
            loss = self.metric(VALID, "loss")
            said = f" validation loss at iteration {done} | lm loss value: {loss:.6E} | lm loss PPL: {9.1:.6E} | "
            border = "-" * len(said)
            self.tape.say(border, self.now_s)
            self.tape.say(said, self.now_s)
            self.value(VALID, "loss", loss)
            self.tape.say(border, self.now_s)
        if self.plan.save_s:
            self.tape.say(f"saving checkpoint at iteration {done:7d} to ckpt", self.now_s)
            self.save()
            self.tape.stops[-1].piece -= 1
            self.tape.say(f"  successfully saved checkpoint at iteration {done:7d} to ckpt", self.now_s)
            spent_ms = 1e3 * self.plan.save_s
            self.tape.say("(min, max) time across ranks (ms):", self.now_s)
            self.tape.say(
                f"    save-checkpoint ................................: ({spent_ms:.2f}, {spent_ms:.2f})",
                self.now_s,
            )
        if not self.stops_timer:
            self.interval_s += self.now_s - begins_s

    def ends(self) -> None:
        self.tape.say(f"[after training is done] datetime: {self.moment('%Y-%m-%d %H:%M:%S')} ", self.now_s)


class MegatronOfToday(MegatronLm):
    """The timer stands still meanwhile; the first iteration has a row, and is in the next one's mean, too."""

    name = "megatron-new"
    stops_timer = True

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.script.stamp = "%S"  # its rows say whole seconds within the line
