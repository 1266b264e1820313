"""A process's warnings as it imports its modules: Python says each once, so that one more is of another process.

train.py:24: DeprecationWarning: an alias is deprecated.
100%|██████████| 100/100 [00:50<00:00,  2.00it/s]
train.py:24: DeprecationWarning: an alias is deprecated.
  0%|          | 0/100 [00:00<?, ?it/s]
"""

from __future__ import annotations

from ...patterns import lazy_pattern

_WARNING = lazy_pattern(r"\S{1,200}\.py:\d{1,6}: \w{0,40}Warning: ")
_MOST, _LONGEST = 32, 300


class Warned:
    """Those in front of the first bar, each said once, and whether one of them has come again since the newest bar."""

    def __init__(self) -> None:
        self._times: dict[str, int] = {}
        self._drawn = self._again = False

    def hear(self, text: str) -> None:
        """A line, which may be a frame."""
        if "Warning: " not in text:
            self._drawn = self._drawn or "%|" in text
        elif _WARNING.match(text):
            said = text[:_LONGEST]
            if self._drawn:
                self._again = self._again or self._times.get(said) == 1
            elif len(self._times) < _MOST:
                self._times[said] = self._times.get(said, 0) + 1

    def again(self) -> bool:
        """Has one come again since this was asked last?"""
        again, self._again = self._again, False
        return again
