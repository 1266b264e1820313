"""Rows that lack a value which the training's have: a learning rate, or the training's loss.

Without a learning rate, where most rows have one, they are of an evaluation: two rows of one step showed it. Without the loss
they are of another training, if nothing else is missing of a row with both losses, and they stand before it:

    Iter: 400 | Train Loss: 0.75 | Dev Loss: 0.875 | Time: 2.5
    Iter: 0 | Dev Loss: 2.5 | Time: 0.5
In a table an empty cell is a missing value and no missing row: one that has the next epoch is the training's.

    epoch,train_loss,f1
    1,0.5,0.25
    2,,0.375
A log in which no row has the training's loss has nothing but such rows: they are all that tells of the training.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..parsing.phases import validates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


_ALONE = 6
"""Rows that count on without a training's loss, and none with one."""

_MOST_NAMES = 2_000

_NO_VALUES = ("epoch", "total", "stamp_s", "elapsed_s")

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
        self.field: Callable[[str], str] | None = None
        """Which field a column is, where each row of the training has the same columns."""
        self._names: set[str] = set()  # of the columns of rows with a loss
        self._newest: tuple[float | None, bool] = (None, False)  # its epoch, has it the loss
        self._had_both = False  # a row had the training's loss and an evaluation's
        self._doubles = False  # an epoch has a row with the loss and one without

    def heading(self, names: Iterable[str]) -> None:
        """So are the columns of all rows named, and one of them is the training's loss."""
        self._names.update(names)

    def learn(self, other: Lossless) -> None:
        """Take over what another reader found out of more lines."""
        self._names |= other._names
        self._had_both, self._doubles = self._had_both or other._had_both, self._doubles or other._doubles
        self._alone = (self._alone or other._without >= _ALONE) and not other._losses

    def trains(
        self, cells: Sequence[tuple[str, object]], read: Mapping[str, float], is_loss: Callable[[str], bool]
    ) -> bool:
        """Is it a row of a training, though it has the loss of an evaluation alone, or none?"""
        lacks = self.field is not None and self._lacks_its_loss(cells, read, self.field)
        if "loss" in read:
            self._losses += 1
            self._alone = False
            self._both, self._is_on = cells if "val_loss" in read else (), False
            self._place = _place(read)
            return False
        placed = "iteration" in read or "epoch" in read
        of_each = any(name.lower() == _OF_EACH for name, _ in cells)
        if lacks and not of_each:
            self._losses, self._place, self._alone = self._losses + 1, _place(read), False
            return True
        if "val_loss" not in read or not placed or of_each:
            self._losses += placed and not of_each  # a row of the training, if one without a loss
            self._alone = self._alone and not placed
            return False
        if not self._losses:
            before, self._place = self._place, _place(read)
            self._without += before < self._place
            return self._alone
        if not self._both or not (self._is_on or _place(read) < self._place):
            return False
        names, had = {name for name, _ in cells}, {name for name, _ in self._both}
        self._is_on = names < had and all(map(is_loss, had - names))
        return self._is_on

    def _lacks_its_loss(
        self, cells: Sequence[tuple[str, object]], read: Mapping[str, float], field: Callable[[str], str]
    ) -> bool:
        """Is it the row of the next epoch, with nothing that those with a loss have not?"""
        if "epoch" not in read or "iteration" in read:
            return False
        (newest, had), epoch = self._newest, read["epoch"]
        has, both = "loss" in read, self._had_both
        self._doubles = self._doubles or (epoch == newest and epoch > 1 and has is not had)
        if has:
            self._newest, self._had_both = (epoch, True), both or "val_loss" in read
            if len(self._names) < _MOST_NAMES:
                self._names.update(name for name, _ in cells)
            return False
        names = [name for name, value in cells if value not in ("", None)]
        values = [name for name in names if field(name) not in _NO_VALUES]
        ours = self._names.issuperset(names) and not (values and not both and all(map(validates, values)))
        if self._doubles or epoch == newest or not ours or ("val_loss" in read and not both):
            return False
        self._newest = epoch, False
        return True


def _place(read: Mapping[str, float]) -> tuple[float, float]:
    return read.get("epoch", 0.0), read.get("iteration", 0.0)
