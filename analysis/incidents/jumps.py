"""A loss that jumps far above its noise and stays there, or leaves its best and grows on.

Six standard deviations over 128 losses at least, as OLMo-core's stability monitor has it, or a quarter more where
the losses are noisy; and persistence, for a spike that recovers is none. Losses of one process are compared, in
the order in which they were printed; what is decided of them once stays, so a run that is replayed has the same
incidents.
"""

from __future__ import annotations

from collections import deque
from math import exp, inf, log, log2, sqrt
from operator import mul
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from ..outlook.loss_levels import level_of

if TYPE_CHECKING:
    from collections.abc import Sequence

NEAR, STEP = 8, 0.5
"""Losses on both sides of a jump, which differ by so much of its height at least: else the loss grew to there."""

CHUNK = 64
"""Losses that are looked at together."""

REFERENCE = 4
"""Chunks whose noise says what is usual, ..."""

FEWEST = 2
"""... and so many at least."""

SIGMAS = 6.0

NOISY_SIGMAS, NOISY_RISEN = 2.25, 0.25
"""... or, of `REFERENCE` chunks, so many where that is more than this share of the usual loss: by chance three in
four of 64 losses are never so far above, and a level that rose by a quarter is no noise."""

RISEN, WON = 0.05, 0.04
"""Of the usual loss at least: of a loss that hardly moves any noise is many standard deviations. And of what was
won since the beginning: 0.01 that becomes 0.02 is no matter in a run that began at 7, 0.65 that becomes 1.1 in
one that began at 10 is."""

STILL = 0.75
"""Of the losses after a jump, to be above."""

LOSING = 0.85
"""Of the height of a jump: one that falls below it is on its way back."""

BACK = 0.3
"""Of the height of a jump: one that has fallen so far is over."""

FALLS, MOST_FALL = 0.75, 0.5
"""A loss that falls goes on to fall after a jump, and is no spike for that: so much of the newest fall from chunk
to chunk, as a power, for falls get slower; and at most to half in a chunk."""

LONGEST, HALF = 512, 0.5
"""Losses for which a spike may be on its way back, and of its height what must be gone by then."""

ERRORS = 2.5
"""Standard errors of both medians by which a chunk's lies above the lowest: several in a row do, where it grew."""

GROWN, REGAINED = 2.0, 0.5
"""Of a loss that grows slowly: times its best level, and of what was won since the beginning lost again."""

CREPT_UP = 1.5
"""... where it has grown far above what was usual a moment ago."""

GROWS, MOST_GROWS = 3.0, 2.0
"""Doublings of the best level, by chunks in a row: three that are at twice of it, or two at nearly three times.
One chunk alone proves nothing."""

FEWEST_WAVES, WAVE = 3, 1.5
"""So many jumps that come back are how this loss goes; one so many times as high is another."""

_PIECE = 4_096
"""Losses that are taken in at once: what is done with is cut off in front, which costs as much as what stays."""


class Jump(NamedTuple):
    """At which position it began, or had grown so far, and at which the loss was back (`None`: it is not)."""

    first: int
    before: float
    after: float
    deviation: float
    back: int | None = None
    grew: bool = False
    low_at: int | None = None  # of one that grew: the position up to which its lowest median is


class Level(NamedTuple):
    """What is usual: the mean loss, its noise, what is far above, and a loss as a share of the last."""

    mean: float
    deviation: float
    limit: float
    fall: float = 1.0


