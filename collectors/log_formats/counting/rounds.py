"""Epochs that begin again in each round, below a heading that counts the rounds: `Round 3`, `D-Step 2`, `Iteration 12`.

    Round 1
    Epoch 0, train loss: 0.75
    Epoch 1, train loss: 0.5
    Round 2
    Epoch 0, train loss: 0.625
They are no trainings of their own: what goes on is counted, row by row.
"""

from __future__ import annotations

from ...patterns import lazy_pattern
from ..parsing.grammar import PREFIX

_HEADING = lazy_pattern(
    r"(?i)\W{0,20}(?P<word>(?:[a-z]{1,12}[ _-])?(?:step|round|cycle|iter(?:ation)?))\W{0,4}(?P<n>\d{1,9})(?: ?(?:/|(?:out )?of) ?\d{1,9})?\W{0,20}"
)
_WORDS = ("tep", "ound", "ycle", "ter", "TEP", "OUND", "YCLE", "TER")
_LONGEST, _MOST = 100, 16


class Rounds:
    """Do the epochs of a log begin again in each round?"""

    def __init__(self) -> None:
        self.nest = False
        self.fell = False
        """Has the count of the rounds itself begun again, with the newest row? It is another training's."""
        self._heard: list[tuple[str, float]] = []  # headings since the newest row
        self._newest: dict[str, float] = {}  # numbers by their words
        self._since: dict[str, set[str]] = {}  # the words that were told since then
        self._inside: set[tuple[str, str]] = set()  # what begins again with which other one
        self._epoch: float | None = None  # the newest row's

    def hear(self, text: str) -> None:
        """A line that is no row."""
        if len(self._heard) >= _MOST or len(text) > _LONGEST or not any(word in text for word in _WORDS):
            return
        found = _HEADING.fullmatch(PREFIX.sub("", text, count=1))
        if found is not None:
            self._heard.append((found["word"].lower(), float(found["n"])))

    def place(self, epoch: float | None) -> float | None:
        """The epoch of a row that has no step, if it says where in the training the row is."""
        self.fell = False
        turned = [self._turns(word, n) for word, n in self._heard]  # all: each is to be seen
        self._heard.clear()
        newest, self._epoch = self._epoch, epoch
        falls = epoch is not None and newest is not None and epoch <= newest
        if self.fell:
            self.nest = False
        elif falls and any(turned):
            self.nest = True
        return None if self.nest else epoch

    def _turns(self, word: str, n: float) -> bool:
        """Does the count of this word go on, or begin again inside of another one that was told since?"""
        before, since = self._newest.get(word), self._since.pop(word, set())
        for others in self._since.values():
            others.add(word)
        self._newest[word], self._since[word] = n, set()
        if before is None or n > before:
            return before is not None
        outer = {(word, one) for one in since if (one, word) not in self._inside}
        self._inside |= outer
        self.fell = self.fell or (self.nest and n < before and not outer)
        return bool(outer)
