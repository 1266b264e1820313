"""How full something was, from the first sample to the newest: a few hundred stretches, whatever the length."""

from __future__ import annotations

from typing import NamedTuple

MOST = 512
"""Stretches that are kept: then each two become one."""


class Stretch(NamedTuple):
    """Samples in a row: the newest iteration and time of them, the lowest and the highest."""

    iteration: int
    at_s: float
    low: float
    high: float


class Course:
    """The stretches of one thing that fills up, all of equally many samples but the newest."""

    def __init__(self) -> None:
        self.stretches: list[Stretch] = []
        self.samples = 0
        self._each = 1  # samples of a stretch

    def add(self, iteration: int, at_s: float, value: float) -> None:
        """Take in a sample; one that is older than the newest is left out."""
        newest = self.stretches[-1] if self.stretches else None
        if newest is not None and (at_s < newest.at_s or iteration < newest.iteration):
            return
        if newest is None or self.samples % self._each == 0:
            if len(self.stretches) == MOST:
                self.stretches = [_both(*self.stretches[i : i + 2]) for i in range(0, MOST, 2)]
                self._each *= 2
            self.stretches.append(Stretch(iteration, at_s, value, value))
        else:
            self.stretches[-1] = _both(newest, Stretch(iteration, at_s, value, value))
        self.samples += 1


def _both(first: Stretch, second: Stretch) -> Stretch:
    return Stretch(second.iteration, second.at_s, min(first.low, second.low), max(first.high, second.high))
