"""Trainings one after another, each of which counts its epochs in headings and says that it is complete.

For the first model, Epoch 199/199
train loss: 1.25                        a row that nothing counts
Training complete in 48m 21s
For the second model, Epoch 0/199       another training's
"""

from __future__ import annotations

from .headings import heading_of


class HeadedAnew:
    """Is told of lines that are no rows."""

    def __init__(self) -> None:
        self._first: dict[str, int] = {}
        self._farthest: dict[str, int] = {}

    def begins(self, text: str, *, ended: bool) -> bool:
        """Does a heading count from its first number again, behind words that a training has `ended`?"""
        found = heading_of(text)
        if found is None:
            return False
        word, number = found
        first = self._first.setdefault(word, number)
        anew = ended and number == first < self._farthest.get(word, number)
        self._farthest[word] = number if anew else max(number, self._farthest.get(word, number))
        return anew
