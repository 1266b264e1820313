"""What trainers of pictures have in common: a data time in each step's, a timer of their own, several losses."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from ..strange.plans import VALID
from .trainer import Trainer

if TYPE_CHECKING:
    from ..strange.tape import Iteration

WEIGHTS = {"loss_cls": 0.6, "loss_bbox": 0.4}


class Vision(Trainer):
    """`timer_s`: since when the trainer's own timer counts: what lies between is in the next step's time."""

    intervals: tuple[int, ...] = (10, 20, 50)

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        plan, phase = self.plan, self.plan.phases[0]
        phase.run_epochs = phase.epochs
        self.tape.stamp = ""  # each line has that of its logger
        self.total = phase.epochs * phase.batches
        self.every = self.script.every = min(self.random.choice(self.intervals), max(1, self.total // 4))
        self.data_share = self.random.choice([0.01, 0.05, 0.4])
        self.stalls_are_data = self.random.random() < 0.5
        self.evaluates = VALID in plan.sets
        self.evaluates_every = self.random.choice([phase.batches, phase.batches // 2 + 1, 2 * phase.batches])
        self.saves_every = self.random.choice([phase.batches, 10 * (phase.batches // 5 + 1)])
        self.timer_s = self.now_s
        self.times_s: list[float] = []
        self.data_s: list[float] = []
        self.all_losses: list[float] = []
        self.best_metric = -1.0

    def log(self, text: str, logger: str = "") -> None:
        """A line with its stamp."""
        moment = datetime.fromtimestamp(self.now_s, timezone.utc)
        milliseconds = f"{int(self.now_s * 1e3) % 1000:03d}"
        stamp = moment.strftime(self.stamp).replace("{ms}", milliseconds).replace("{logger}", logger)
        self.tape.say(stamp + text, self.now_s)

    def stepped(self, one: Iteration) -> None:
        phase = self.plan.phases[0]
        own_s = phase.clean_s * self.data_share
        waits = self.stalls_are_data and (0, one.place) in self.plan.stalls
        before_s = one.begins_s - self.timer_s
        self.times_s.append(one.ends_s - self.timer_s)
        one.waited_s = self.waited_s + (self.plan.stall_s if waits else 0.0) + own_s
        self.data_s.append(before_s + one.waited_s)
        self.all_losses.append(self.losses[-1])
        self.timer_s = one.ends_s
        self.after_step(one)

    def after_step(self, one: Iteration) -> None:
        """The trainer's hooks, in their order."""
        raise NotImplementedError

    def parts(self, loss: float, write: str, join: str) -> str:
        """The losses of which it is the sum."""
        return join.join(f"{name}: {loss * weight:{write}}" for name, weight in WEIGHTS.items())

    def ends_evaluation(self, word: str, value: float) -> bool:
        """The newest line has this metric; is it the best?"""
        self.value(VALID, word, value)
        is_best, self.best_metric = value > self.best_metric, max(value, self.best_metric)
        return is_best


def clock(seconds: float) -> str:
    return str(timedelta(seconds=int(seconds)))


def mean(values: list[float], newest: int) -> float:
    kept = values[-newest:]
    return sum(kept) / len(kept)
