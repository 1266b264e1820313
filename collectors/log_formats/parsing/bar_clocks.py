"""What the steps between two frames of a tqdm bar took.

The rate is no step's time: tqdm smooths it (0.3 of the newest update, 0.7 of what was), and the elapsed time is cut to
whole seconds. But both sums that it smooths can be followed from frame to frame: the steps' is known, so the seconds'
is the printed rate times it, and what the newest update added to it is the time of the newest steps (`BarClock`).
Until 4.56 tqdm smoothed otherwise (`_SmoothedOfOld`): the clock tells which. It is checked against the elapsed seconds. All that happens between two frames is in it: data, evaluation, checkpoint.

A rate has two digits behind its point, and what is got back of it may be wrong by several times its last one. Where that, or a frame
that is missing, leaves too little, the whole seconds of the bar's clock tell, which over one row are wrong by up to one.
"""

from __future__ import annotations

from collections import deque
from statistics import median
from typing import TYPE_CHECKING

from ....events import Witness
from .bars import unsure_s

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .bars import Bar

_SMOOTHING = 0.3  # tqdm's default

_SURE = 0.1
"""A time that is got back from two rates is no more wrong than this part of it, or of a second, for what their digits hide."""

_SECOND_S = 1.0  # the bar's clock may be wrong by that
_EARLY = 20  # frames of a bar in which its average tells how it is made: later on both ways say the same
_PROVEN = 4  # frames on end that one of the two ways fits alone: then other bars are made that way too
_SUM_S = 0.1  # by so much the digits of a few rates leave the sum of the steps' times unsure

_DRAWN_EACH_S = 0.1
"""tqdm draws no sooner: steps at the end of a bar that take less are drawn when it is closed, with the mean of all of them."""

_CLOSED_UNSURE = 0.3
"""The rest that the mean of a closed bar leaves its last steps is known to this part of what they can take at most."""

_FEW_TIMES = 5
_HIDDEN = 0.1  # of the usual time: digits that leave so much unsure make a slow row out of a usual one

COARSE = 20.0
"""Seconds of a bar's clock that say its time to 5 %."""

_SLOW_S, _DRIFT_S, _DRIFT, _KEPT = 1.5, 3.0, 0.05, 0.95
"""Of steps of so many seconds the bar's clock says more than rates whose times come to so many seconds more or less than it, and
to so much of it. The newest count for more: of thousands of frames each may be wrong by a little.

Such a rate is smoothed otherwise, `tqdm(smoothing=0.01)`: for hundreds of steps it tells of a stop that is long over.
"""

_AT_MOST_S = 2.0  # within one second of a bar, with its rounding


class Redrawn:
    """Tells of a bar that is drawn anew at each step (`set_postfix`), its rate only ten times a second.

    The steps of frames that show one second and one rate cannot take longer than that second, at that rate.
    """

    def __init__(self) -> None:
        self._first: Bar | None = None  # of those that show the same
        self._n: int | None = None

    def see(self, bar: Bar) -> bool:
        """Is the rate of `bar`, the next frame, an old one?

        A frame that counts no step shows the second in which it was drawn, and the rate of before; that of a full bar is a mean.
        """
        before, self._n = self._n, bar.n
        if bar.n == before or bar.full:
            return False
        first = self._first
        if (
            first is None
            or (bar.elapsed_s, bar.seconds_each) != (first.elapsed_s, first.seconds_each)
            or bar.n < first.n
        ):
            self._first = bar
            return False
        steps = bar.n - first.n
        return steps > 1 and steps * (bar.seconds_each or 0.0) > _AT_MOST_S


