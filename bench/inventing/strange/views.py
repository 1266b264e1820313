"""What is true of a tape if its steps are counted, or its epochs, or its rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .plans import Plan
    from .tape import Tape
    from .wording import Script

STEP, EPOCH, ROW = "step", "epoch", "row"


class Item(NamedTuple):
    """One of what is counted: `numbers` are those it may go by, `took_s` without and `passed_s` with stops."""

    phase: int
    numbers: frozenset[int]
    begins_s: float
    ends_s: float
    took_s: float
    passed_s: float  # since the end of the one before


@dataclass
class View:
    """One way to count."""

    unit: str
    tape: Tape
    plan: Plan
    script: Script

    def __post_init__(self) -> None:
        self.items = {STEP: self._steps, EPOCH: self._epochs, ROW: self._rows}[self.unit]()

    def of_phase(self, phase: int) -> list[Item]:
        return [one for one in self.items if one.phase == phase]

    @property
    def last_phase(self) -> int:
        return self.items[-1].phase if self.items else 0

    def usual_s(self, phase: int) -> float:
        """The time that one takes, without any stop."""
        taken = [one.took_s for one in self.of_phase(phase)]
        return median(taken) if taken else 0.0

    def _steps(self) -> list[Item]:
        found = []
        before_s = self.tape.begun_s
        for place, one in enumerate(self.tape.iterations):
            counts = self._counts(one.place, one.batch, one.epoch)
            numbers = frozenset((place, place + 1, *counts))
            found.append(Item(one.phase, numbers, one.begins_s, one.ends_s, one.took_s, one.ends_s - before_s))
            before_s = one.ends_s
        return found

    def _counts(self, place: int, batch: int, epoch: int) -> tuple[int, ...]:
        size, said = self.plan.batch_size, self.script.counts
        counts: tuple[int, ...] = (place, place + 1)
        if "batch" in said or self.script.style in ("bar", "nested bars"):
            counts += (batch, batch + 1)
        if "seen_samples" in said or "samples" in said:
            counts += ((place + 1) * size, place * size, batch * size, (batch + 1) * size)
        if "tokens" in said:
            counts += ((place + 1) * size * 128,)
        if "epoch" in said:
            counts += (epoch, epoch + 1)
        return counts

    def _epochs(self) -> list[Item]:
        found: list[Item] = []
        groups: dict[tuple[int, int], list] = {}
        for one in self.tape.iterations:
            groups.setdefault((one.phase, one.epoch), []).append(one)
        before_s = self.tape.begun_s
        for number, ((phase, epoch), steps) in enumerate(groups.items()):
            if len(steps) < self.plan.phases[phase].batches:
                continue
            took_s = sum(one.took_s for one in steps)
            numbers = frozenset((epoch, epoch + 1, number, number + 1))
            ends_s = steps[-1].ends_s
            found.append(Item(phase, numbers, steps[0].begins_s, ends_s, took_s, ends_s - before_s))
            before_s = ends_s
        return found

    def _rows(self) -> list[Item]:
        found = []
        before_s = self.tape.begun_s
        taken = {(one.phase, one.place): one for one in self.tape.iterations}
        last, phase, first_row = -1, 0, 0
        for number, row in enumerate(self.tape.rows):
            one = row.iteration
            if one.phase != phase:
                phase, first_row = one.phase, number
            first = 0 if one.place <= last else last + 1
            took_s = sum(taken[one.phase, place].took_s for place in range(first, one.place + 1))
            own = number - first_row  # in its phase
            numbers = frozenset((number, number + 1, own, own + 1, *self._counts(one.place, one.batch, one.epoch)))
            found.append(Item(one.phase, numbers, before_s, one.ends_s, took_s, one.ends_s - before_s))
            before_s, last = one.ends_s, one.place
        return found

    def stops_s(self, kind: str, begins_s: float, ends_s: float) -> float:
        """How long stops of a kind were in a stretch of time."""
        inside = (
            min(ends_s, one.ends_s) - max(begins_s, one.begins_s) for one in self.tape.stops if one.kind == kind
        )
        return sum(max(0.0, one) for one in inside)


def passed(items: list[Item]) -> list[float]:
    """From end to end of each, within a phase."""
    return [after.ends_s - before.ends_s for before, after in pairwise(items) if before.phase == after.phase]
