"""Lines like rows that are left out: an epoch of the training with its accuracy, and no loss.

    Average Training accuracy 0.50 - epoch 1/100
A loss makes a row of such a script's lines. Where epochs have none, nothing is read of them, and how many there were is said.
So is of how many rows the time is not used, for nobody can tell what it is of. And how many rows of a table are none of its heading.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING

from ....words import plural
from ...patterns import lazy_pattern
from ..parsing.values import as_number
from .standing import shape_of_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_EPOCH = r"\bepoch\W{0,3}(\d{1,9})(?!\w|\.\d)"
_ACCURACY = r"\btrain(?:ing)?[ _](?:set )?acc(?:uracy)?\b(?: is)?[\s:=]{1,4}\d{0,3}\.\d"
_LIKE_A_ROW = lazy_pattern(rf"(?i){_ACCURACY}.{{0,40}}?{_EPOCH}|{_EPOCH}.{{0,40}}?{_ACCURACY}")
_LONGEST = 200
_STEP = lazy_pattern(r"iteration = [^,]{1,60}, ")
_FEWEST = 4
"""Rows with a time, one after another, of which something is said."""


class LeftOut:
    """Counts them."""

    def __init__(self) -> None:
        self.lines = 0
        self._timed = 0  # rows with a time
        self._steps = Counter[int]()  # from one to the next, how often so many: some rows may be lost
        self._newest: tuple[str, object] = "", None  # the newest row and its loss
        self._again = 0  # rows like it, at its place, with another loss

    def comes_again(self, text: str, read: Mapping[str, object], last: int | None) -> bool:
        """Does a row stand where the newest one does? One with another loss is another writer's, or of another start."""
        (before, loss_before), loss, here = self._newest, read.get("loss"), read["iteration"] == last
        if here:
            another = loss is not None and loss != loss_before
            self._again += another and shape_of_row(text) == shape_of_row(before)
        else:
            self._newest = text, loss
        return here

    def time(self, steps: int) -> None:
        """A row with a time whose name does not say what it is of, `steps` behind the row before it."""
        self._timed += 1
        self._steps[steps] += steps > 0

    def epoch(self, text: str) -> float | None:
        """The epoch of a line that tells of its accuracy and of no loss."""
        if "poch" not in text or "cc" not in text or len(text) > _LONGEST or "oss" in text:
            return None
        found = _LIKE_A_ROW.search(text)
        return None if found is None else float(found[1] or found[2])

    def words(self, *, timed: bool) -> list[str]:
        """What is said of them, once; was any row `timed`?"""
        said = []
        if self.lines:
            lines = plural(self.lines, "line")
            said.append(
                f"{lines} with an epoch and its training accuracy, and no loss, left out: no row was read there"
            )
        if self._again:
            said.append(
                f"{plural(self._again, 'row')} at the place of the row before, with another loss: left out"
            )
        if self._timed >= _FEWEST and not timed:
            usual = max(self._steps, key=self._steps.__getitem__, default=0)
            several = f"one of the {usual:,} that a row stands for, of all of them"
            of = f"{several if usual > 1 else 'one step, of a row'}, or a clock"
            text = (
                f"{plural(self._timed, 'row')} have a time that is not used: nothing shows whether it is of {of}"
            )
            said.append(f"{text}; --column duration=COLUMN:UNIT says that it is a step's")
        self.lines = self._timed = self._again = 0
        return said