class _Smoothed:
    """The average that tqdm prints: of the steps, and of the seconds, 0.3 of the newest update and 0.7 of what was."""

    def __init__(self) -> None:
        self._steps = self._seconds = 0.0
        self.sum_s = self._wrong_s = 0.0
        self.fits = True

    def begin(self, seconds_each: float) -> None:
        """All steps until now took as long."""
        self._steps, self._seconds = 1.0, seconds_each

    def undo(self, seconds_each: float, steps: int) -> tuple[float, float]:
        """What the newest update took, and by how much that may be wrong."""
        before_steps, before_s = self._steps, self._seconds
        self._steps = _SMOOTHING * steps + (1 - _SMOOTHING) * before_steps
        self._seconds = self._steps * seconds_each
        wrong_s = self._steps * unsure_s(seconds_each)
        if before_steps:
            wrong_s += (1 - _SMOOTHING) * before_steps * unsure_s(before_s / before_steps)
        return self._told((self._seconds - (1 - _SMOOTHING) * before_s) / _SMOOTHING, wrong_s / _SMOOTHING)

    def _told(self, newest_s: float, wrong_s: float) -> tuple[float, float]:
        self.sum_s, self._wrong_s = self.sum_s + newest_s, wrong_s
        self.fits = self.fits and newest_s > -wrong_s
        return newest_s, wrong_s

    def check(self, elapsed_s: float) -> bool:
        """Does it fit the bar's clock, which is cut to whole seconds, until here?"""
        slack_s = _SUM_S + self._wrong_s
        self.fits = self.fits and elapsed_s - slack_s <= self.sum_s < elapsed_s + 1 + slack_s
        return self.fits


class _SmoothedOfOld(_Smoothed):
    """That of tqdm until 4.56: of the seconds a step, and the first update is all of it."""

    def undo(self, seconds_each: float, steps: int) -> tuple[float, float]:
        """What the newest update took, and by how much that may be wrong."""
        before_s = self._seconds if self._steps else seconds_each
        self._steps, self._seconds = 1.0, seconds_each
        newest_s = (seconds_each - (1 - _SMOOTHING) * before_s) / _SMOOTHING
        wrong_s = (unsure_s(seconds_each) + (1 - _SMOOTHING) * unsure_s(before_s)) / _SMOOTHING
        return self._told(newest_s * steps, wrong_s * steps)


