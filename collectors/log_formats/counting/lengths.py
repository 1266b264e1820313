"""Rows that are one of another number than the training's are: an evaluation's between them, or another training's?

`iter: 11/699` and then `iter: 1/349`, of the same epoch. Set aside is what a label tells apart, what comes behind an epoch that was
full, and what is known to alternate with the training. Else it is a training of its own, with other data or another batch.
"""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .standing import RowContext

FULL = 0.9
"""An epoch's last lines may be left out, where not each step is printed."""

BEGINNING = 0.2
"""Of what counts something else, the first line is at its beginning: a run that goes on for longer than it was to is elsewhere."""


_GROWN = 4
"""Lengths that differ for another reason have several rows each: epochs of unlike batches, say."""

_TWICE = 1.5
"""So many times its printed length is no epoch that went a little beyond it."""


_LEFT = 2
"""So many epochs that lack a row at their end, which their printed length would have, were not cut off by chance."""


_PLACEHOLDER = 10_000_000
"""A limit that is there to be never reached is a round number, of so many at least: an epoch limit rules beside it."""

_LARGEST = 2**31 - 1

_LEAST_POWER = 8
"""A smaller power of two is as well one less than a number that people plan."""


def is_placeholder(length: float | None, epoch: float | None) -> bool:
    """Is a printed length, beside an epoch, none that steps come to? A power of ten, all nines, the largest integer."""
    if length is None or epoch is None or length < _PLACEHOLDER - 1:
        return False
    digits = str(int(length))
    return digits.strip("0") == "1" or set(digits) == {"9"} or length == _LARGEST


def may_be_the_last(epochs: float) -> bool:
    """`epoch 0/9`: has it nine or ten? People plan a round number, or a power of two: `0/100` and `0/64` are no last ones."""
    return epochs % 5 != 0 and (epochs < _LEAST_POWER or log2(epochs) % 1 != 0)


def runs_on(length: float | None, epoch: float | None, before: float) -> bool:
    """Is a printed length the run's, as that of the training `before` was, or for it is no length at all?"""
    return length == before or is_placeholder(length, epoch)


def runs_over(before: float, step: float, length: float, apart: float) -> bool:
    """Has the count gone on over the end of an epoch of a printed length, beyond what one epoch can have?

    Or in the midst of the length, from one epoch's row to the next one's as from each row to the next: it is the run's.
    """
    if before < FULL * length and 0 < step - before == apart:
        return True
    return before <= length < step and (step >= _TWICE * length or 0 < step - before <= 2 * apart)


def past_its_length(step: float | None, first: float, length: float | None, apart: float) -> float:
    """Steps that an epoch made beyond its printed length: `650/640`, or `0/71`, `1/71` and so on to `71/71`."""
    counts_each_from_0 = not first and apart <= 1
    if step is None or length is None or step < length + (not counts_each_from_0):
        return 0.0
    return step + 1 - first - length


class GrowingLengths:
    """`step 200/201`, `step 400/402`: does what a row would be one of grow from row to row? Then it counts, too, and is no length."""

    def __init__(self) -> None:
        self._last: float | None = None
        self._grew = self._stayed = 0
        self._known = False

    def see(self, length: float | None) -> float | None:
        """The next row's, unless it counts."""
        if length is not None:
            if self._last is not None:
                self._grew, self._stayed = (
                    self._grew + (length > self._last),
                    self._stayed + (length <= self._last),
                )
            self._last = length
        return None if self.grow else length

    @property
    def grow(self) -> bool:
        """Have they grown so far, at nearly every row?"""
        return self._known or (self._grew >= _GROWN and self._grew > _GROWN * self._stayed)

    def learn(self, other: GrowingLengths) -> None:
        """Take over what was found out of more rows."""
        self._known = self._known or other.grow


class Place(NamedTuple):
    """Where the newest row of a training stands."""

    epoch: float | None
    step: float
    apart: float  # steps between the newest two
    length: float | None
    first: float | None = None  # step of an epoch, where they begin again with each

    @property
    def is_full(self) -> bool:
        """Would the next row lie in the next epoch?"""
        length = self.length or 0.0
        return self.step >= FULL * length or self.step + self.apart > length

    @property
    def left(self) -> int:
        """Steps of its epoch behind its last row: the next one would lie in the next epoch."""
        left = (self.length or 0.0) - 1 + (self.first or 0.0) - self.step
        return int(left) if self.first is not None and 0 < left < self.apart else 0

    def is_left_early(self, epoch: float | None, step: float) -> bool:
        """Is a next row in its epoch due, while the one that came is the first of the next epoch, in the same rhythm?"""
        if self.length is None or self.epoch is None or epoch != self.epoch + 1 or self.apart <= 1:
            return False
        in_rhythm = step <= self.apart and step % self.apart == self.step % self.apart
        return in_rhythm and self.step + self.apart < self.length

    def is_next(self, epoch: float | None, step: float) -> bool:
        """Does a row stand where the training's next one would?"""
        if epoch is not None and self.epoch is not None and epoch != self.epoch:
            return epoch == self.epoch + 1
        return 0 < step - self.step <= 2 * max(1.0, self.apart)


