"""The plan of a stranger's training: its phases, its pace, and what stands between its epochs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

TRAIN, VALID, TEST, FINAL = "train", "valid", "test", "final test"

SINGLE, FOLDS, GRID, SEEDS, STAGES, TASKS = "single", "folds", "grid", "seeds", "stages", "tasks"
HEADLINES: dict[str, tuple[str, ...]] = {
    FOLDS: ("===== Fold {n}/{of} =====", "Training fold {n} of {of}", "--- fold {i} ---"),
    GRID: (
        "Config {n}: lr={lr}, hidden={width}, dropout=0.{n}",
        "lr={lr} hidden={width}",
        "Running experiment {n}/{of}",
    ),
    SEEDS: ("Seed {seed}", "Run {n} (seed={seed})", "==> seed: {seed}"),
    STAGES: ("Stage {n}: training the head", "### Phase {n} ###", "Start of stage {n}/{of}"),
    TASKS: ("Task {n}: {task}", "Training on dataset {task}", "[{task}] start training"),
}
_TASKS = ("digits", "letters", "flowers", "birds")


@dataclass
class Phase:
    """One training of the program. `run_epochs` of its `epochs` are run: it may stop early."""

    headline: str
    epochs: int
    run_epochs: int
    batches: int
    clean_s: float

    @property
    def steps(self) -> int:
        return self.run_epochs * self.batches


@dataclass
class Plan:
    """All of them, and what takes time beside the steps."""

    kind: str
    phases: list[Phase]
    batch_size: int
    noise: float
    first_s: float
    stalls: frozenset[tuple[int, int]]
    stall_s: float
    slower_from: int | None  # the place in the last phase
    slower_by: float
    sets: tuple[str, ...]  # that are evaluated after each epoch
    evaluation_every: int  # epochs
    evaluation_batches: int
    evaluation_s: float
    save_s: float
    saves_best_only: bool
    prepare_s: float
    overfits: bool
    cut: bool

    @property
    def total(self) -> int:
        return sum(phase.steps for phase in self.phases)

    @property
    def is_steady(self) -> bool:
        """Does it go on as it began, so that its end can be foretold?"""
        return (
            len(self.phases) == 1
            and self.slower_from is None
            and all(one.run_epochs == one.epochs for one in self.phases)
        )

    def clean_s(self, phase: int, place: int) -> float:
        slower = phase == len(self.phases) - 1 and self.slower_from is not None and place >= self.slower_from
        return self.phases[phase].clean_s * (self.slower_by if slower else 1.0)


def _phases(kind: str, random: Random) -> list[Phase]:
    batches = random.choice([7, 20, 33, 50, 100, 157, 300])
    count = 1 if kind == SINGLE else random.randint(2, 4)
    epochs = random.randint(2, 4) if batches > 150 or count > 2 else random.randint(3, 12)
    clean_s = round(random.choice([0.03, 0.12, 0.4, 0.9]) * random.uniform(0.8, 1.2), 4)
    headline = random.choice(HEADLINES[kind]) if kind != SINGLE else ""
    early = random.random() < 0.2
    phases = []
    for number in range(count):
        said = headline.format(
            n=number + 1,
            i=number,
            of=count,
            lr=10.0 ** -(2 + number),
            width=64 << number,
            seed=(42, 1234, 2023, 7)[number],
            task=_TASKS[number],
        )
        differs = kind in (STAGES, TASKS, GRID) and random.random() < 0.5
        run = epochs if not early or epochs < 4 else random.randint(3, epochs)
        pace = clean_s * (random.choice([0.6, 1.5, 2.2]) if differs and number else 1.0)
        phases.append(Phase(said, epochs, run, batches, pace))
    return phases


def plan(random: Random) -> Plan:
    """A plan as the seed wants it."""
    kind = random.choices([SINGLE, FOLDS, GRID, SEEDS, STAGES, TASKS], [14, 1, 1, 1, 1, 1])[0]
    phases = _phases(kind, random)
    clean_s, last = phases[0].clean_s, phases[-1]
    places = [(number, place) for number, one in enumerate(phases) for place in range(5, one.steps)]
    stalls = random.sample(places, min(len(places), random.choice([0, 0, 0, 1, 4])))
    slower = random.random() < 0.1 and last.steps > 60
    return Plan(
        kind=kind,
        phases=phases,
        batch_size=random.choice([8, 16, 32, 64, 128]),
        noise=random.choice([0.005, 0.02, 0.06]),
        first_s=clean_s * random.choice([0, 0, 2, 15]),
        stalls=frozenset(stalls),
        stall_s=clean_s * random.choice([5, 20, 60]),
        slower_from=random.randint(30, last.steps - 30) if slower else None,
        slower_by=random.choice([0.6, 1.4, 2.0]),
        sets=random.choice([(), (VALID,), (VALID,), (VALID, TEST), (VALID, TEST), (TEST,)]),
        evaluation_every=random.choice([1, 1, 1, 2]),
        evaluation_batches=random.choice([3, 10, 25]),
        evaluation_s=clean_s * random.choice([0.3, 0.5, 1.0]),
        save_s=random.choice([0.0, 0.2, 1.5, 8.0]),
        saves_best_only=random.random() < 0.5,
        prepare_s=random.choice([0.5, 8.0, 40.0]),
        overfits=random.random() < 0.15,
        cut=random.random() < 0.4,
    )
