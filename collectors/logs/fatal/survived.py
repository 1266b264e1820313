"""Errors behind which the same process went on: who catches one again and again does not end by its next.

A sample that cannot be read is logged with its traceback and left out, in each epoch anew. Only the counter shows
that nobody began again: a job that crashes, and is started again, comes back to a place where it was.
"""

from __future__ import annotations

from collections import Counter

from ...patterns import lazy_pattern

OFTEN = 3
"""So many times a row of the same process came behind the same error."""

_MOST = 200
"""Errors that are kept in mind, the newest."""

_NUMBERS = lazy_pattern(r"[\d.,]+")


class Survived:
    """Which errors the process that writes has survived."""

    def __init__(self) -> None:
        self._newest: float | None = None  # the place of the newest row
        self._at: dict[str, float] = {}  # of each error's newest
        self._times: Counter[str] = Counter()

    def row(self, index: float) -> None:
        """A row came; one that is not ahead of all before it may be of another process."""
        if self._newest is not None and index < self._newest:
            self.begin()
        self._newest = index

    def begin(self) -> None:
        """Another process begins."""
        self._newest = None
        self._at.clear()
        self._times.clear()

    def has_survived(self, text: str) -> bool:
        """Has it gone on so often behind an error like this one?"""
        if self._newest is None:
            return False
        alike = _NUMBERS.sub("0", text)
        if (before := self._at.pop(alike, None)) is not None and self._newest > before:
            self._times[alike] += 1
        self._at[alike] = self._newest
        if len(self._at) > _MOST:
            oldest = next(iter(self._at))
            del self._at[oldest], self._times[oldest]
        return self._times[alike] >= OFTEN
