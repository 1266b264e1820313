"""Is the time in a row that of one step, or of all steps since the row before? Rows of one step show it."""

from __future__ import annotations

from collections import deque
from statistics import median


class SingleSteps:
    """Do rows of one step take as long as rows of several? Then what is printed is the time of a step.

    The first row of a run has its warm-up in it: that it took no less is only a second witness.
    """

    _LIKE, _SEVERAL, _KEPT = 0.8, 4, 32

    def __init__(self) -> None:
        self._several: deque[float] = deque(maxlen=self._KEPT)
        self._first_s: float | None = None
        self._like = self._unlike = 0

    @property
    def prove(self) -> bool:
        """Is it proven that each time is that of one step?"""
        first = self._first_s
        enough = self._like + (first is not None and first >= self._LIKE * median(self._several or [first]))
        return self._like > 0 and not self._unlike and enough > 1

    def learn(self, other: SingleSteps) -> None:
        """Take over what was found out of more rows."""
        if not (self._like or self._unlike):
            self._like, self._unlike = other._like, other._unlike
            self._first_s = other._first_s if self._first_s is None else self._first_s

    def see(self, steps: int, place: int, seconds: float) -> None:
        """The time that the next row shows, which stands at step `place`, `steps` behind the row before."""
        if steps == 0 and place <= 1:
            self._first_s = seconds
        elif steps >= self._SEVERAL:
            self._several.append(seconds)
        elif steps == 1 and len(self._several) >= self._SEVERAL:
            like = self._LIKE <= seconds / median(self._several) <= 1 / self._LIKE if seconds else False
            self._like += like
            self._unlike += not like
