"""The normal iteration: a robust level that follows lasting changes, and the limit above which one is slow."""

from __future__ import annotations

from collections import deque
from itertools import accumulate, pairwise
from math import copysign, inf
from statistics import fmean, median
from typing import TYPE_CHECKING

from ..medians import median_of_ordered
from ..ticks import last_digit, turning_digit

if TYPE_CHECKING:
    from collections.abc import Sequence

WINDOW = 64
"""Normal iterations that the level rests on."""

VARYING, WIDE = 0.15, 256
"""... or the newest `WIDE`, where they differ by so much, as games do: the median of 64 is known to 2 to 6 %."""

RENEW = 32
"""... and after how many new ones it is measured again: always by their number, never by the clock."""

BLOCKS = 16
"""Means of `RENEW` iterations kept for the ETA: about 500 iterations, enough to see a trend."""

FEW = 12
"""With fewer samples than this the limit is a wide guess."""

LEAST_SPREAD = 0.005
"""The noise that every clock has: without this floor a very regular run would be all spikes."""

# The sum of deviations (CUSUM), in units of the spread: it forgets DRIFT an iteration; at ALARM somebody looks,
# in pure noise every ten thousand iterations or so.
DRIFT, ALARM, CLIP = 0.5, 10.0, 4.0

COARSE = 0.05
"""A last digit that is worth a larger share of the time than this decides over its median."""

VERIFY = 10
"""Iterations that a change of level rests on at least."""

SURE = 5.2
"""Standard errors to a new level: as its place is chosen, by chance three times in 1,000,000 iterations."""

LEAST_CHANGE = 0.05
"""A smaller change of level is no news."""


ROUNDED_BY = 1.5
"""Last digits by which levels may differ that lie near the border of two."""

_LOWER, _UPPER = WINDOW // 4, 3 * WINDOW // 4


