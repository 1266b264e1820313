"""A Hugging Face training whose loss lines name no step: each of them is an iteration, and its end says how many steps it had.

{'train_runtime': 120.5, 'train_samples_per_second': 66.4, 'train_steps_per_second': 8.299, 'epoch': 2.0}
100%|██████████| 1000/1000 [02:00<00:00,  8.30it/s]
TrainOutput(global_step=1000, training_loss=0.5, ...)
"""

from __future__ import annotations

from math import ceil, floor
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
        self.said = False  # that its steps have no name
        self._epoch = -1.0  # of the newest dictionary
        self._took_s: float | None = None  # the training that is over, until its steps are told
        self._each: tuple[float, float] | None = None  # steps a second, at least and at most

    def say(self, at_s: float | None) -> list[Message]:
        """That nothing names the steps, once."""
        said, self.said = self.said, True
        return [] if said else [Message(NO_STEPS, at_s=at_s)]

    def begins_again(self, epoch: float | None) -> bool:
        """Is the next dictionary, of this epoch, another training's?"""
        before, self._epoch = self._epoch, self._epoch if epoch is None else epoch
        return epoch is not None and epoch < before - EARLIER

    def over(self, read: Mapping[str, float]) -> None:
        """What the training took was printed."""
        took_s, each = read.get("train_runtime"), read.get("train_steps_per_second")
        self._took_s = took_s if self.said and took_s and took_s > 0 else None
        self._each = (each - _RATE_DIGIT, each + _RATE_DIGIT) if each and each > _RATE_DIGIT else None

    def full(self, bar: Bar) -> list[Message]:
        """A bar that is full, behind those words: the training's shows the same seconds."""
        if self._took_s is None or not bar.full or bar.title or abs(bar.elapsed_s - floor(self._took_s)) > 1:
            return []
        return self._told(bar.total or 0)

    def told(self, text: str) -> list[Message]:
        """A line that prints what `Trainer.train` returned."""
        found = _STEPS.search(text) if self._took_s is not None else None
        return self._told(int(found[1])) if found else []

    def release(self) -> list[Message]:
        """No line comes that would say how many steps there were: their rate does, as far as its digits go."""
        if self._took_s is None:
            return []
        if self._each is None:
            self._took_s = None
            return []
        least, most = (self._took_s * each for each in self._each)
        return self._told(ceil(least) if ceil(least) == floor(most) else 0)

    def _told(self, steps: int) -> list[Message]:
        took_s, self._took_s = self._took_s or 0.0, None
        if steps and self._fits(steps, took_s):
            return [
                Message(
                    f"the training had {steps:,} steps: {_each(took_s / steps)} a step, with its evaluations and checkpoints"
                )
            ]
        if steps or self._each is None:
            return []
        return [
            Message(f"the training took {_each(2 / sum(self._each))} a step, with its evaluations and checkpoints")
        ]

    def _fits(self, steps: int, took_s: float) -> bool:
        return self._each is None or self._each[0] * took_s - 1 <= steps <= self._each[1] * took_s + 1


def _each(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"