class BarClock:
    """The times of the steps between frames of one bar, got back from its smoothed rate."""

    def __init__(self, *, of_old: bool = False) -> None:
        self.witness = Witness.RATE  # of the newest time
        self.of_old = of_old  # is it the average of tqdm before 4.57?
        self._n: int | None = None
        self._rate_s: float | None = None  # in the newest frame
        self._elapsed_s = 0.0
        self._newest: deque[float] = deque(maxlen=9)  # times of a step
        self._drift_s = self._late_s = 0.0  # the times of late, less what the bar's clock says; and that
        self._is_other = False  # ... so much that the rates of this bar are smoothed otherwise
        self._smoothed = (_Smoothed(), _SmoothedOfOld())
        self._is_old = of_old  # is this bar's, as far as it has come?
        self._alone = 0  # frames in which one of the two fits the clock alone
        self._early = 0  # frames that still tell; 0: the bar was not seen to begin
        self._is_whole = False  # has it been seen from its beginning, and no frame is missing?

    def anew(self) -> BarClock:
        """The clock of another bar of the same program."""
        return type(self)(of_old=self.of_old)

    def learn(self, bars: Iterable[Bar]) -> None:
        """How tqdm smooths, by frames of any bars, in their order."""
        clock, newest = BarClock(of_old=self.of_old), None
        for bar in bars:
            if newest is not None and (bar.total != newest.total or bar.n < newest.n):
                clock = BarClock(of_old=clock.of_old)
            if newest is None or bar.n != newest.n or not bar.n:
                clock.since_last_frame(bar)
            newest = bar
        self.of_old = clock.of_old

    def _is_drawn_again(self, bar: Bar, *, written: bool) -> bool:
        """Is a frame that moved on drawn with the rate of before? Its steps are in the next update, which holds them.

        Whoever writes a line above a bar draws it anew, and counts what was done in the tenth of a second since the update
        before. So they have to fit into that tenth. `written`: a line stands between both frames.
        """
        again, self._rate_s = bar.seconds_each == self._rate_s is not None, bar.seconds_each
        if not again or self._n is None or bar.n <= self._n:
            return False
        if not (written or bar.postfix):  # nobody had to draw it: an update whose rate has the same digits
            return False
        steps, each_s = bar.n - self._n, bar.seconds_each or 0.0
        if len(self._newest) < _FEW_TIMES and written:  # a first step that took long is in the rate for ten more
            return bar.elapsed_s - self._elapsed_s < _SECOND_S
        usual_s = min([each_s, *([median(self._newest)] if self._newest else [])])
        return steps * usual_s < _DRAWN_EACH_S * (2 if written else 1)  # a step may be shorter than the usual one

    def since_last_frame(self, bar: Bar, *, written: bool = False) -> tuple[float | None, int]:
        """Seconds a step, and over how many steps, since the last frame that moved on; `(None, 1)` where unknown.

        `(None, 0)`: a later frame holds these, too.
        """
        return (None, 0) if self._is_drawn_again(bar, written=written) else self._since_update(bar)

    def _since_update(self, bar: Bar) -> tuple[float | None, int]:
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
        if first:
            self._early, self._is_whole = _EARLY, True
        self._is_whole = self._is_whole and (steps == 1 or whole_s <= _AT_MOST_S)
        if bar.full or (steps > 1 and whole_s > _AT_MOST_S):  # a mean; frames are missing
            self._early = 0
        if bar.full and self._newest and whole_s <= 1 and _is_mean(bar):
            usual_s = median(self._newest)
            if 0 < steps * usual_s < _DRAWN_EACH_S:
                self.witness = Witness.RATE
                return usual_s, steps
            if (rest_s := self._rest_of_closed(bar)) is not None:
                self.witness = Witness.RATE
                return rest_s / steps, steps
        newest_s, wrong_s = self._undone(bar, bar.seconds_each, steps)
        newest_s = self._as_usual(newest_s, wrong_s, steps)
        seconds, self.witness = _checked(newest_s, whole_s, bar.seconds_each * steps, wrong_s)
        self._late_s = _KEPT * self._late_s + whole_s
        self._drift_s = _KEPT * self._drift_s + seconds - whole_s
        self._is_other = self._is_other or abs(self._drift_s) > max(_DRIFT_S, _DRIFT * self._late_s)
        if self._is_other and whole_s and bar.seconds_each >= _SLOW_S:
            seconds, self.witness = whole_s, Witness.ELAPSED
        self._newest.append(seconds / steps)
        return seconds / steps, steps

    def _undone(self, bar: Bar, seconds_each: float, steps: int) -> tuple[float, float]:
        """What the newest update added to the smoothed seconds, and by how much that may be wrong.

        Of the two averages that there are it is that one's whose steps take as long together as the bar's clock says.
        """
        if not self._early:
            return self._smoothed[self._is_old].undo(seconds_each, steps)
        self._early -= 1
        found = [one.undo(seconds_each, steps) for one in self._smoothed]
        of_new, of_old = (one.check(bar.elapsed_s) for one in self._smoothed)
        self._alone = self._alone + 1 if of_old != of_new else 0
        if self._alone:
            self._is_old = of_old
        if self._alone >= _PROVEN:
            self.of_old = of_old
        return found[self._is_old]

    def _as_usual(self, newest_s: float, wrong_s: float, steps: int) -> float:
        """The usual time, where the digits cannot tell the newest from it: so it is of short steps behind a long stop."""
        if len(self._newest) < _FEW_TIMES:
            return newest_s
        usual_s = steps * median(self._newest)
        hidden = wrong_s > _HIDDEN * usual_s and abs(newest_s - usual_s) <= wrong_s
        return usual_s if hidden else newest_s

    def _begin(self, bar: Bar) -> None:
        """A bar that has counted nothing, or nothing here, began at 0: until its first step is counted it may be drawn anew."""
        began = bar.n == 0 or bar.seconds_each is None
        self._n, self._elapsed_s = bar.n, 0.0 if began else bar.elapsed_s
        self._newest.clear()
        self._drift_s, self._late_s, self._is_other = 0.0, 0.0, False
        self._smoothed, self._early = (_Smoothed(), _SmoothedOfOld()), _EARLY if began else 0
        self._is_old, self._alone, self._is_whole = self.of_old, 0, began

    def _rest_of_closed(self, bar: Bar) -> float | None:
        """What the mean of a closed bar leaves its last steps: a last batch of a few samples takes no full step's time.

        Had they taken longer than tqdm waits between two frames, it would have drawn them before it was closed.
        """
        each_s = bar.seconds_each or 0.0
        rest_s, wrong_s = bar.n * each_s - self._smoothed[self._is_old].sum_s, bar.n * unsure_s(each_s)
        sure = self._is_whole and wrong_s <= _CLOSED_UNSURE * _DRAWN_EACH_S
        return max(rest_s, wrong_s / 2) if sure and -wrong_s < rest_s < _DRAWN_EACH_S else None

    def _first_seen(self, bar: Bar) -> tuple[float | None, int]:
        """A bar that we see in its middle, or only at its end: its rate had always been like this, for all we know."""
        each_s = bar.seconds_each or 0.0
        for one in self._smoothed:
            one.begin(each_s)
        if (bar.full or bar.elapsed_s < COARSE) and bar.says_more:
            self.witness = Witness.RATE
            return each_s, bar.n
        if bar.elapsed_s < 1 or abs(bar.elapsed_s - bar.n * each_s) > 1 + 0.2 * bar.elapsed_s:
            return None, 1  # it did not begin at 0
        self.witness = Witness.ELAPSED
        return bar.elapsed_s / bar.n, bar.n


