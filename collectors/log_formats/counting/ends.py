"""Where epochs end whose length nobody prints: `epoch: 0, batch: 80`, and then `epoch: 1, batch: 10`.

Where nobody names the epoch either, epochs end alike. What broke off elsewhere was begun again; and where no two ends are
alike there are no epochs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...patterns import lazy_pattern
from ..parsing.grammar import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable

UNLIKE = 0.1
"""Ends that differ by more than this share, and by more than lies between two rows, are not alike."""

MOST, MOST_EPOCHS = 64, 100_000
"""Ends that are kept; epochs whose beginnings are."""

_SAID = lazy_pattern(
    r"(?i)[^a-z]{0,60}(?:(?:INFO|DEBUG)\b[^a-z\d]{1,40})?(?:(?:start|begin|train|finish|end|complet|current)[a-z]{0,4}\W{1,3}(?:of\W{1,3})?){0,2}epoch\W{0,5}(\d{1,6})\b(?:\W{0,3}(?:/|of)\W{0,3}(\d{1,6})\b)?(?!.{0,200}stop)"
)
_LONGEST = 400
_NOT_THIS = lazy_pattern(r"(?i)best|final|stop|total|last")
_OTHER_WORDS = frozenset(("ep", "round", "cycle", "pass"))


class SaidEpochs:
    """`===> Epoch: 3, lr: 0.1`: epochs that stand on lines of their own, above their rows or below them.

    A step that begins again behind the next one is of that epoch, and of no other training.
    """

    def __init__(self) -> None:
        self._newest: float | None = None
        self._at_row: float | None = None  # the newest when the newest row came

    def hear(self, text: str) -> None:
        """A line that is no row. What ends all epochs, as a run of a single one does, says nothing of a next one."""
        if ("poch" not in text and "POCH" not in text) or len(text) > _LONGEST:
            return
        if found := _SAID.match(PREFIX.sub("", text, count=1)):
            self.say(None if found[2] == "1" else float(found[1]))

    def say(self, epoch: float | None) -> None:
        """A line that is no row of steps names an epoch."""
        self._newest = self._newest if epoch is None else epoch

    def closed(self, text: str, epoch: float | None) -> None:
        """A row that closes an epoch, unless it is of the best one or of the last."""
        if epoch is not None and _NOT_THIS.search(text[:_LONGEST]) is None:
            self.say(epoch)

    def of_row(self, cells: Iterable[tuple[str, object]]) -> None:
        """A row of steps: does it name its epoch by another word, `round: 3, iter: 40`?"""
        for name, value in cells:
            if name.lower() in _OTHER_WORDS and str(value).isdecimal():
                self.say(float(str(value)))

    def row(self) -> None:
        """A row came."""
        self._at_row = self._newest

    @property
    def turned(self) -> bool:
        """Has the next one been named since the newest row?"""
        if self._newest is None:
            return False
        return self._newest <= 1 if self._at_row is None else self._newest > self._at_row


class Ends:
    """Those that were seen, and what they are."""

    def __init__(self) -> None:
        self._seen: list[float] = []
        self._uneven = False  # no two are alike: each is a training

    def learn(self, other: Ends) -> None:
        """Take over what was found out of more rows."""
        self._uneven = self._uneven or other._uneven

    def breaks_off(self, step: float, apart: float) -> bool:
        """The count begins again behind `step`, where rows lie so far `apart`: is that the end of a training?"""
        apart = max(apart, UNLIKE * step, 1.0)
        other = bool(self._seen) and all(abs(end - step) > apart for end in self._seen)
        self._uneven = self._uneven or (other and len(self._seen) > 1)
        if (other or not self._seen) and len(self._seen) < MOST:
            self._seen.append(step)
        return other or self._uneven


UNKNOWN_LENGTH = "no length of an epoch was found: each is counted as far as its last line, so that there were at least as many iterations"


class Begins:
    """Where each epoch began that has no printed length: a process that is resumed in it goes on from there."""

    def __init__(self) -> None:
        self._at: dict[float, float] = {}
        self._first = 1.0  # 0 where epochs count from there
        self._length = self._alike = 0.0  # of the newest epoch; of two side by side
        self._late: float | None = None
        self._told = False

    def turns(self, epoch: float | None, before: float, length: float) -> float:
        """An epoch begins behind one of this `length`, before which so much was done: what was done before this one."""
        self._alike = length if length == self._length else self._alike
        self._length = length
        if epoch is not None and len(self._at) < MOST_EPOCHS:
            self._at[epoch] = before + length
        return before + length

    def of(self, epoch: float | None, step: float, *, within: bool) -> float:
        """The first row of a process is of this epoch: what was done before that. `within`: its steps are the epoch's, for sure."""
        if epoch is None:
            return 0.0
        self._first = min(self._first, epoch)
        self._at = {each: began for each, began in self._at.items() if each <= epoch}
        alike = (epoch - self._first) * self._alike if step <= self._alike else 0.0
        before = self._at.get(epoch, alike)
        self._late = epoch if within and not before and epoch > 1 else None
        return before

    def words(self, *, unknown: bool) -> list[str]:
        """What a person should know: that epochs' length is `unknown`, and where those before the first row are not in the log."""
        words = [f"iterations are counted from epoch {self._late:,.0f} on: {NO_LENGTH}"] if self._late else []
        words += [UNKNOWN_LENGTH] if unknown and not self._told else []
        self._late, self._told = None, self._told or unknown
        return words


NO_LENGTH = "those before it are not in the log, nor how long they were"


class OpenEpochs:
    """Epochs with a number and without a length: each is as long as its highest batch, and may have been longer.

    `first` is the number of an epoch's first batch.
    """

    def __init__(self, first: int) -> None:
        self.turned = False
        """Has the newest row begun an epoch?"""

        self._first = first
        self._epoch: float | None = None
        self._before = self._done = self._apart = 0.0
        self._begins: dict[float, float] = {}  # the newest training's epochs: where each began
        self._told = False

    def place(self, epoch: float, batch: float) -> dict[str, float]:
        """The next row's iteration, and how many may have come before it that nobody counted."""
        self.turned = self._epoch is not None and epoch != self._epoch
        goes_on, done = self._epoch is not None and epoch > self._epoch, batch + 1 - self._first
        if goes_on:
            self._before += self._done
        elif self.turned:  # resumed from a checkpoint, or begun anew
            self._begins = {each: began for each, began in self._begins.items() if each <= epoch}
            self._before = self._begins.get(epoch, 0.0)
        if not self.turned and done != self._done:  # a row may be printed once for each metric
            self._apart = done - self._done
        self._epoch, self._done = epoch, done
        if len(self._begins) < MOST_EPOCHS:
            self._begins[epoch] = self._before
        uncounted = max(0.0, self._apart - 1) if self.turned and goes_on else 0.0
        return {"iteration": self._before + batch} | ({"uncounted": uncounted} if uncounted else {})

    def word(self) -> str:
        """What a person should know, once rows have shown it; "" else."""
        if self._told or not (self.turned and self._apart > 1):
            return ""
        self._told = True
        return UNKNOWN_LENGTH
