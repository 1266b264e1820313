"""Marks that wait until it is known whose steps end an iteration: then all are handed on, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..marks import ITERATION, RULE, STEPPED
from .turns import rule_at_end

if TYPE_CHECKING:
    from ..marks import Mark

_MOST = 20_000
"""As many as wait at most: beyond, the steps among them are none's, and the next iteration contains them."""


class HeldMarks:
    """The marks since the first step of several optimizers. False while there are none."""

    def __init__(self) -> None:
        self._marks: list[Mark] = []

    def __bool__(self) -> bool:
        return bool(self._marks)

    def add(self, mark: Mark) -> list[Mark]:
        """Hold `mark`; what is ready now."""
        if mark[0] == RULE:
            return self._release(mark[2], mark[3])
        self._marks.append(mark)
        if len(self._marks) < _MOST:
            return []
        marks, self._marks = self._marks, []
        return [held for held in marks if held[0] != STEPPED]

    def rest(self) -> list[Mark]:
        """All of them, for no more come."""
        return self._release(rule_at_end([mark[2] for mark in self._marks if mark[0] == STEPPED]).number, None)

    def _release(self, number: int | None, following: int | None) -> list[Mark]:
        """The marks, with iterations for steps; `following` is the index of the next one, if anybody knows."""
        marks, self._marks = self._marks, []
        ending = [mark for mark in marks if mark[0] == STEPPED and number in (None, mark[2])]
        index = None if following is None else following - len(ending)
        released: list[Mark] = []
        for mark in marks:
            if mark[0] != STEPPED:
                released.append(mark)
            elif number is None or mark[2] == number:
                released.append(_iteration(mark[1], index, mark[3]))
                index = None
        return released


def _iteration(at_ns: int, index: int | None, learning_rate: Any) -> Mark:
    return ITERATION, at_ns, index, None, None, learning_rate, None, None
