"""Steps of a Hugging Face Trainer that prints epochs alone, rounded to two digits.

An epoch has a fraction of a step more than is said: 17.05, where 1,000 epochs are 17,000 steps. So steps are counted from one
dictionary to the next, by an interval as people choose it, as long as that fits.

Where not even the steps of an epoch are known, the loss lines are counted, and the end of the training says how many steps it had:

    {'train_runtime': 120.5, 'train_samples_per_second': 66.4, 'train_steps_per_second': 8.299, 'epoch': 2.0}
    100%|██████████| 1000/1000 [02:00<00:00,  8.30it/s]
    TrainOutput(global_step=1000, training_loss=0.5, ...)
"""

from __future__ import annotations

from math import ceil, floor, isclose, isnan
from typing import TYPE_CHECKING

from ....events import Message, Witness
from ...patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..parsing.bars import Bar
    from ..parsing.values import Fields


ROUNDED = 0.005
"""The epoch has two digits behind its point."""


_SAME = frozenset(("loss", "learning_rate", "grad_norm"))


class StepsByEpochs:
    """The steps of one training."""

    def __init__(self) -> None:
        self._epoch = 0.0  # of the newest step
        self._interval: int | None = None  # steps from one dictionary to the next

    def step(self, epoch: float, each: float, before: int) -> int:
        """The step that was logged at `epoch`, where one has `each` steps, and `before` was the one before."""
        rounding = 2 * ROUNDED * each
        passed = (epoch - (0.0 if before == 1 else self._epoch)) * each  # the first step may be logged besides
        self._epoch = epoch
        if self._interval is None or abs(self._interval - passed) > rounding + 0.5:
            about = rounding / 2 + 0.5
            self._interval = roundest(passed - about, passed + about) or max(1, round(passed))
        first = before == 1 < self._interval  # `logging_first_step`
        index, by_epoch = self._interval + (0 if first else before), round(epoch * each)
        return index if abs(index - by_epoch) <= epoch + rounding + 1 else max(by_epoch, before + 1)


_ENDLESS = 2.0**62
"""Epochs that a banner promises of data whose length nobody knows: as many as a number can hold."""


class Filled:
    """How many epochs the steps of a training fill, by its banner.

    That rounds them up: `Num Epochs = 2` may be one and a half, and `= 1` the first 60 of 2,500 steps (`max_steps`). Then its
    examples and its batch tell how many steps an epoch has. Of endless data the printed epoch is the part of all steps.
    """

    def __init__(self) -> None:
        self._examples: float | None = None
        self._batch: float | None = None
        self._said: float | None = None
        self._each: float | None = None  # steps of an epoch, give or take one

    def said(
        self, *, examples: float | None = None, batch: float | None = None, steps: float | None = None
    ) -> None:
        """A line of a banner, which may name the `steps` of an epoch; an evaluation's has one of them, too."""
        self._examples, self._batch = examples or self._examples, batch or self._batch
        self._said = steps or self._said

    def closed(self) -> None:
        """The banner's last line: what comes behind it is of no training."""
        self._each = self._said or (self._examples / self._batch if self._examples and self._batch else None)
        self._examples = self._batch = self._said = None

    def by(self, epochs: float | None, steps: int | None) -> float | None:
        """Of so many `epochs` and `steps` by the banner; `None`: not known."""
        if not (epochs and steps):
            return None
        if epochs >= _ENDLESS:
            return 1.0
        if self._each is None or steps / epochs >= self._each - 1:
            return epochs
        filled = steps / ceil(self._each)
        return filled if ceil(filled) == epochs else epochs


class Told:
    """The newest dictionary: a callback prints each a second time, with its epoch rounded."""

    def __init__(self) -> None:
        self._newest: Mapping[str, float] = {}

    def again(self, read: Mapping[str, float]) -> bool:
        """Is the next one the same once more? Its loss alone does not tell: that may be 0.0 in all of them."""
        before, self._newest = self._newest, read
        if "step" in read or not {"loss", "epoch"} <= read.keys() & before.keys():
            return False
        same = all(
            isclose(read[name], before[name], rel_tol=1e-3) or read[name] != read[name]
            for name in _SAME & read.keys() & before.keys()
        )
        return same and isclose(read["epoch"], before["epoch"], abs_tol=ROUNDED + 1e-4)


def same_evaluation(read: Mapping[str, float], before: Mapping[str, float]) -> bool:
    """Is it the one before once more, rounded by a callback? An evaluation of another epoch may find the same."""
    if "eval_loss" not in read or "eval_loss" not in before:
        return False
    found, earlier = read["eval_loss"], before["eval_loss"]
    if found != earlier and not (isnan(found) and isnan(earlier)):
        return False
    return isclose(read.get("epoch", 0.0), before.get("epoch", read.get("epoch", 0.0)), abs_tol=ROUNDED + 1e-4)


def roundest(least: float, most: float) -> int | None:
    """The roundest number between two, as a person sets an interval: 100 between 78 and 109; `None`: there is no round one."""
    for unit in (1000, 500, 250, 200, 100, 50, 25, 20, 10, 5):
        nearest = unit * round((least + most) / 2 / unit)
        if nearest and least <= nearest <= most:
            return nearest
    return None


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
        self._elapsed_s: float | None = None  # at the newest, where each has its `train_runtime`
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
            self._logged, self._took_s, self._elapsed_s = [], None, None
        return again

    def since(self, read: Mapping[str, float]) -> Fields:
        """The time of a loss line with the seconds since the training began, as TRL prints them in each."""
        before_s, elapsed_s = self._elapsed_s, read.get("train_runtime")
        self._elapsed_s = elapsed_s
        if elapsed_s is None:
            return {}
        if before_s is None or elapsed_s < before_s:
            return {"elapsed_s": elapsed_s}
        return {"elapsed_s": elapsed_s, "duration_s": elapsed_s - before_s, "witness": Witness.ELAPSED}

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