class OtherLengths:
    """Those that were seen, and what they are."""

    def __init__(self) -> None:
        self._aside: set[float] = set()
        self._alternate: set[float] = set()  # the training went on behind them
        self._left: tuple[Place, float] | None = (
            None  # where it stood when one began that was taken for a training
        )
        self._from_0: tuple[float, float] | None = None  # length and epoch of rows from an epoch's step 0 on
        self._left_early = 0  # epochs
        self._too_long = False  # is the printed length a data loader's estimate, that no epoch comes to?
        self.last_is_counted = False
        """`0/71` ... `71/71` in one epoch: it has 72 steps."""
        self.of_a_round = False
        """A count of so many has begun again within a training, and nothing names an epoch: another task may have begun."""

    def learn(self, other: OtherLengths, *, begun: bool = False) -> None:
        """Take over what was found out of more rows. Once rows are counted by a length, `begun`, they go on so."""
        self._too_long = self._too_long or (other._left_early >= _LEFT and not begun)
        self._alternate |= other._alternate
        self.last_is_counted = self.last_is_counted or other.last_is_counted
        self.of_a_round = self.of_a_round or other.of_a_round

    def whole(self, step: float | None, epoch: float | None, said: RowContext) -> RowContext:
        """What is said of a row, with the length that its epoch has."""
        length, total = said.length, said.total
        if not length or step is None or epoch is None:
            return said
        if self._too_long:
            return said._replace(length=None, total=None)
        self._from_0 = (length, epoch) if step == 0 else self._from_0
        self.last_is_counted = self.last_is_counted or (step == length and self._from_0 == (length, epoch))
        if not self.last_is_counted:
            return said
        of_all = total if total is None or total % length else total / length * (length + 1)
        return said._replace(length=length + 1, total=of_all)

    def of_all(
        self, said: RowContext, first: float, epoch: float | None, over: float = 0.0
    ) -> dict[str, float | None]:
        """`total`, where the printed one lacks the last steps of the epochs; `None`: it may lack the last of the epochs.

        `over`: steps that the epochs so far had more than the newest one's length, or, below 0, fewer.
        """
        if self.of_a_round and said.total == said.length:
            return {"total": None}
        epochs = said.total / said.length if said.total and said.length else None
        if epochs and first == 0 and (may_be_the_last(epochs) or epochs <= (epoch or 0.0)):
            return {"total": None}
        if epochs and over and epochs % 1 == 0:
            return {"total": (said.total or 0.0) + over}
        return {"total": said.total} if self.last_is_counted and said.total else {}

    def differ(self, printed: float | None, length: float | None) -> bool:
        """Is a row one of another number than the training's, whose epochs have this `length`?"""
        return None not in (printed, length) and length not in (printed, (printed or 0.0) + self.last_is_counted)

    def another(self, newest: Place, row: tuple[float | None, float, float | None], waits: float | None) -> bool:
        """`1/188`, and then `1/125`: may it be the first row of another training? Or is it the next behind the one that `waits`?

        Args:
            newest: the place of the training's newest row.
            row: epoch, step and printed length of the row at hand.
            waits: the printed length of the row before it, if that may be another training's first.
        """
        epoch, step, length = row
        if length in self._alternate or length in self._aside or not self.differ(length, newest.length):
            return False
        return step <= 1 and (epoch, step) == (newest.epoch, newest.step) if waits is None else length == waits

    def turns(self, newest: Place, epoch: float | None, step: float) -> None:
        """A row of the next epoch comes behind the `newest`."""
        self._left_early += newest.is_left_early(epoch, step)

    def begin(self) -> None:
        """Another training."""
        self._aside = set()

    def returns(self, epoch: float | None, step: float, length: float | None) -> None:
        """Any row: does the training go on with it that was left for rows of another length?"""
        if self._left is not None and length == self._left[0].length:
            if self._left[0].is_next(epoch, step):
                self._alternate.add(self._left[1])
            self._left = None

    def sets_aside(self, newest: Place, step: float, length: float, *, back: bool, labelled: bool) -> bool:
        """Is a row of another `length` than the training's none of it? `labelled`: it has another label than its rows."""
        if is_placeholder(newest.length, newest.epoch):  # which is the training's, and not its data's
            self._aside.add(length)
        if length not in self._aside and back and step <= max(1.0, BEGINNING * length):
            if labelled or newest.is_full or length in self._alternate:
                self._aside.add(length)
            elif self._left is None:
                self._left = newest, length
        return length in self._aside
