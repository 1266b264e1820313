"""A frame of Keras' bar: `97/100 ━━━ 0s 25ms/step - loss: 0.5`, and what the steps up to it took, as far as it tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...patterns import lazy_pattern
from ..parsing.values import Fields, LogLine, number
from .means_so_far import Spent

if TYPE_CHECKING:
    import re

SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_EACH = lazy_pattern(r"(\d{1,9}(?:\.\d{1,9})?)(us|ms|s)/(step|sample)")
_NEAR = 0.9
"""Of an epoch: the mean over so much of it is that of all of it."""

LEAST_S = 5.0
"""Whole seconds alone, `12/12 - 0s`: of fewer nobody knows what a step took to ten percent."""


class Frame(NamedTuple):
    """One frame, or an epoch's last line."""

    fields: Fields
    rest: str
    stamp: str
    line: LogLine

    @property
    def done(self) -> float:
        """Steps (or samples) so far."""
        return float(self.fields["batch"])

    @property
    def batches(self) -> float:
        """... and in the epoch."""
        return float(self.fields["batches"])

    @property
    def each(self) -> re.Match[str] | None:
        """The mean of the steps so far: its number, its unit, and what it is of."""
        return _EACH.search(self.rest)

    @property
    def validated(self) -> bool:
        """Is it the line that tells of the validation, whose time may be in it?"""
        return " val_" in self.rest

    @property
    def is_drawn_again(self) -> bool:
        """Is it full, with nothing left of its time? Keras 3 draws it again when the epoch is over, with what is final."""
        if self.done < self.batches or self.validated or clock_s(self.stamp):
            return False
        return self.each is not None and f"- {self.stamp} " not in self.line.text  # as other lines have it

    def spent(self, before: Frame | None) -> Spent:
        """The time of the epoch's steps so far. `before`: the frame before it, which has no validation in its time."""
        if (
            self.validated
            and before is not None
            and before.each is not None
            and before.done >= _NEAR * self.batches
        ):
            own = before.spent(None)
            return Spent(own.seconds * self.done / before.done, own.unsure_s * self.done / before.done)
        each, stamp_s, full = self.each, clock_s(self.stamp), self.done == self.batches
        if each is None:
            return Spent(stamp_s, 0.5) if stamp_s >= LEAST_S else Spent()
        unit_s = SECONDS[each[2]]
        seconds = self.done * float(each[1]) * unit_s
        unsure_s = self.done * unit_s * 0.5 / 10 ** len(each[1].partition(".")[2])
        if not full or not stamp_s:
            return Spent(seconds, unsure_s)
        if each[2] == "s":  # 1.0 to 1.5 s are printed as `1s`: the epoch's seconds tell where in it
            return Spent(min(max(stamp_s, seconds - unsure_s, self.done), seconds + unsure_s), unsure_s)
        return _bounded(seconds, unsure_s, stamp_s, validated=self.validated)


def _bounded(seconds: float, unsure_s: float, stamp_s: float, *, validated: bool) -> Spent:
    """The time of a step, printed as `2ms`, may be a third too long; the epoch's whole seconds bound it, and may hold more."""
    if seconds > stamp_s + 1.0:
        return Spent(stamp_s, 0.5)
    low, high = max(seconds - unsure_s, stamp_s - 0.5), min(seconds + unsure_s, stamp_s + 0.5)
    if validated or unsure_s <= 0.5 or not 0 < high - low <= unsure_s:
        return Spent(seconds, unsure_s)
    return Spent((low + high) / 2, (high - low) / 2)


def clock_s(stamp: str) -> float:
    """`45s`, `1:05` or `2:03:04`."""
    seconds = 0.0
    for part in stamp.rstrip("smh").split(":"):
        seconds = seconds * 60 + (number(part) or 0.0)
    return seconds
