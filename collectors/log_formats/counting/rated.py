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

_LOOKED_AT = 64
"""Rows with a loss of which it is kept what they have."""

_EMPTY = ("", None)

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
        self.empty: EmptyLoss | None = None  # in a table

    def learn(self, other: Lossless) -> None:
        """Take over what another reader found out of more lines."""
        if self.empty is not None and other.empty is not None:
            self.empty.learn(other.empty)
        self._alone = (self._alone or other._without >= _ALONE) and not other._losses

    def trains(
        self, cells: Sequence[tuple[str, object]], read: Mapping[str, float], is_loss: Callable[[str], bool]
    ) -> bool:
        """Is it a row of a training, though it has the loss of an evaluation alone, or none?"""
        lacks = self.empty is not None and self.empty.lacks(cells, read)
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


class EmptyLoss:
    """Rows of a table, with the same columns each: which of those without a loss are the training's? `field`: what a column is."""

    def __init__(self, field: Callable[[str], str]) -> None:
        self._field = field
        self._names: set[str] = set()  # of the columns of rows with a loss
        self._filled: set[str] = set()  # ... that had a value in one
        self._looked_at = 0
        self._newest: tuple[float | None, bool] = (None, False)  # its epoch, has it the loss
        self._both = False  # a row had the training's loss and an evaluation's
        self._doubles = False  # an epoch has a row with the loss and one without
        self._headed = False
        self.left_out = 0
        """Rows under a heading that is none of the training's, and of which no evaluation's loss is known."""

    def heading(self, names: Iterable[str]) -> None:
        """So are the columns of all rows named, and one of them is the training's loss."""
        self._names.update(names)
        self._headed = True

    def learn(self, other: EmptyLoss) -> None:
        """Take over what another reader found out of more lines."""
        self._names |= other._names
        self._filled |= other._filled
        self._both, self._doubles = self._both or other._both, self._doubles or other._doubles

    def lacks(self, cells: Sequence[tuple[str, object]], read: Mapping[str, float]) -> bool:
        """Is it the row of the next epoch, or the next of rows that nothing counts, with nothing that those with a loss have not?"""
        if "iteration" in read:
            return False
        (newest, had), epoch, has = self._newest, read.get("epoch"), "loss" in read
        second = epoch is not None and epoch == newest and epoch > 1
        self._doubles = self._doubles or (second and has is not had)
        if has:
            self._see(cells, both="val_loss" in read)
            self._newest = epoch, True
            return False
        ours = (epoch is None or not (self._doubles or epoch == newest)) and self._is_like_those(cells, read)
        self._newest = (epoch, False) if ours else self._newest
        self.left_out += self._headed and not ours and "val_loss" not in read
        return ours

    def _see(self, cells: Sequence[tuple[str, object]], *, both: bool) -> None:
        self._both = self._both or both
        if self._looked_at < _LOOKED_AT:
            self._looked_at += 1
            self._names.update(name for name, _ in cells)
            self._filled.update(name for name, value in cells if value not in _EMPTY)

    def _is_like_those(self, cells: Sequence[tuple[str, object]], read: Mapping[str, float]) -> bool:
        names = [name for name, value in cells if value not in _EMPTY]
        values = [name for name in names if self._field(name) not in _NO_VALUES]
        if "val_loss" in read or (values and all(map(validates, values))):
            return self._both and "epoch" in read and self._names.issuperset(names)
        if "epoch" in read:
            return self._names.issuperset(names)
        return self._headed and bool(values) and self._filled.issuperset(values)


def _place(read: Mapping[str, float]) -> tuple[float, float]:
    return read.get("epoch", 0.0), read.get("iteration", 0.0)


_MOST_NAMES = 4
"""More names for it are of a script that names its losses by something that changes."""


class LossNames:
    """Does the loss of newer rows have another name than that of the first ones, as where one model is trained after another?"""

    def __init__(self, is_loss: Callable[[str], bool]) -> None:
        self._is_loss = is_loss
        self._names: list[frozenset[str]] = []
        self._waits = frozenset[str]()  # of the row before, if they were new: a single row may be another's
        self._word = ""

    def of_row(self, cells: Iterable[tuple[str, object]]) -> None:
        """The next row of the training."""
        names = frozenset(name for name, _ in cells if self._is_loss(name))
        if not names:
            return
        if any(not names.isdisjoint(one) for one in self._names) or len(self._names) >= _MOST_NAMES:
            self._waits = frozenset()
            return
        before, self._waits = self._waits, names if self._names else frozenset()
        if self._names and names.isdisjoint(before):
            return
        if self._names:
            self._word = f"newer rows have another loss in its place: {min(names, key=len)}"
        self._names.append(names)

    def words(self, guessed: bool) -> list[str]:  # noqa: FBT001 - there is no other
        """What a person should know of it, once, where the column was `guessed`."""
        word, self._word = self._word, ""
        return [word] if word and guessed else []
