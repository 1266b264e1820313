"""A plan as data: what is to change, how the run would go, and what only a measurement can tell."""

from __future__ import annotations

from ..findings import Finding
from .target import Target  # noqa: TC001 - msgspec reads annotations at run time


class Change(Finding, frozen=True):
    """What is to be different. `tokens`: to train on in all; `target_s`: a wished iteration time.

    `gpu` is another GPU's name, `memory_bytes` the memory that a micro-batch is to fit; `faster_data`: no
    iteration waits for data any more, by more workers of the loader or a faster disk.
    """

    micro_batch_size: int | None = None
    gradient_accumulation: int | None = None
    gpus: int | None = None
    evaluation_interval: int | None = None
    checkpoint_interval: int | None = None
    tokens: float | None = None
    target_s: float | None = None
    gpu: str | None = None
    memory_bytes: float | None = None
    faster_data: bool = False


class Range(Finding, frozen=True):
    """A number with its bounds; `high` is `None` where the run does not show the worst case."""

    best: float
    low: float
    high: float | None

    def scaled(self, factor: float, *, plus: float = 0.0) -> Range:
        """Each bound × `factor` + `plus`."""
        high = None if self.high is None else self.high * factor + plus
        return Range(self.best * factor + plus, self.low * factor + plus, high)


class Scenario(Finding, frozen=True):
    """One way to run it. The whole run takes `training_s` plus its evaluations and checkpoints."""

    micro_batch_size: int | None
    gradient_accumulation: int | None
    gpus: int
    iteration_s: Range
    tokens_per_iteration: int | None = None
    tokens_per_s: Range | None = None
    iterations: int | None = None
    evaluation_interval: int | None = None
    checkpoint_interval: int | None = None
    stop_share: float | None = None  # of the wall time
    training_s: Range | None = None
    whole_s: Range | None = None
    to_go_s: Range | None = None
    cost: Range | None = None


class Plan(Finding, frozen=True):
    """The run as it is, and as it would be; what to keep in mind; what only a measurement can tell."""

    now: Scenario | None = None
    planned: Scenario | None = None
    notes: tuple[str, ...] = ()
    measure: tuple[str, ...] = ()
    target: Target | None = None