class Baseline:
    """Level, spread and limit of the iterations nothing slowed: of the newest `WINDOW`, or `WIDE`."""

    def __init__(self, normal: Sequence[float]) -> None:
        self.window = list(normal[-WIDE:])  # the newest, oldest first; the newest few of a list are had at once
        self._first_look = len(self.window)  # of it: from the first look, and they will be taken once more
        self.block_means: deque[float] = deque(maxlen=BLOCKS)
        self.steps: deque[float] = deque(
            maxlen=BLOCKS
        )  # from one of them to the next, relative; kept over changes
        self.spread = 0.0
        self._begun_anew = False  # with the few since a change of level?
        self.measure()

    def measure(self) -> None:
        """Level, spread and limit from the window as it is. The spread is smoothed: 64 samples tell it to 14 %."""
        ordered, digit = sorted(self.window[-WINDOW:]), 0.0
        if len(ordered) == WINDOW and 0 < (width := ordered[_UPPER] - ordered[_LOWER]) < COARSE * ordered[_LOWER]:
            # As mostly, every 32 iterations: both functions below would say this, in twice the time.
            self.reach, self.level = WINDOW, median_of_ordered(ordered)
            self.jitter = width / 1.349 / self.level
        else:
            ordered, digit = self._measured()
        level = self.level
        fresh = max(LEAST_SPREAD, self.jitter)
        self.spread = 0.875 * self.spread + 0.125 * fresh if self.spread else fresh
        self.limit = max(level * self._factor(len(ordered)), level + 1.5 * digit)
        self._unit_s = self.spread * level
        self.room = RENEW
        self.rising = self.falling = 0.0

    def _measured(self) -> tuple[list[float], float]:
        """Set level and jitter: of how many, ascending; and the last digit where it decides over the level."""
        for self.reach in (WINDOW, WIDE):
            ordered = sorted(self.newest())
            self.level, digit = _level(ordered)
            self.jitter = _deviation(ordered, self.level) / self.level
            if self.jitter <= VARYING or len(self.window) <= WINDOW:
                break
        return ordered, digit

    def newest(self) -> list[float]:
        """The durations that the level rests on, oldest first."""
        return self.window[-self.reach :]

    def _factor(self, count: int) -> float:
        wide = 1 + 8 * self.spread
        sure = max(1.25, wide) if self.spread > 0.03 else 1.2
        if count >= FEW:
            return sure
        # Behind a change of level it is known from the times before how much they differ.
        known = max(sure, 1 + 8 * self.jitter) if self._begun_anew else inf
        return min(max(1.5, wide), known)

    @property
    def mean(self) -> float:
        """The mean of normal iterations: for sums over many of them, which the median misses by the skew."""
        return fmean(self.block_means or self.newest())

    @property
    def alarmed(self) -> bool:
        """Has the level moved, perhaps?"""
        return self.rising > ALARM or self.falling > ALARM

    def take(self, durations: Sequence[float]) -> int:
        """Take in durations up to the first that is slow or unknown, or to an alarm: how many."""
        taken, count = 0, len(durations)
        while taken < count:
            part = durations[taken : taken + max(1, self.room)]  # behind it all is measured anew
            normal = self._sum_up(part)
            taken += normal
            whole = normal == len(part)
            self._keep(part if whole else part[:normal])
            if self.alarmed or not whole:
                break
        return taken

    def _sum_up(self, durations: Sequence[float]) -> int:
        """Add up how far they are off, up to the first that is slow or unknown, or to an alarm: of how many.

        The one loop of Python that each iteration of a run goes through: 0.08 µs, in seconds, not in units of the
        spread. Sums of prefixes by `itertools` take twice as long.
        """
        unit_s, limit = self._unit_s, self.limit
        lowest, highest = self.level - CLIP * unit_s, self.level + CLIP * unit_s  # which is below the limit
        below, above = self.level - DRIFT * unit_s, self.level + DRIFT * unit_s
        rising, falling, alarm = self.rising * unit_s, self.falling * unit_s, ALARM * unit_s
        taken = len(durations)
        for position, d in enumerate(durations):
            if lowest < d < highest:
                clipped = d
            elif d <= limit:
                clipped = lowest if d <= lowest else highest
            else:  # slow or nan
                taken = position
                break
            rising += clipped - above
            falling += below - clipped
            if falling < 0.0:  # noqa: PLR1730 - a call of `max` would take as long as all the rest
                falling = 0.0
            if rising < 0.0:
                rising = 0.0
            elif rising > alarm:  # a sum that was just cut off is none
                taken = position + 1
                break
            if falling > alarm:
                taken = position + 1
                break
        self.rising, self.falling = rising / unit_s, falling / unit_s
        return taken

    def _keep(self, normal: Sequence[float]) -> None:
        if self._first_look:  # no iteration counts twice
            again = min(self._first_look, len(normal))
            del self.window[:again]
            self._first_look -= again
        self.window += normal
        del self.window[:-WIDE]
        self.room -= len(normal)
        if self.room <= 0 and not self.alarmed:
            newest = self.window[-RENEW:]
            mean = sum(newest) / len(newest)
            if self.block_means:
                self.steps.append(mean / self.block_means[-1] - 1)
            self.block_means.append(mean)
            rising, falling = self.rising, self.falling
            self.measure()
            self.rising, self.falling = rising, falling

    def slow(self) -> None:
        """One slow iteration more: several of them near each other are an alarm, too."""
        self.rising += CLIP - DRIFT
        self.falling = max(0.0, self.falling - CLIP - DRIFT)

    def calm(self, since: Sequence[float]) -> None:
        """The alarm was none: what was looked at one by one `since` then and was not slow is normal."""
        self._keep(since)
        self.measure()

    def shifted(self, recent: Sequence[float]) -> tuple[int, float] | None:
        """How many of `recent` (the newest, oldest first) are at a new level, and which; `None` if none are.

        The likelihood of a level of their own is greatest where the change was (GLR). Their mean, with what is
        slow cut to the limit, must be 5 % and `SURE` standard errors away from that of the newest blocks, their
        median and their last five nearly as far: a few stalls in a row are not lasting.
        """
        count, ratio = self._likeliest(recent)
        if count < VERIFY or ratio < SURE:
            return None
        usual, after = self.mean, recent[-count:]
        now = median(after)
        if abs(now - usual) < ROUNDED_BY * turning_digit(self.window):
            return None  # 13 and 14 s came by turns before: how much faster one is within its digit nobody knows
        residuals = [abs(d - now) for d in after] + [abs(d - usual) for d in recent[:-count]]
        # More noise than before is no change of level either; that of 64 is known to 14 %.
        spread = max(self.spread, 0.9 * 1.4826 * median(residuals) / usual)
        least = max(LEAST_CHANGE, SURE * spread / count**0.5)
        change = fmean([min(d, self.limit) if now <= self.limit else d for d in after]) / usual - 1
        others = (now / usual - 1, median(after[-5:]) / usual - 1)
        lasting = abs(change) >= least and all(change * o > 0 and abs(o) >= 0.6 * least for o in others)
        since = after[_late(after, usual, now) :]
        return (len(since), median(since)) if lasting and len(since) >= VERIFY else None

    def _likeliest(self, recent: Sequence[float]) -> tuple[int, float]:
        """Of the newest 1, 2, 3 ... those whose mean is most standard errors away: their number, and how many."""
        usual = self.mean
        far_s = CLIP * self.spread * usual
        deviations = [
            off if -far_s < (off := d - usual) < far_s else copysign(far_s, off) for d in reversed(recent)
        ]
        ratios = [total * total / number for number, total in enumerate(accumulate(deviations), 1)]
        best = max(ratios)
        return ratios.index(best) + 1, best**0.5 / (self.spread * usual)

    def rebase(self, after: Sequence[float]) -> None:
        """Begin anew with the iterations since a change of level; too few for a spread of their own."""
        self.window = list(after[-WIDE:])
        self._first_look, self._begun_anew = 0, True
        self.block_means.clear()
        self.measure()
        self.room = RENEW // 2  # the sooner the fewer they were


