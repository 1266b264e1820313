"""Calls of Keras' `fit`: whose a bar is that no heading stands above.

A call for one epoch prints none: `Epoch 1/1` would say nothing. In a log whose other calls have headings, no heading is lost:
`1875/1875 [====] - 2s 1ms/step - loss: 0.5 - val_loss: 0.6` behind another full bar is such a call's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....patterns import lazy_pattern

if TYPE_CHECKING:
    from ...parsing.values import Fields, LogLine

_LOSS_IN_FRAME = lazy_pattern(r" - loss: (\d{1,12}\.\d{1,12}(?:e[-+]?\d{1,3})?)(?![\w.])")
_HIGHER = 2.0
"""So many times the newest loss of the model before, and half of that one's first: no model that goes on begins there."""


class Fits:
    """Calls of `fit` for one epoch, which print no heading: `Train on 60000 samples` each time. Do they train one model on, or another?

    What the bar's first frame tells is the loss of a batch alone: a model that goes on begins about where it was.
    """

    def __init__(self) -> None:
        self._called = self._headed = False
        self._first: float | None = None  # loss in the first frame of the model at hand
        self.newest: float | None = None

    def call(self, *, headed: bool) -> None:
        """A call of `fit`. `headed`: epochs have headings, which tell more."""
        self._called, self._headed = not headed, headed

    def called_anew(self) -> bool:
        """Was it called since the heading before, where epochs have such?"""
        headed, self._headed = self._headed, False
        return headed

    def anew(self, text: str) -> bool:
        """A frame that is not full: is it the first one of another model?"""
        called, self._called = self._called, False
        if not called or (found := _LOSS_IN_FRAME.search(text)) is None:
            return False
        loss, first, newest = float(found[1]), self._first, self.newest
        anew = first is not None and newest is not None and loss > max(_HIGHER * newest, first / _HIGHER)
        self._first = loss if anew or first is None else first
        return anew

    def is_another(self, loss: float | None, *, validated: bool) -> bool:
        """A full bar behind a full one of its length, without a heading: is it a call's of its own, or that one drawn again?

        `validated`: both tell of a validation, so that nothing was left to say of the one before.
        """
        return validated and None not in (loss, self.newest) and loss != self.newest


class Broken:
    """The newest frame without a time, should none follow.

    Where a bar falls back, and no heading told of another epoch, nobody knows how many lie between: it has no place then.
    """

    def __init__(self) -> None:
        self.newest: tuple[Fields, LogLine] | None = None
        self._place = 0.0, 0.0
        self._fell = False

    def see(self, fields: Fields, line: LogLine) -> None:
        """One more frame."""
        (done, batches), self._place = self._place, (fields["batch"], fields["batches"])
        self._fell = self._fell or (batches == self._place[1] and self._place[0] < done)
        self.newest = None if self._fell else (fields, line)

    def over(self) -> tuple[Fields, LogLine] | None:
        """A heading comes, or a frame with a time: the newest one before it."""
        newest = self.newest
        self.newest, self._place, self._fell = None, (0.0, 0.0), False
        return newest
