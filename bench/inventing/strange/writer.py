"""Runs a plan and prints it as its script does."""

from __future__ import annotations

from math import exp
from random import Random
from typing import TYPE_CHECKING

from . import epoch_ends, heads, more, steps
from .plans import TRAIN, VALID
from .plans import plan as planned
from .tape import Iteration, Row, Tape, Value
from .wording import FIRST, OF_BARS, OF_EPOCHS
from .wording import script as scripted

if TYPE_CHECKING:
    from .plans import Plan
    from .wording import Script

BEGIN_S = 1_714_550_400.0
FIRST_ROWS = 3


class Writer:
    """One run of the program."""

    def __init__(self, seed: int) -> None:
        self.random = Random(f"stranger {seed}")
        self.plan: Plan = planned(self.random)
        self.script: Script = scripted(self.random)
        self.script.every = min([self.script.every, *(phase.batches for phase in self.plan.phases)])
        self.more = more.more(seed)
        self.tape = Tape(stamp=self.script.stamp, begun_s=BEGIN_S)
        self.now_s = BEGIN_S
        self.phase, self.epoch = 0, 0
        self.phase_s = self.epoch_s = self.row_s = BEGIN_S
        self.trained_s = 0.0  # when the epoch's last step ended
        self.losses: list[float] = []
        self.best: tuple[float, int] = (9.0, 0)
        self.settings: dict[str, object] = {}
        self.bar = steps.Bar("")

    def write(self) -> Tape:
        """The whole tape, or its beginning, where the plan is cut."""
        self.now_s += 1.0
        self.settings = heads.dump(self.tape, self.plan, self.random, self.now_s)
        self.now_s = heads.prepare(self.tape, self.plan, self.random, self.now_s)
        for number in range(len(self.plan.phases)):
            self._phase(number)
        self.tape.ends_s = self.now_s
        epoch_ends.end(self)
        self.tape.ends.append(("finished", self.tape.now - 1))
        if not self.plan.cut:
            return self.tape
        rows = [row.piece for row in self.tape.rows]
        cut = self.tape.cut(self.random.choice(rows[len(rows) // 3 :]) + 1)
        more.crash(cut, self.more)
        return cut

    def _phase(self, number: int) -> None:
        phase, self.phase = self.plan.phases[number], number
        self.tape.phases_begun.append(self.tape.now)
        if phase.headline:
            self.tape.say(phase.headline, self.now_s)
        self.now_s += self.random.uniform(1, 5)
        self.phase_s, self.best = self.now_s, (9.0, 0)
        for epoch in range(phase.run_epochs):
            self._epoch(epoch)
        if phase.run_epochs < phase.epochs:
            self.tape.say(f"Early stopping at epoch {self.epoch + self.script.epoch_from}", self.now_s)

    def _epoch(self, epoch: int) -> None:
        phase, script = self.plan.phases[self.phase], self.script
        self.epoch, self.epoch_s, self.row_s, self.losses = epoch, self.now_s, self.now_s, []
        if script.headline and script.style not in (*OF_EPOCHS, *OF_BARS):
            self.tape.say(script.headline.format(epoch=epoch + script.epoch_from, epochs=phase.epochs), self.now_s)
        more.before_epoch(self)
        steps.epoch_begins(self)
        for batch in range(phase.batches):
            self._step(batch)
        self.trained_s = self.now_s
        epoch_ends.epoch_ends(self)

    def _step(self, batch: int) -> None:
        plan, phase = self.plan, self.plan.phases[self.phase]
        place = self.epoch * phase.batches + batch
        took_s = plan.clean_s(self.phase, place) * max(0.5, self.random.gauss(1, plan.noise))
        took_s += plan.first_s if place == 0 else 0
        took_s += plan.stall_s if (self.phase, place) in plan.stalls else 0
        begins_s, self.now_s = self.now_s, self.now_s + took_s
        loss = 0.4 + 4 * exp(-3 * place / phase.steps) * self.random.gauss(1, 0.02)
        self.losses.append(loss)
        one = Iteration(self.phase, self.epoch, batch, place, begins_s, self.now_s, self.tape.now)
        self.tape.iterations.append(one)
        if plan.phases and self.script.warns and self.random.random() < 0.01:
            self.tape.say(self.random.choice(heads.WARNINGS), self.now_s)
        if self.script.style not in OF_EPOCHS and self._has_row(batch):
            steps.row(self, one)
            more.behind_row(self)

    def _has_row(self, batch: int) -> bool:
        if self.script.style == FIRST:
            return batch < FIRST_ROWS
        if self.script.style in OF_BARS:
            return batch % self.script.every == 0 or batch == self.plan.phases[self.phase].batches - 1
        return (batch + self.script.batch_from) % self.script.every == 0

    def told(
        self, one: Iteration, losses: tuple[float, ...], counts: tuple[int, ...], *, of_epoch: bool = False
    ) -> None:
        """The newest piece is a row of `one`."""
        self.tape.rows.append(Row(one, losses, counts, self.tape.now - 1, of_epoch))
        self.row_s = one.ends_s

    def value(self, of_set: str, word: str, value: float) -> None:
        """The newest piece holds a value."""
        last = self.tape.iterations[-1]
        self.tape.values.append(Value(of_set, word, value, self.phase, last.place, self.epoch, self.tape.now - 1))

    def metric(self, of_set: str, word: str) -> float:
        """What a set's metric is at the end of this epoch, as it is printed."""
        phase = self.plan.phases[self.phase]
        done = (self.epoch + 1) / phase.run_epochs
        if word != "loss":
            return round(0.3 + 0.5 * done + self.random.uniform(-0.02, 0.02) - 0.03 * (of_set != TRAIN), 4)
        if of_set == TRAIN:
            return round(sum(self.losses) / len(self.losses), 4)
        rises = 1.2 * max(0.0, done - 0.4) if self.plan.overfits else 0.0
        loss = 0.5 + 3.6 * exp(-3 * done) + rises + (0.1 if of_set == VALID else 0.2)
        return round(loss * self.random.gauss(1, 0.01), 4)