def _is_mean(bar: Bar) -> bool:
    """Is the rate of a full bar the mean of all its steps, as far as its digits tell?"""
    each_s = bar.seconds_each or 0.0
    wrong_s = bar.n * unsure_s(each_s)
    return bar.elapsed_s - wrong_s <= bar.n * each_s < bar.elapsed_s + 1 + wrong_s


def _checked(newest_s: float, whole_s: float, smoothed_s: float, wrong_s: float) -> tuple[float, Witness]:
    """Whole seconds are coarse but true; where the two disagree, frames are missing or the rate is no tqdm's."""
    slack_s = 1.05 + (0.05 * smoothed_s if whole_s < COARSE else 0.0)
    if newest_s > 0.05 * smoothed_s and abs(newest_s - whole_s) <= slack_s:
        return newest_s, Witness.RATE
    # A short step after a very long one: its own rate says it far better than a second that happens to end within it.
    sure = 0 < wrong_s <= _SURE * max(newest_s, _SECOND_S) and newest_s > -wrong_s
    if sure and abs(newest_s - whole_s) <= 1.05:
        return max(newest_s, wrong_s / 2), Witness.RATE
    if whole_s >= 1:
        return whole_s, Witness.ELAPSED
    return (newest_s if 0.0 < newest_s < 1.0 else min(smoothed_s, 1.0)), Witness.RATE  # not a second has passed


_WINDOW_S = 10.0
_FEW_STEPS, _MOST_S = 0.05, 0.5


def _ends_with_a_stop(bar: Bar, drawn: tuple[int, float]) -> bool:
    """Passed most of a full bar's time behind the last few steps of it? Then its mean is no step's time."""
    steps, seconds = bar.n - drawn[0], bar.elapsed_s - drawn[1] - 1  # by whole seconds, at least
    return 0 < steps <= _FEW_STEPS * bar.n and seconds > _MOST_S * bar.elapsed_s


class WindowClock(BarClock):
    """Elapsed seconds, over windows long enough for whole seconds: for bars whose rates say little."""

    def __init__(self, *, of_old: bool = False) -> None:
        super().__init__(of_old=of_old)
        self._window: tuple[int, float] | None = None  # where it began
        self._drawn = (0, 0.0)  # the newest frame

    def since_last_frame(self, bar: Bar, *, written: bool = False) -> tuple[float | None, int]:  # noqa: ARG002
        """An epoch's bar starts at 0 s: the first window too, unless the run resumed in the middle of an epoch."""
        if self._window is None or bar.n < self._window[0]:
            whole = (
                bar.seconds_each is None or abs(bar.elapsed_s - bar.n * bar.seconds_each) <= 1 + bar.elapsed_s / 10
            )
            self._window = (0, 0.0) if whole else (bar.n, bar.elapsed_s)
        steps, seconds = bar.n - self._window[0], bar.elapsed_s - self._window[1]
        full = bar.n == bar.total
        drawn, self._drawn = self._drawn, (bar.n, bar.elapsed_s)
        if steps <= 0 or not (seconds >= _WINDOW_S or full):
            return None, 1
        whole, self._window = not self._window[0], (bar.n, bar.elapsed_s)
        if full and whole and _ends_with_a_stop(bar, drawn):
            return None, 1
        # A bar that is full shows the mean of all its steps: more exact than the few whole seconds of a window's rest.
        mean_s = bar.seconds_each or 0.0
        rest = full and seconds < _WINDOW_S and abs(seconds - steps * mean_s) <= 1
        if not rest and not seconds:
            return None, 1
        by_rate = rest or (full and whole and bar.says_more)
        return (mean_s if by_rate else seconds / steps), steps

    def until(self, bar: Bar) -> tuple[float, int] | None:
        """The same of the newest frame of a bar that broke off in its first window, where its rate is the mean so far."""
        begins = self._window == (0, 0.0) and bar.n > 0 and bar.elapsed_s >= 1
        return (bar.seconds_each, bar.n) if begins and bar.seconds_each and bar.says_more else None