def _late(after: Sequence[float], usual_s: float, now_s: float) -> int:
    """How many of the first of `after` still fit the level before: the border lies where the values jump.

    What is far off is cut where its likelihood is weighed: then a little off counts as much.
    """
    return next((late for late, d in enumerate(after) if abs(d - now_s) <= abs(d - usual_s)), 0)


def _level(ordered: Sequence[float]) -> tuple[float, float]:
    """What is usual, and what the last printed digit is worth where that is much: else 0.

    Times of 35 ms that are printed as 0.03 and 0.04 have either as their median, and their mean between them.
    """
    level, count = median_of_ordered(ordered), len(ordered)
    most = count // 4
    # Two differ by less than a digit that matters: mostly so, and 2 µs less than to look at all of them.
    if count < FEW or 0 < ordered[3 * most] - ordered[most] < COARSE * level:
        return level, 0.0
    if len(set(ordered[::3])) > most:  # a third of them shows that they are more
        return level, 0.0
    different = set(ordered)
    if not 1 < len(different) <= most:
        return level, 0.0
    digit = min(after - before for before, after in pairwise(sorted(different)))
    if digit < COARSE * level:
        return level, 0.0
    near = [one for one in ordered if abs(one - level) < 1.5 * digit]
    if len(near) - near.count(level) < count // 8:  # hardly one has another digit
        return level, 0.0
    return fmean(near), digit


def _deviation(ordered: Sequence[float], level: float) -> float:
    """The standard deviation that the middle half speaks of.

    Of a full window, from which the slow ones are out, by its quartiles: half the price of the median of the
    deviations, which of few samples stands firmer.
    """
    count = len(ordered)
    if count >= WINDOW:
        return (ordered[3 * count // 4] - ordered[count // 4]) / 1.349
    return 1.4826 * median_of_ordered(sorted([abs(d - level) for d in ordered]))


def begin(durations: Sequence[float], warmup: int) -> Baseline:
    """A baseline from a run's first iterations, of which the first `warmup` are not normal."""
    settled = durations[warmup:] or durations
    level = median(settled)
    deviation = median([abs(d - level) for d in settled])
    digit_s = last_digit(settled, settled[0])
    limit = level + max(0.2 * level, 6 * 1.4826 * deviation, 1.5 * digit_s)
    return Baseline([d for d in settled if d <= limit])
