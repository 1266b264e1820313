"""What the steps between two frames of a tqdm bar took.

The rate is no step's time: tqdm smooths it (0.3 of the newest update, 0.7 of what was), and the elapsed time is cut to
whole seconds. But both sums that it smooths can be followed from frame to frame: the steps' is known, so the seconds'
is the printed rate times it, and what the newest update added to it is the time of the newest steps (`BarClock`).
It is checked against the elapsed seconds. All that happens between two frames is in it: data, evaluation, checkpoint.

A rate has two digits behind its point, and what is got back of it may be wrong by several times its last one. Where that, or a frame
that is missing, leaves too little, the whole seconds of the bar's clock tell, which over one row are wrong by up to one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....events import Witness

if TYPE_CHECKING:
    from .bars import Bar

_SMOOTHING = 0.3  # tqdm's default

_DIGIT = 0.005
"""Half of the last digit of `12.34it/s` and of `12.34s/it`."""

_SURE = 0.1
"""A time that is got back from two rates is no more wrong than this part of it, for what their digits hide."""

COARSE = 20.0
"""Seconds of a bar's clock that say its time to 5 %."""

_AT_MOST_S = 2.0  # within one second of a bar, with its rounding


def unsure_s(seconds_each: float) -> float:
    """By how much the time of a step that a rate says may be wrong."""
    return _DIGIT * (1.0 if seconds_each >= 1 else seconds_each**2)


class Redrawn:
    """Tells of a bar that is drawn anew at each step (`set_postfix`), its rate only ten times a second.

    The steps of frames that show one second and one rate cannot take longer than that second, at that rate.
    """

    def __init__(self) -> None:
        self._first: Bar | None = None  # of those that show the same

    def see(self, bar: Bar) -> bool:
        """Is the rate of `bar`, the next frame, an old one?"""
        first = self._first
        if (
            first is None
            or (bar.elapsed_s, bar.seconds_each) != (first.elapsed_s, first.seconds_each)
            or bar.n < first.n
        ):
            self._first = bar
            return False
        return (bar.n - first.n) * (bar.seconds_each or 0.0) > _AT_MOST_S


class BarClock:
    """The times of the steps between frames of one bar, got back from its smoothed rate."""

    def __init__(self) -> None:
        self.witness = Witness.RATE  # of the newest time
        self._n: int | None = None
        self._elapsed_s = 0.0
        self._smooth_steps = 0.0
        self._smooth_s = 0.0

    def since_last_frame(self, bar: Bar) -> tuple[float | None, int]:
        """Seconds a step, and over how many steps, since the last frame that moved on; `(None, 1)` where unknown."""
        first = self._n is None
        steps = bar.n - (self._n or 0)
        whole_s = bar.elapsed_s - self._elapsed_s
        if steps <= 0 or (first and bar.seconds_each is None):
            self._begin(bar)
            return None, 1
        self._n, self._elapsed_s = bar.n, bar.elapsed_s
        if bar.seconds_each is None:
            return None, 1
        if first and steps > 1:
            return self._first_seen(bar)
        newest_s, wrong_s = self._undone(bar.seconds_each, steps)
        seconds, self.witness = _checked(newest_s, whole_s, bar.seconds_each * steps, wrong_s)
        return seconds / steps, steps

    def _undone(self, seconds_each: float, steps: int) -> tuple[float, float]:
        """What the newest update added to the smoothed seconds, and by how much that may be wrong."""
        before_steps, before_s = self._smooth_steps, self._smooth_s
        self._smooth_steps = _SMOOTHING * steps + (1 - _SMOOTHING) * before_steps
        self._smooth_s = self._smooth_steps * seconds_each
        wrong_s = self._smooth_steps * unsure_s(seconds_each)
        if before_steps:
            wrong_s += (1 - _SMOOTHING) * before_steps * unsure_s(before_s / before_steps)
        return (self._smooth_s - (1 - _SMOOTHING) * before_s) / _SMOOTHING, wrong_s / _SMOOTHING

    def _begin(self, bar: Bar) -> None:
        self._n, self._elapsed_s = bar.n, bar.elapsed_s
        self._smooth_steps = self._smooth_s = 0.0

    def _first_seen(self, bar: Bar) -> tuple[float | None, int]:
        """A bar that we see in its middle, or only at its end: its rate had always been like this, for all we know."""
        each_s = bar.seconds_each or 0.0
        self._smooth_steps, self._smooth_s = 1.0, each_s
        if (bar.full or bar.elapsed_s < COARSE) and says_more(bar):
            self.witness = Witness.RATE
            return each_s, bar.n
        if bar.elapsed_s < 1 or abs(bar.elapsed_s - bar.n * each_s) > 1 + 0.2 * bar.elapsed_s:
            return None, 1  # it did not begin at 0
        self.witness = Witness.ELAPSED
        return bar.elapsed_s / bar.n, bar.n


def says_more(bar: Bar) -> bool:
    """The clock is cut to whole seconds: does the rate say the same, and so more? That of a full bar is the mean of all its steps."""
    return bar.elapsed_s <= bar.n * (bar.seconds_each or 0.0) < bar.elapsed_s + 1


def _checked(newest_s: float, whole_s: float, smoothed_s: float, wrong_s: float) -> tuple[float, Witness]:
    """Whole seconds are coarse but true; where the two disagree, frames are missing or the rate is no tqdm's."""
    slack_s = 1.05 + (0.05 * smoothed_s if whole_s < COARSE else 0.0)
    if newest_s > 0.05 * smoothed_s and abs(newest_s - whole_s) <= slack_s:
        return newest_s, Witness.RATE
    if 0 < wrong_s <= _SURE * newest_s and abs(newest_s - whole_s) <= 1.05:  # a short step after a very long one
        return newest_s, Witness.RATE
    if whole_s >= 1:
        return whole_s, Witness.ELAPSED
    return (newest_s if 0.0 < newest_s < 1.0 else min(smoothed_s, 1.0)), Witness.RATE  # not a second has passed


_WINDOW_S = 10.0


class WindowClock(BarClock):
    """Elapsed seconds, over windows long enough for whole seconds: for bars whose rates say little."""

    def __init__(self) -> None:
        super().__init__()
        self._window: tuple[int, float] | None = None  # where it began

    def since_last_frame(self, bar: Bar) -> tuple[float | None, int]:
        """An epoch's bar starts at 0 s: the first window too, unless the run resumed in the middle of an epoch."""
        if self._window is None or bar.n < self._window[0]:
            whole = (
                bar.seconds_each is None or abs(bar.elapsed_s - bar.n * bar.seconds_each) <= 1 + bar.elapsed_s / 10
            )
            self._window = (0, 0.0) if whole else (bar.n, bar.elapsed_s)
        steps, seconds = bar.n - self._window[0], bar.elapsed_s - self._window[1]
        full = bar.n == bar.total
        if steps <= 0 or not (seconds >= _WINDOW_S or full):
            return None, 1
        whole, self._window = not self._window[0], (bar.n, bar.elapsed_s)
        # A bar that is full shows the mean of all its steps: more exact than the few whole seconds of a window's rest.
        mean_s = bar.seconds_each or 0.0
        rest = full and seconds < _WINDOW_S and abs(seconds - steps * mean_s) <= 1
        if not rest and not seconds:
            return None, 1
        by_rate = rest or (full and whole and says_more(bar))
        return (mean_s if by_rate else seconds / steps), steps
