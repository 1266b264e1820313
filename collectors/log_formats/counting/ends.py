"""Where counts end whose epoch nobody names, nor its length: `batch: 80`, and then `batch: 10`.

Epochs end alike. What broke off elsewhere was begun again; and where no two ends are alike there are no epochs.
"""

from __future__ import annotations

UNLIKE = 0.1
"""Ends that differ by more than this share, and by more than lies between two rows, are not alike."""

MOST = 64
"""Ends that are kept."""


class Ends:
    """Those that were seen, and what they are."""

    def __init__(self) -> None:
        self._seen: list[float] = []
        self._uneven = False  # no two are alike: each is a training

    def learn(self, other: Ends) -> None:
        """Take over what was found out of more rows."""
        self._uneven = self._uneven or other._uneven

    def breaks_off(self, step: float, apart: float) -> bool:
        """The count begins again behind `step`, where rows lie so far `apart`: is that the end of a training?"""
        apart = max(apart, UNLIKE * step, 1.0)
        other = bool(self._seen) and all(abs(end - step) > apart for end in self._seen)
        self._uneven = self._uneven or (other and len(self._seen) > 1)
        if (other or not self._seen) and len(self._seen) < MOST:
            self._seen.append(step)
        return other or self._uneven
