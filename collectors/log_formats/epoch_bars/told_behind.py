"""Epochs that lines behind bars without a title tell of, where bars themselves are lost or look alike.

    100%|##########| 7/7 [00:00<00:00,  8.50it/s]        of the training
    100%|##########| 7/7 [00:00<00:00, 21.00it/s]        of the evaluation, as long
    epoch=3: train_loss=0.5 eval_loss=0.625
A console keeps of many bars some frames only: `[ Valid | 004/100 ] loss = 0.5` says how many there were all the same.
"""

from __future__ import annotations

from ...patterns import lazy_pattern

_OVER = lazy_pattern(
    r"(?i)\W{0,8}(?:epoch\W{0,3}(\d{1,6})\b.{0,40}?\w ?[:=]|\[\W{0,3}(?:val|valid|validation|eval|test)\W{1,6}(\d{1,6}) ?/ ?\d{1,6}\W{0,3}\])"
)
_FEWEST = 2
"""Epochs told of one by one, before they count anything."""

_MOSTLY = 4
"""Epochs for each one of which no bar was seen to begin."""


class ToldBehind:
    """The number of epochs that are over, while each line tells of the next one."""

    def __init__(self) -> None:
        self._first: int | None = None
        self._newest = -1
        self._broken = False
        self._unseen = 0  # epochs of whose bars no beginning was seen
        self.fresh = False
        """Has one been told of since a bar began?"""
        self.again = False
        """Has a bar stood further back since then? One that only goes on counts the epochs itself."""

    def hear(self, text: str, *, bars: bool) -> bool:
        """A line without a bar: is one more epoch over? `bars`: there was one before it."""
        if self._broken or (found := _OVER.match(text)) is None:
            return False
        epoch = int(found[1] or found[2])
        if epoch == self._newest:
            return False
        begins = self._first is None and bars and epoch <= 1
        self._unseen += not (begins or self.again)
        goes_on = self._first is not None and epoch == self._newest + 1 and _MOSTLY * self._unseen <= epoch
        self._broken = not (begins or goes_on)
        self._first = epoch if begins else self._first
        self._newest, self.fresh, self.again = epoch, not self._broken, False
        return self.over is not None

    @property
    def over(self) -> int | None:
        """So many epochs are over; `None`: nobody knows."""
        if self._broken or self._first is None:
            return None
        passes = self._newest - self._first + 1
        return passes if passes >= _FEWEST else None
