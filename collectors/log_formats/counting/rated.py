"""Rows that lack a value which the training's have: a learning rate, or the training's loss.

Without a learning rate, where most rows have one, they are of an evaluation: two rows of one step showed it. Without the loss
they are of another training, if nothing else is missing of a row with both losses, and they stand before it:

    Iter: 400 | Train Loss: 0.75 | Dev Loss: 0.875 | Time: 2.5
    Iter: 0 | Dev Loss: 2.5 | Time: 0.5
A log in which no row has the training's loss has nothing but such rows: they are all that tells of the training.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


_ALONE = 6
"""Rows that count on without a training's loss, and none with one."""

_OF_EACH = "epochs"
"""So many each of several models had, as a rule: none is a row's."""


class Rated:
    """Which rows have a learning rate?"""

    def __init__(self) -> None:
        self._newest: tuple[float | None, bool] = (None, False)  # its step, has it a learning rate
        self._all = False
        self._most = 0  # rows with one more than rows without

    def learn(self, other: Rated) -> None:
        """Take over what another reader found out of more lines."""
        self._all, self._most = self._all or other._all, other._most

    def lacks(self, read: Mapping[str, object]) -> bool:
        """Is it a row without one, where the training's have one?"""
        step, rated = read.get("iteration"), "learning_rate" in read
        if step is None or "loss" not in read:
            return False
        before, self._newest = self._newest, (float(step), rated)  # type: ignore[arg-type]
        self._most += 1 if rated else -1
        self._all = self._all or before == (step, not rated)
        return self._all and not rated and self._most > 0


class Lossless:
    """Does another training, of a program that no longer prints its loss, write to the same log?"""

    def __init__(self) -> None:
        self._both: Sequence[tuple[str, object]] = ()  # the newest row of the training, if it has both losses
        self._place = (0.0, 0.0)  # its epoch and step
        self._is_on = False
        self._losses = self._without = 0  # rows with the training's loss, and such that count on with another's
        self._alone = False  # all that the log has are such

    def learn(self, other: Lossless) -> None:
        """Take over what another reader found out of more lines."""
        self._alone = (self._alone or other._without >= _ALONE) and not other._losses

    def trains(
        self, cells: Sequence[tuple[str, object]], read: Mapping[str, float], is_loss: Callable[[str], bool]
    ) -> bool:
        """Is it a row of a training, though it has the loss of an evaluation alone?"""
        if "loss" in read:
            self._losses += 1
            self._alone = False
            self._both, self._is_on = cells if "val_loss" in read else (), False
            self._place = _place(read)
            return False
        placed = "iteration" in read or "epoch" in read
        of_each = any(name.lower() == _OF_EACH for name, _ in cells)
        if "val_loss" not in read or not placed or of_each:
            self._losses += placed and not of_each  # a row of the training, if one without a loss
            self._alone = self._alone and not placed
            return False
        if not self._losses:
            before, self._place = self._place, _place(read)
            self._without += before < self._place
            return self._alone
        if not self._both:
            return False
        if not self._is_on and not _place(read) < self._place:
            return False
        names, had = {name for name, _ in cells}, {name for name, _ in self._both}
        self._is_on = names < had and all(map(is_loss, had - names))
        return self._is_on


def _place(read: Mapping[str, float]) -> tuple[float, float]:
    return read.get("epoch", 0.0), read.get("iteration", 0.0)
