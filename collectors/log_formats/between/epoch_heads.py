"""Lines that head the bars below them: `Epoch 3/20`, alone on its line, and then a bar without an epoch in its title.

They tell how many epochs there are, and that a training is another one: `Epoch 1/20` comes again behind `Epoch 5/20`. Where
standard output went through a buffer, heads come in blocks, without a bar between two: then they say nothing.
"""

from __future__ import annotations

from ...patterns import lazy_pattern
from ..parsing.grammar import PREFIX

_LONGEST = 200
_HEAD = lazy_pattern(
    r"(?i)\W*(?:(?:start|begin)(?:s|ing)?\W+)?(?:train(?:ing)?\W+)?epochs?\W{0,3}(\d{1,6})(?: ?(?:/|of|out of) ?(\d{1,6}))?\W*"
)
_LONGEST_BARE = 40
_BARE = lazy_pattern(r"\W{0,6}[\[(【<](\d{1,6}) ?/ ?(\d{1,6})[\])】>]\W{0,6}")
"""`【3/20】` below a bar says that it was the third of twenty, where so many have come."""
_TOLD = lazy_pattern(
    r"(?i)\W{0,8}epochs?\W{0,3}(\d{1,6}) ?(?:/|of|out of) ?(\d{1,6})\b(?=.{0,160}loss\w{0,12} ?[:=]? ?-?\d)"
)
"""So does `Epoch 3/20, Train Loss: 0.5`."""


class EpochHeads:
    """The head of the bar at hand."""

    def __init__(self) -> None:
        self._epoch: int | None = None
        self._epochs: int | None = None
        self._lowest: int | None = None  # epoch of this training
        self._begun = True  # has a bar begun below the newest head?
        self._anew = False  # is that head another training's?
        self._in_blocks = False
        self._below: tuple[int, int] | None = None  # the newest bar of so many, by a line below it

    def hear(self, text: str) -> None:
        """A line without a bar."""
        if "poch" not in text and "POCH" not in text:
            if "/" in text and len(text) <= _LONGEST_BARE and (bare := _BARE.fullmatch(text.strip())):
                self._below = int(bare[1]), int(bare[2])
            return
        if len(text) > _LONGEST:
            return
        own = PREFIX.sub("", text, count=1)
        if (found := _HEAD.fullmatch(own)) is None:
            told = _TOLD.match(own) if "/" in own or "of" in own else None
            self._below = (int(told[1]), int(told[2])) if told else self._below
            return
        epoch, epochs = int(found[1]), int(found[2]) if found[2] else None
        if not self._begun:
            self._in_blocks |= epoch != self._epoch
            return  # other ranks say the same
        again = self._epoch is not None and epoch < self._epoch and epoch == self._lowest
        self._anew = again or (epoch == self._epoch == self._epochs == 1)
        self._lowest = epoch if self._lowest is None or self._anew else min(self._lowest, epoch)
        self._epoch, self._epochs, self._begun = epoch, epochs, False

    def begins(self) -> bool:
        """A bar of the training begins: is it another training's than the one before?"""
        first, self._begun = not self._begun, True
        return first and self._anew and not self._in_blocks

    def steps(self, before: int, length: int | None) -> int | None:
        """Of the whole training, where the epochs `before`, each of `length` steps, are those before the head's."""
        if not self._epochs and self._below and length:
            done, epochs = self._below
            return epochs * length if before == done * length and 0 < done < epochs else None
        if self._in_blocks or not self._epochs or not length or self._epoch is None or self._lowest != 1:
            return None
        fits = self._begun and self._epoch <= self._epochs and before == (self._epoch - 1) * length
        return self._epochs * length if fits else None
