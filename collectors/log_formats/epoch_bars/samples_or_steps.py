"""What a bar of Keras counts: steps, or samples, as before 2.4."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from ..families.keras.frames import SECONDS

if TYPE_CHECKING:
    import re

    from ..families.keras.frames import Frame
    from ..parsing.values import Fields

_LEAST_STEP_S = 50e-6
"""No step of a training is shorter: it is tens of operations, each of which takes microseconds to begin."""

_LEAST_BATCH, _SURE_FRAMES = 4, 4
"""Four frames at multiples of four or more: of steps that happens by chance once in 64, and a bar of steps begins with 1."""

_USUAL_BATCH = 32.0
"""Samples a batch, or a multiple of it, unless somebody wrote another number."""

NO_UNIT = "whether the bar counts samples or steps it does not say: an iteration is an epoch here"


class Counted:
    """What a bar counts: steps, or samples, as before 2.4."""

    def __init__(self) -> None:
        self.samples: float | None = None  # that it trains on, by its own words
        self.images: set[float] = set()  # in folders that it reads
        self.unit: float | None = None  # what is counted for one iteration; 0: a whole epoch
        self._fits_anew = False  # is the batch known of another fit alone?
        self._first: float | None = None  # frame of a bar: after one batch
        self._frames = (
            0  # of that bar, as long as each stands at a multiple of the first; below 0 once one does not
        )

    def another_fit(self) -> None:
        """What a batch holds may be another number from now on; the first frame tells."""
        self._fits_anew = self.unit is not None and self.unit > 1

    def place(self, epoch: float, epochs: float | None, done: float, batches: float) -> Fields:
        """Where a bar of an epoch has come to, and of how many iterations that is."""
        unit = self.unit or batches
        each = ceil(batches / unit)
        return {"iteration": (epoch - 1) * each + ceil(done / unit), "total": epochs and epochs * each}

    def begin(self) -> None:
        """A bar begins."""
        self._first, self._frames = None, 0

    def see(self, batch: float, *, begun: bool) -> None:
        """A frame that is not full. `begun`: no time of the bar was read yet, so that it may be the first."""
        if self._first is None and begun:
            self._first = batch
            self.unit = batch if self._fits_anew and batch > 1 else self.unit
            self._fits_anew = False
        if self._frames >= 0 and self._first:
            self._frames = -1 if batch % self._first else self._frames + 1

    def decide(self, frame: Frame, batches: float) -> str:
        """Decided once, by the first time of a bar of so many; a word where it is samples."""
        if self.unit is not None:
            return ""
        self.unit = 1.0
        if not self._counts_samples(frame.each, batches):
            unsaid = self._may_be_samples and (frame.names_no_unit or self._stands_at_a_batch(frame))
            self.unit = 0.0 if unsaid else self.unit
            return NO_UNIT if unsaid else ""
        first = self._first or 0.0
        self.unit = first if first > 1 else 0.0
        how = f"{first:,.0f} a batch" if self.unit else "with no size of a batch: an iteration is an epoch here"
        return f"the bar counts samples, {how}"

    @property
    def _may_be_samples(self) -> bool:
        """Does no frame of the bar stand where only one of steps does?"""
        return self._first is None or (self._first >= _LEAST_BATCH and self._frames >= 0)

    def _stands_at_a_batch(self, frame: Frame) -> bool:
        """A bar that is drawn over itself leaves one frame of all: where batches of samples end, steps end once in 32."""
        return "[=" in frame.line.text and bool(self._first) and not (self._first or 1.0) % _USUAL_BATCH

    def _counts_samples(self, each: re.Match[str] | None, batches: float) -> bool:
        """By its own words, by a time that no step has, or by frames that no step's would stand at."""
        if batches == self.samples or batches in self.images:
            return True
        if each is not None and (each[3] == "sample" or float(each[1]) * SECONDS[each[2]] < _LEAST_STEP_S):
            return True
        return (self._first or 0.0) >= _LEAST_BATCH and self._frames >= _SURE_FRAMES
