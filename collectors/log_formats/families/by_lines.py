"""A Hugging Face training whose loss lines name no step: each of them is an iteration, and its end says how many steps it had.

{'train_runtime': 120.5, 'train_samples_per_second': 66.4, 'train_steps_per_second': 8.299, 'epoch': 2.0}
100%|██████████| 1000/1000 [02:00<00:00,  8.30it/s]
TrainOutput(global_step=1000, training_loss=0.5, ...)
"""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

from ....events import Message
from ...patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..parsing.bars import Bar

NO_STEPS = "the loss lines name no step: an iteration is a logged line here"

EARLIER = 0.006
"""By so much an epoch falls where another training begins: it is rounded to two digits."""

_RATE_DIGIT = 0.0005
"""Half of the last digit of the steps per second."""

_STEPS = lazy_pattern(r"\bglobal_step=(\d{1,12})\b")


class ByLines:
    """What is known of the length of the newest training."""

    def __init__(self) -> None:
        self._said = False  # that its steps have no name
        self._epoch = -1.0  # of the newest dictionary
        self._logged: list[float | None] = []  # epochs of the first two loss lines
        self._took_s: float | None = None  # the training that is over, until its steps are told
        self._steps: float | None = None  # ... by its rate, which counts those that it did not come to

    def row(self, epoch: float | None, at_s: float | None) -> list[Message]:
        """A loss line without a step: that nothing names the steps is said once."""
        said, self._said = self._said, True
        self._logged = [*self._logged, epoch][:2]
        return [] if said else [Message(NO_STEPS, at_s=at_s)]

    def begins_again(self, epoch: float | None) -> bool:
        """Is the next dictionary, of this epoch, another training's?"""
        before, self._epoch = self._epoch, self._epoch if epoch is None else epoch
        again = epoch is not None and epoch < before - EARLIER
        if again:
            self._logged, self._took_s = [], None
        return again

    def over(self, read: Mapping[str, float]) -> None:
        """What the training took was printed."""
        took_s, each = read.get("train_runtime"), read.get("train_steps_per_second")
        self._took_s = took_s if self._logged and took_s and took_s > 0 else None
        self._steps = each * took_s if each and took_s else None

    def full(self, bar: Bar) -> list[Message]:
        """A bar that is full, behind those words: the training's shows the same seconds, and fits the rate."""
        took_s, steps = self._took_s, self._steps
        if took_s is None or not bar.full or bar.title or abs(bar.elapsed_s - floor(took_s)) > 1:
            return []
        fits = steps is None or abs((bar.total or 0) - steps) <= 1 + _RATE_DIGIT * took_s
        return self._told(bar.total or 0) if fits else []

    def told(self, text: str) -> list[Message]:
        """A line that prints what `Trainer.train` returned."""
        found = _STEPS.search(text) if self._took_s is not None else None
        return self._told(int(found[1])) if found else []

    def _told(self, steps: int) -> list[Message]:
        took_s, self._took_s = self._took_s or 0.0, None
        if not steps:
            return []
        each = (
            f": {_each(took_s / steps)} a step, with its evaluations and checkpoints" if self._is_whole() else ""
        )
        return [Message(f"the training had {steps:,} steps{each}")]

    def _is_whole(self) -> bool:
        """Did it begin at its first step, by the epochs of its first loss lines? The steps count what a checkpoint held."""
        first, second = (*self._logged, None, None)[:2]
        return first is not None and second is not None and first <= 1.5 * (second - first)


def _each(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"