class Jumps:
    """Goes through the losses of one process, once."""

    def __init__(self) -> None:
        self.found: list[Jump] = []
        self._losses: list[float] = []  # those that are not gone through,
        self._at: list[int] = []  # ... and their positions
        self._usual: deque[tuple[int, float, float]] = deque(maxlen=REFERENCE)  # count, mean, squares
        self._level: Level | None = None
        self._first: float | None = None
        self._newest: list[float] = []  # usual ones
        self._best: float | None = None  # the lowest median of a chunk
        self._best_at: int | None = None  # the position of the chunk's last loss
        self._error = 0.0  # its standard error
        self._grown = 0.0  # doublings, of chunks in a row

    def add(self, losses: Sequence[float], at: Sequence[int]) -> None:
        """Go on with `losses`, which are numbers, at the positions `at`."""
        for start in range(0, len(losses), _PIECE):
            self._losses += losses[start : start + _PIECE]
            self._at += at[start : start + _PIECE]
            self._take_in()

    @property
    def told(self) -> list[Jump]:
        """Those found; none of a loss that goes up and down, but for a last one that is far higher."""
        if len(self.found) < FEWEST_WAVES:
            return self.found
        heights = [one.after - one.before for one in self.found]
        newest = self.found[-1]
        rises = newest.back is None and heights[-1] > WAVE * max(heights[:-1])
        return [newest] if rises else []

    def _take_in(self) -> None:
        while len(self._losses) >= CHUNK:
            taken = self._follow() if self._is_in_one else self._look()
            if not taken:
                break
            del self._losses[:taken], self._at[:taken]

    @property
    def _is_in_one(self) -> bool:
        return bool(self.found) and self.found[-1].back is None

    def _look(self) -> int:
        """How many losses were gone through; 0: what comes after them has to decide."""
        chunk, usual = self._losses[:CHUNK], self._level
        if usual is not None and max(chunk) > usual.limit:
            place = next(n for n, loss in enumerate(chunk) if loss > usual.limit)
            length, stays = self._stays(place, usual)
            if stays is None:
                return 0
            risen = self._risen(place, length, usual) if stays else None
            if risen is not None and not (risen.grew and risen.after < self._far_above(risen.before, CREPT_UP)):
                self.found.append(risen)
            else:
                most = usual.limit if risen is None else inf
                self._take([loss for loss in self._losses[: place + length] if loss <= most])
                self._watch_growth(self._losses[: place + length], self._at)
            return place + length
        self._take(chunk)
        self._watch_growth(chunk, self._at)
        return CHUNK

    def _risen(self, place: int, length: int, usual: Level) -> Jump:
        """What stays above: where it did not get there from one loss to the next, it grew."""
        after = median(self._losses[place : place + length])
        for at in {place: None, self._half_way(place, length, usual.mean, after): None}:
            around = (self._newest + self._losses[:at])[-NEAR:], self._losses[at : at + NEAR]
            step = median(around[1]) - median(around[0]) if around[0] else inf
            if self._best is None or step >= STEP * (after - usual.mean):
                # Where losses fall steeply, and few have come, their mean lies far above those before the jump.
                before = min(usual.mean, median(around[0])) if around[0] else usual.mean
                return Jump(self._at[at], before, after, usual.deviation)
        best = usual.mean if self._best is None else self._best
        return Jump(self._at[place + length - 1], best, after, 0.0, grew=True, low_at=self._best_at)

    def _half_way(self, place: int, length: int, before: float, after: float) -> int:
        """Where the loss has first come half of its way: one a little high may stand long before a jump."""
        middle = (before + after) / 2
        return next((n for n in range(place, place + length) if self._losses[n] >= middle), place)

    def _stays(self, place: int, usual: Level) -> tuple[int, bool | None]:
        """Of how many losses it is decided whether the jump at `place` stays; `None`: too few have come."""
        length = CHUNK
        while True:
            seen = self._losses[place : place + length]
            if len(seen) < length:
                return 0, None
            if usual.fall < 1:
                seen = [loss / usual.fall**since for since, loss in enumerate(seen)]
            quarter = length // 4
            heights = [median(seen[n : n + quarter]) - usual.mean for n in range(0, length, quarter)]
            above = sum(1 for loss in seen if loss > usual.limit)
            if usual.mean + heights[-1] <= usual.limit or above < STILL * length:
                return length, False
            if heights[-1] >= LOSING * max(heights):
                return length, True
            if length >= LONGEST:
                return length, heights[-1] >= HALF * max(heights)
            length *= 2

    def _follow(self) -> int:
        """Is the loss back?"""
        jump, chunk = self.found[-1], self._losses[:CHUNK]
        least = jump.before + BACK * (jump.after - jump.before)
        if median(chunk) <= least:
            back = next(at for at, loss in zip(self._at, chunk, strict=False) if loss <= least)
            self.found[-1] = jump._replace(back=back)
            self._grown = 0.0
            self._usual.clear()  # what was usual before it is not what the next one jumps from
            self._level, self._newest = None, []
        return CHUNK

    def begin_anew(self, *, of_losses: bool = False) -> None:
        """The loss is back, but not where it was, or is another mean from now on: what is usual has to be seen.

        `of_losses`: so do those that were not gone through.
        """
        if of_losses and not self._is_in_one:
            self._losses, self._at = [], []
        self._usual.clear()
        self._level = self._best = self._best_at = None
        self._newest = []

    def _take(self, losses: list[float]) -> None:
        """`losses` are usual ones."""
        if not losses:
            return
        self._newest = losses[-NEAR:]
        mean = sum(losses) / len(losses)
        self._usual.append((len(losses), mean, _squares(losses, mean)))
        if self._first is None:
            self._first = mean
        if len(self._usual) >= FEWEST:
            self._level = _level(self._usual, self._first)

    def _far_above(self, best: float, grown: float = GROWN) -> float:
        """What a loss that grew has to be at least: harder data make one a little higher."""
        return max(grown * best, best + REGAINED * ((self._first or best) - best))

    def _watch_growth(self, losses: list[float], at: list[int]) -> None:
        """A loss that grows slowly is never far above what was usual a moment ago; a noisy one is at times."""
        for start in range(0, len(losses) - CHUNK + 1, CHUNK):
            level, error = level_of(losses[start : start + CHUNK])
            if self._best is None or level < self._best:
                self._best, self._error, self._grown = level, error, 0.0
                self._best_at = at[start + CHUNK - 1]
                continue
            best = self._best
            chance = ERRORS * (self._error + error)  # the lowest of many medians is low by chance, too
            if best <= 0 or level < max(best + chance, self._far_above(best)):
                self._grown = 0.0
                continue
            self._grown += min(MOST_GROWS, log2(level / best))
            if self._grown >= GROWS:
                end = at[start + CHUNK - 1]
                self.found.append(Jump(end, best, level, 0.0, grew=True, low_at=self._best_at))
                return


def _squares(losses: list[float], mean: float) -> float:
    """The sum of the squares by which `losses` differ from a line through them: a fall is no noise."""
    middle = (len(losses) - 1) / 2
    away = [place - middle for place in range(len(losses))]
    spread = sum(map(mul, away, away))
    slope = sum(map(mul, away, losses)) / spread if spread else 0.0
    left: float = sum(map(mul, losses, losses)) - len(losses) * mean * mean - slope * slope * spread
    return max(0.0, left)


def _level(usual: Sequence[tuple[int, float, float]], first: float) -> Level:
    """What is usual after these chunks, of a process whose first losses were `first`."""
    before, newest = usual[-2][1], usual[-1][1]
    mean = max(before, newest)
    deviation = sqrt(sum(squares for *_, squares in usual) / sum(count for count, *_ in usual))
    noise = SIGMAS * deviation
    if len(usual) == REFERENCE:
        noise = min(noise, max(NOISY_SIGMAS * deviation, NOISY_RISEN * abs(mean)))
    limit = mean + max(noise, RISEN * abs(mean), WON * (first - mean))
    share = max(MOST_FALL, newest / before) if 0 < newest < before else 1.0
    return Level(mean, deviation, limit, exp(log(share) * FALLS / CHUNK))
