"""What happens in an invented training, on its own clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, nan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

BEGIN_S = 1_714_550_400.0  # 2024-05-01 08:00 UTC


@dataclass
class Step:
    """One optimizer step; `place` counts all steps of the plan from 0, `batch` those of its epoch."""

    place: int
    epoch: int
    batch: int
    ends_s: float
    duration_s: float
    loss: float


@dataclass
class Evaluation:
    """An evaluation after the step at `place`."""

    place: int
    epoch: int
    begins_s: float
    batch_s: list[float]  # when each of its batches ended
    loss: float

    @property
    def ends_s(self) -> float:
        return self.batch_s[-1]


@dataclass
class Save:
    """A checkpoint after the step at `place`."""

    place: int
    epoch: int
    begins_s: float
    ends_s: float


@dataclass
class Begin:
    """A process begins, at the step `place`; `resumed` if an earlier one had left a checkpoint."""

    at_s: float
    place: int
    epoch: int
    resumed: bool


@dataclass
class End:
    """How a process ended: finished, crashed, interrupted, or nothing more was written."""

    at_s: float
    how: str
    epoch: int


Happening = Begin | Step | Evaluation | Save | End


@dataclass
class Plan:
    """The settings of a training."""

    epochs: int
    batches: int  # an epoch
    batch_size: int
    clean_s: float
    noise: float
    first_s: float
    evaluates: bool
    evaluation_batches: int
    evaluation_s: float  # a batch
    save_s: float  # 0: none
    not_finite_from: int  # place; beyond the end: never
    ends: tuple[str, ...]  # each process's
    separate: bool  # the second process begins anew

    @property
    def total(self) -> int:
        return self.epochs * self.batches


@dataclass
class Course:
    """A plan and what became of it."""

    plan: Plan
    happenings: list[Happening] = field(default_factory=list)
    now_s: float = BEGIN_S

    def run(self, random: Random) -> None:
        begin = 0
        for number, how in enumerate(self.plan.ends):
            self.happenings.append(Begin(self.now_s, begin * self.plan.batches, begin, begin > 0))
            self.now_s += random.uniform(1, 20)
            stop = (
                self.plan.total
                if how == "finished"
                else random.randint(begin * self.plan.batches + 5, self.plan.total - 1)
            )
            self._steps(begin * self.plan.batches, stop, random)
            last_epoch = (stop - 1) // self.plan.batches
            self.now_s += random.uniform(0.1, 2)
            self.happenings.append(End(self.now_s, how, last_epoch))
            self.now_s += random.uniform(60, 4_000)
            begin = 0 if self.plan.separate or not self.plan.save_s else stop // self.plan.batches
            if number + 1 < len(self.plan.ends) and begin * self.plan.batches + 6 > self.plan.total - 1:
                return

    def _steps(self, begin: int, stop: int, random: Random) -> None:
        plan = self.plan
        for place in range(begin, stop):
            took_s = plan.clean_s * max(0.5, random.gauss(1, plan.noise)) + (plan.first_s if place == begin else 0)
            self.now_s += took_s
            epoch, batch = divmod(place, plan.batches)
            loss = (
                nan
                if place >= plan.not_finite_from
                else 0.4 + 4 * exp(-3 * place / plan.total) * random.gauss(1, 0.02)
            )
            self.happenings.append(Step(place, epoch, batch, self.now_s, took_s, loss))
            if batch == plan.batches - 1:
                self._after_epoch(place, epoch, loss, random)

    def _after_epoch(self, place: int, epoch: int, loss: float, random: Random) -> None:
        plan = self.plan
        if plan.evaluates:
            begins_s, ended_s = self.now_s, []
            for _ in range(plan.evaluation_batches):
                self.now_s += plan.evaluation_s * random.gauss(1, 0.02)
                ended_s.append(self.now_s)
            self.happenings.append(Evaluation(place, epoch, begins_s, ended_s, loss * random.uniform(1.02, 1.2)))
        if plan.save_s:
            begins_s, self.now_s = self.now_s, self.now_s + plan.save_s
            self.happenings.append(Save(place, epoch, begins_s, self.now_s))


def invent(random: Random) -> Course:
    """A training as the seed wants it."""
    batches = random.choice([7, 20, 33, 50, 100, 157, 300])
    epochs = random.randint(2, 3) if batches > 150 else random.randint(2, 12)
    clean_s = round(random.choice([0.03, 0.12, 0.4, 0.9, 2.5]) * random.uniform(0.8, 1.2), 4)
    ends = random.choices(
        [
            ("finished",),
            ("cut",),
            ("crashed",),
            ("interrupted",),
            ("crashed", "finished"),
            ("finished", "finished"),
            ("finished", "finished", "finished"),
        ],
        [10, 4, 2, 1, 2, 1, 1],
    )[0]
    total = epochs * batches
    plan = Plan(
        epochs=epochs,
        batches=batches,
        batch_size=random.choice([8, 16, 32, 64, 128]),
        clean_s=clean_s,
        noise=random.choice([0.005, 0.02, 0.05]),
        first_s=clean_s * random.choice([0, 0, 2, 15]),
        evaluates=random.random() < 0.7,
        evaluation_batches=random.choice([3, 10, 40]),
        evaluation_s=clean_s * random.choice([0.3, 0.5, 1.0]),
        save_s=random.choice([0.0, 0.2, 1.5, 8.0]),
        not_finite_from=random.randrange(total) if random.random() < 0.06 else total,
        ends=ends,
        separate=ends[0] == "finished",
    )
    course = Course(plan)
    course.run(random)
    return course