class Closings:
    """Rows that close an epoch whose steps have rows, too: `Epoch 3 Loss 1.2`, and how long it took."""

    def __init__(self) -> None:
        self._epochs: set[float] = set()
        self._rows = self._timed = 0
        self._newest = False  # the newest row is one, and its time is not known yet
        self.only_zero = False
        """Has each epoch a row of its step 0 alone besides? `Epoch 3 Batch 0 Loss 1.5`, and then `Epoch 3 Loss 1.25`: one epoch."""

    def counts_nothing(self, read: Mapping[str, object]) -> bool:
        """Is a row the beginning of an epoch that has another one, which closes it?"""
        return self.only_zero and "epoch" in read and read.get("iteration") == 0

    def without_step(self, guess: str) -> str:
        """The guess of what the columns are, without a step that counts nothing."""
        return _STEP.sub("", guess) if self.only_zero else guess

    def see(self, epoch: float | None, *, timed: bool) -> None:
        """A row: the epoch that it closes, if it does, and whether a time stands in it."""
        self._newest = epoch is not None and not timed
        if epoch is not None:
            self._epochs.add(epoch)
            self._rows += 1
            self._timed += timed

    def took(self) -> None:
        """A time stood on a line of its own."""
        self._timed += self._newest
        self._newest = False

    @property
    def whole(self) -> bool:
        """Is each epoch closed once, with its time?"""
        return len(self._epochs) > 1 and self._rows == self._timed == len(self._epochs)


_FIRST, _NEWEST, _BLOCK, _BACK = 8, 24, 2, 8
"""Rows that are remembered; so many of another width are no broken line; so many that fit again are the heading's."""
_NO_VALUE = frozenset(("", "-", "none", "null", "nan", "inf", "-inf", "+inf", "n/a", "na"))


class Misfits:
    """Rows under a heading that are none of it: of another width, or behind such and of other columns, though as many.

    A script that was changed goes on in the same file: `time,run,step,loss` has got a column more, and in its next version two fewer.
    """

    def __init__(self) -> None:
        self.rows = 0
        self._first: list[Sequence[str]] = []
        self._newest: deque[Sequence[str]] = deque(maxlen=_NEWEST)
        self._width = self._others = 0  # of the newest rows of another width: how wide and how many
        self._back = 0  # rows that have to fit before they are the heading's again

    def heading(self) -> None:
        """What follows is of the heading that has come."""
        self._first, self._others, self._back = [], 0, 0
        self._newest.clear()

    def other(self, cells: Sequence[str]) -> None:
        """A row of another width."""
        self.rows += 1
        self._others = self._others + 1 if len(cells) == self._width or self._others >= _BLOCK else 1
        self._width = len(cells)

    def fits(self, cells: Sequence[str]) -> bool:
        """Is a row of the heading's width one of its rows? One that is not is counted."""
        if self._first and (self._others or self._back):
            goes_on = self._goes_on(cells)
            self._back = max(0, self._back - 1) if goes_on else _BACK
            if self._back:
                self.rows += 1
                return False
            self._others = 0
        if len(self._first) < _FIRST:
            self._first.append(cells)
        else:
            self._newest.append(cells)
        return True

    def _goes_on(self, cells: Sequence[str]) -> bool:
        """Are its columns of the kinds that they were? Where none of them tells, a broken line is nothing, a block of rows is."""
        tells = False
        for cell, *before in zip(cells, *self._first, *self._newest, strict=True):
            if cell.strip().lower() in _NO_VALUE or not (values := {one.strip() for one in before} - _NO_VALUE):
                continue
            kinds = {_kind(one) for one in values}
            if len(kinds) == 1 and kinds != {_FRACTION} and len(values) > 1:
                if {_kind(cell)} != kinds:
                    return False
                tells = True
            elif _TEXT not in kinds and _kind(cell) == _TEXT:
                return False
        return tells or self._others < _BLOCK

    def words(self) -> Iterable[str]:
        """What is said of them, once."""
        have = "has" if self.rows == 1 else "have"
        return [f"{plural(self.rows, 'row')} {have} other columns than the heading: left out"] if self.rows else []


_WHOLE, _FRACTION, _TEXT = "a whole number", "a fraction", "text"


def _kind(cell: str) -> str:
    if as_number(cell.strip()) is None:
        return _TEXT
    return _WHOLE if cell.strip().lstrip("+-").isdigit() else _FRACTION
