"""Lines like rows that are left out: an epoch of the training with its accuracy, and no loss.

    Average Training accuracy 0.50 - epoch 1/100
A loss makes a row of such a script's lines. Where epochs have none, nothing is read of them, and how many there were is said.
So is of how many rows the time is not used, for nobody can tell what it is of.
"""

from __future__ import annotations

from ....words import plural
from ...patterns import lazy_pattern

_EPOCH = r"\bepoch\W{0,3}(\d{1,9})(?!\w|\.\d)"
_ACCURACY = r"\btrain(?:ing)?[ _](?:set )?acc(?:uracy)?\b(?: is)?[\s:=]{1,4}\d{0,3}\.\d"
_LIKE_A_ROW = lazy_pattern(rf"(?i){_ACCURACY}.{{0,40}}?{_EPOCH}|{_EPOCH}.{{0,40}}?{_ACCURACY}")
_LONGEST = 200
_FEWEST = 4
"""Rows with a time, one after another, of which something is said."""


class LeftOut:
    """Counts them."""

    def __init__(self) -> None:
        self.lines = 0
        self._timed = self._steps = 0  # rows with a time, and the most steps from one to the next

    def time(self, steps: int) -> None:
        """A row with a time whose name does not say what it is of, `steps` behind the row before it."""
        self._timed, self._steps = self._timed + 1, max(self._steps, steps)

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
        if self._timed >= _FEWEST and not timed:
            of = f"of all {self._steps:,}, or a clock" if self._steps > 1 else "of a row, or a clock"
            text = f"{plural(self._timed, 'row')} have a time that is not used: nothing shows whether it is of one step, {of}"
            said.append(f"{text}; --column duration=COLUMN:UNIT says that it is a step's")
        self.lines = self._timed = 0
        return said


class Closings:
    """Rows that close an epoch whose steps have rows, too: `Epoch 3 Loss 1.2`, and how long it took."""

    def __init__(self) -> None:
        self._epochs: set[float] = set()
        self._rows = self._timed = 0
        self._newest = False  # the newest row is one, and its time is not known yet

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
