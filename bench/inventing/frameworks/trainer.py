"""A training that never was, run by a trainer whose own words are printed: each trainer is a subclass."""

from __future__ import annotations

from datetime import datetime, timezone
from random import Random

from ..strange.plans import SINGLE, VALID
from ..strange.plans import plan as planned
from ..strange.tape import Iteration, Stop, Tape
from ..strange.wording import script
from ..strange.writer import BEGIN_S, Writer


class Trainer(Writer):
    """Runs the plan; a subclass prints with `tape.say` and says what stands there with `told` and `value`.

    `every`: steps from row to row. `steps_between_epochs`: does its counter begin again with each epoch?
    """

    name = ""
    stamp = ""
    counts: tuple[str, ...] = ()

    def __init__(self, seed: int) -> None:
        self.random = Random(f"{self.name} {seed}")
        self.plan = planned(self.random)
        while self.plan.kind != SINGLE:
            self.plan = planned(self.random)
        self.plan.sets = tuple(one for one in self.plan.sets if one == VALID) or self.plan.sets[:0]
        self.script = script(self.random)
        self.script.style, self.script.counts, self.script.evaluation_rows = "rows", self.counts, ""
        self.script.stamp, self.script.extras = self.stamp, []
        self.script.every = min([self.random.choice([1, 5, 10, 20, 50]), self.plan.phases[0].batches])
        self.tape = Tape(stamp=self.stamp, begun_s=BEGIN_S)
        self.now_s = self.phase_s = self.epoch_s = self.row_s = self.trained_s = BEGIN_S
        self.phase, self.epoch = 0, 0
        self.losses: list[float] = []
        self.best = (9.0, 0)
        self.settings: dict[str, object] = {}
        self.is_cut = self.plan.cut
        self.waits_s = self.waited_s = 0.0  # for the next step's data beside its own; for the newest step's

    def write(self) -> Tape:
        """The whole tape, or its beginning, where the plan is cut."""
        self.tape.phases_begun.append(0)
        self.now_s += self.plan.prepare_s
        self.begins()
        phase = self.plan.phases[0]
        self.phase_s = self.now_s
        for epoch in range(phase.run_epochs):
            self.epoch, self.epoch_s, self.losses = epoch, self.now_s, []
            self.row_s = self.now_s
            self.epoch_begins()
            for batch in range(phase.batches):
                self._train(batch)
            self.trained_s = self.now_s
            self.epoch_trained()
        self.tape.ends_s = self.now_s
        self.ends()
        self.tape.ends.append(("finished", self.tape.now - 1))
        if not self.is_cut:
            return self.tape
        rows = [row.piece for row in self.tape.rows]
        later = rows[len(rows) // 3 :]
        anywhere = self.random.random() < 0.4
        return self.tape.cut(
            (self.random.randint(later[0], later[-1]) if anywhere else self.random.choice(later)) + 1
        )

    def _train(self, batch: int) -> None:
        plan, phase = self.plan, self.plan.phases[0]
        place = self.epoch * phase.batches + batch
        took_s = plan.clean_s(0, place) * max(0.5, self.random.gauss(1, plan.noise))
        took_s += plan.first_s if place == 0 else 0
        took_s += plan.stall_s if (0, place) in plan.stalls else 0
        self.waited_s, self.waits_s = self.waits_s, 0.0
        begins_s, self.now_s = self.now_s, self.now_s + took_s + self.waited_s
        self.losses.append(round(0.4 + 3 * 0.5 ** (6 * place / phase.steps) * self.random.gauss(1, 0.02), 6))
        one = Iteration(0, self.epoch, batch, place, begins_s, self.now_s, self.tape.now)
        self.tape.iterations.append(one)
        self.stepped(one)

    def evaluate(self, of_set: str = VALID) -> tuple[float, float]:
        """Run an evaluation; its begin and end. `evaluation_step` is called for each of its batches."""
        begins_s, plan = self.now_s, self.plan
        for number in range(1, plan.evaluation_batches + 1):
            self.now_s += plan.evaluation_s * max(0.2, self.random.gauss(1, 0.02))
            self.evaluation_step(number, plan.evaluation_batches, self.now_s - begins_s)
        self._stopped("evaluation", begins_s, of_set)
        return begins_s, self.now_s

    def moment(self, form: str) -> str:
        """The time of now, in UTC."""
        return datetime.fromtimestamp(self.now_s, timezone.utc).strftime(form)

    def save(self, *, told: bool = True) -> tuple[float, float]:
        """Save; its begin and end. `told`: does a line say so?"""
        begins_s, self.now_s = self.now_s, self.now_s + self.plan.save_s
        self._stopped("checkpoint", begins_s, "", told=told)
        return begins_s, self.now_s

    def _stopped(self, kind: str, begins_s: float, of_set: str, *, told: bool = True) -> None:
        here = self.tape.now, told, of_set
        self.tape.stops.append(Stop(kind, 0, len(self.tape.iterations), begins_s, self.now_s, *here))

    def begins(self) -> None:
        """What stands before the first step."""

    def epoch_begins(self) -> None:
        """What stands before an epoch's first step."""

    def stepped(self, one: Iteration) -> None:
        """A step is done: print its row if it has one."""
        raise NotImplementedError

    def evaluation_step(self, number: int, of: int, spent_s: float) -> None:
        """A batch of an evaluation is done."""

    def epoch_trained(self) -> None:
        """Evaluate, save and print what stands between two epochs."""

    def ends(self) -> None:
        """What stands behind the last epoch."""
