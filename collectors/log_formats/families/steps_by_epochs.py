"""Steps of a Hugging Face Trainer that prints epochs alone, rounded to two digits.

An epoch has a fraction of a step more than is said: 17.05, where 1,000 epochs are 17,000 steps. So steps are counted from one
dictionary to the next, by an interval as people choose it, as long as that fits.
"""

from __future__ import annotations

from math import isclose, isnan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


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
        passed = (epoch - self._epoch) * each
        self._epoch = epoch
        if self._interval is None or abs(self._interval - passed) > rounding + 0.5:
            about = rounding / 2 + 0.5
            self._interval = roundest(passed - about, passed + about) or max(1, round(passed))
        first = before == 1 < self._interval  # `logging_first_step`
        index, by_epoch = self._interval + (0 if first else before), round(epoch * each)
        return index if abs(index - by_epoch) <= epoch + rounding + 1 else max(by_epoch, before + 1)


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
