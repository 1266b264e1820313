"""The mean of an epoch's steps so far, printed in whole units: `25ms/step` is 24.5 to 25.5 ms, and over 90 steps that is 90 ms.

The time of the steps between two such means is the difference of two sums, each as wrong as its last digit makes it. Over few
steps that is all there is to see: 23 ms that became 24 ms after 95 of 100 steps are no five steps of 43 ms.
"""

from __future__ import annotations

from typing import NamedTuple

SURE = 0.03
"""Of a time: so much may hide in the last digits of the two sums that it lies between."""


class Spent(NamedTuple):
    """Seconds since the epoch began, and by how many of them that may be wrong."""

    seconds: float = 0.0
    unsure_s: float = 0.0


class MeansSoFar:
    """Stretches of an epoch that are long enough for their time to be known."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """An epoch begins."""
        self.done = 0.0  # steps, as far as their time was told
        self._spent = Spent()

    def since(self, done: float, batches: float, spent: Spent) -> float | None:
        """The seconds from the step where the last such stretch ended up to `done`; `None`: not known (yet).

        All stretches of an epoch are long enough for its last one; that of a whole epoch may be as rough as its mean.
        """
        seconds = spent.seconds - self._spent.seconds
        if done <= self.done or seconds <= 0:
            return None
        rough = spent.unsure_s / spent.seconds
        least = 2 * rough / (SURE + rough) * batches  # steps, at the end of the epoch
        whole = done >= batches and not self.done
        if not whole and (done - self.done < least or 0 < batches - done < least):
            return None
        self.done, self._spent = done, spent
        return seconds
