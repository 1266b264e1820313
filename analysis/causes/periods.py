"""What returns: cadences in slow iterations that no line and no hook explains."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from math import gcd
from statistics import median, mode
from typing import TYPE_CHECKING

import msgspec

from ...events import CHECKPOINT, EVALUATION, EVALUATION_AND_CHECKPOINT, UNEXPLAINED, Strength
from ...words import plural
from ..findings import Cause

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ...events import Config

NEWEST = 256
"""Slow iterations looked at: a cadence that is not in these has ended."""

ROWS = 20
"""A period of so many rows is told by them to a twentieth."""

_NEIGHBOURS = 8  # among so many spikes that follow is the next of its cadence
_LEAST, _SHARE = 3, 0.8  # members of a cadence; share of its iterations that must be slow
_MOST_CHECKED = 512  # of its iterations, the newest
_BY_CHANCE = 0.005  # how many such cadences chance may be expected to make; it is asked often
_MOST = 2 / 3  # of those that cost as much lie on it
_ALIKE = 2.5  # times the usual cost of its members, or that part of it
_NARROW = 4  # a stop shows in the next line: where that is a larger part of the interval, chance hits it
_FRACTIONS = (2, 3, 4, 5)
_EVENLY = 50  # a part of an interval is like another to so much of it
_FEW = 16  # iterations: of a shorter interval any other slow one seems to divide it
_LARGE = 4.0  # times the median excess: stops stand out among small stalls

Slow = tuple[int, float]
"""A slow iteration: its index, and the seconds it took more than a normal one."""


class Period(msgspec.Struct, frozen=True, gc=False):
    """Every `interval` iterations, `offset` past its multiples, something stops the training.

    What it is, the timings cannot say. `width` is 1 where every iteration is printed; else a stop shows in the
    next line, up to so much later.
    """

    interval: int
    offset: int
    width: int = 1

    def has(self, index: int) -> bool:
        """Is iteration `index` one of it?"""
        return (index - self.offset) % self.interval < self.width

    def is_soon_after(self, index: int) -> bool:
        """Is iteration `index` hardly later than one of it? A stop may slow several."""
        return (index - self.offset) % self.interval < self.width + self.interval // 50

    def is_between(self, after: int, last: int) -> bool:
        """Does it come after iteration `after`, up to and with `last`?"""
        return (last - self.offset) // self.interval > (after - self.offset) // self.interval


class SeenIterations(msgspec.Struct, frozen=True, gc=False):
    """The iterations of one process that were seen: `indices` from `start` to before `stop`, ascending."""

    indices: Sequence[int]
    start: int
    stop: int

    @property
    def step(self) -> int:
        """From one line to the next, usually."""
        newest = self.indices[max(self.start, self.stop - 65) : self.stop]
        return max(1, mode(b - a for a, b in pairwise(newest))) if len(newest) > 1 else 1

    def place(self, index: int) -> int:
        """The position of iteration `index`, or of the next one that was seen."""
        return bisect_left(self.indices, index, self.start, self.stop)

    def any(self, first: int, width: int) -> bool:
        """Was one of the `width` iterations from `first` on seen?"""
        place = self.place(first)
        return place < self.stop and self.indices[place] < first + width


def suspicion(
    periods: Sequence[Period], place: tuple[int, int], config: Config, reported: Collection[str] = ()
) -> Cause | None:
    """What the cadences say of an iteration: the rarest one that it lies on. Its seconds are to be filled in.

    A cadence has a name only where the settings give its interval to something. `reported` are the kinds that the
    source itself reports: what it does not report is none of them. `place` is its index, and how many iterations
    its time is the mean of: in which of them it was nobody knows, so that a short period may be a part of the true
    one, or several. It is told where it is the epoch's length, or spans `ROWS` such rows.
    """
    index, over = place
    on = [p for p in periods if p.has(index)]
    if not on:
        return None
    rarest = max(on, key=lambda p: p.interval)
    if over > 1 and rarest.interval < ROWS * over and rarest.interval not in _intervals(config):
        return None
    every = f"every {plural(rarest.interval, 'iteration')}"
    if rarest.interval == config.iterations_per_epoch:
        every = f"once in each epoch, {every}"
    intervals = {p.interval for p in on}
    named = {
        kind: name
        for kind, name in ((EVALUATION, "evaluation_interval"), (CHECKPOINT, "checkpoint_interval"))
        if kind not in reported and getattr(config, name) in intervals
    }
    if not named or all(getattr(config, name) != rarest.interval for name in named.values()):
        return Cause(UNEXPLAINED, 0.0, Strength.PERIOD, f"{every}, cause unknown")
    kind = EVALUATION_AND_CHECKPOINT if len(named) == 2 else next(iter(named))
    evidence = f"{every}, as the settings say ({', '.join(named.values())})"
    return Cause(kind, 0.0, Strength.PERIOD, evidence)


def _intervals(config: Config) -> tuple[int | None, ...]:
    return config.iterations_per_epoch, config.evaluation_interval, config.checkpoint_interval


def find(slow: Sequence[Slow], seen: SeenIterations) -> tuple[Period, ...]:
    """The cadences in `slow`, unexplained slow iterations, oldest first.

    `seen` are the iterations that were seen: what was never printed cannot be slow. A cadence needs three
    members of like cost, 80 % of its printed iterations, and must not be likely by chance. Where every n-th
    member of a cadence costs more than the others, that n-th is a cadence of its own. One on which, with the
    others, few of those of like cost lie explains nothing: then there is none.
    """
    left = list(slow[-NEWEST:])
    found: list[Period] = []
    while len(left) >= _LEAST and len(found) < 3:
        large = [s for s in left if s[1] >= _LARGE * median([seconds for _, seconds in left])]
        best = _best(large, seen) or _best(left, seen)
        if best is None:
            break
        members = [s for s in left if best.has(s[0])]
        left = [s for s in left if not best.has(s[0])]
        found.append(best)
        dearer = _dearer(members, best)
        if dearer is not None:
            found.append(Period(*dearer, best.width))
    found = _in_one(found, slow[-NEWEST:], seen)
    newest = slow[-NEWEST:]
    return tuple(p for p in found if _explains(p, found, newest) and not _is_a_multiple(p, found, newest))


def _in_one(found: list[Period], slow: Sequence[Slow], seen: SeenIterations) -> list[Period]:
    """Of parts of one cadence, each of which was found by itself, the whole: every 88, and every 176 from 44."""
    if len(found) < 2 or any(period.width > 1 for period in found):
        return found
    offset = found[0].offset
    interval = gcd(*(p.interval for p in found), *(p.offset - offset for p in found))
    whole = Period(interval, offset % interval)
    on = _alike([one for one in slow if any(period.has(one[0]) for period in found)])
    if not 2 * seen.step <= interval < min(p.interval for p in found) or not on:
        return found
    starts = range(on[0] - (on[0] - whole.offset) % interval, on[-1] + 1, interval)
    possible = sum(1 for start in starts if seen.any(start, 1))
    slow_ones = sum(1 for index, _ in slow if on[0] <= index <= on[-1] and whole.has(index))
    return [whole] if slow_ones >= _SHARE * possible else found


def _alike(slow: Sequence[Slow]) -> list[int]:
    """The indices of those that cost about what most do."""
    usual = median([seconds for _, seconds in slow]) if slow else 0.0
    return [index for index, seconds in slow if usual / _ALIKE <= seconds <= usual * _ALIKE]


def _explains(period: Period, found: Sequence[Period], slow: Sequence[Slow]) -> bool:
    """Lie most of those on a cadence that cost what its members do, from its first to its last?"""
    members = [s for s in slow if period.has(s[0])]
    usual = median([seconds for _, seconds in members])
    between = [s for s in slow if members[0][0] <= s[0] <= members[-1][0]]
    like = [i for i, s in between if usual / _ALIKE <= s <= usual * _ALIKE]
    on = sum(1 for i in like if any(one.has(i) or one.is_soon_after(i) for one in found))
    return on >= _MOST * len(like)


def _is_a_multiple(period: Period, found: Sequence[Period], slow: Sequence[Slow]) -> bool:
    """Lie others of like cost between most of its members, and divide what is between them evenly?

    Then it returns sooner than that, after no whole number of iterations: every 190.5, of which 381 is the double.
    """
    members = [s for s in slow if period.has(s[0])]
    alike, usual = _alike(members), median([seconds for _, seconds in members])
    like = [i for i, s in slow if usual / _ALIKE <= s <= usual * _ALIKE and not period.has(i)]
    shorter = [p for p in found if 4 * p.interval <= 3 * period.interval]
    others = [i for i in like if not any(p.has(i) for p in shorter)]
    pairs = [(a, b) for a, b in pairwise(alike) if b - a == period.interval]
    for parts in _FRACTIONS:
        near = max(1, period.interval // (parts * _EVENLY))
        divided = sum(
            all(_is_near(others, a + (b - a) * n / parts, near) for n in range(1, parts)) for a, b in pairs
        )
        if period.interval > _FEW * near and len(pairs) > 1 and divided > _MOST * len(pairs):
            return True
    return False


def _is_near(indices: Sequence[int], at: float, near: int) -> bool:
    place = bisect_left(indices, at - near)
    return place < len(indices) and indices[place] <= at + near


def _best(slow: Sequence[Slow], seen: SeenIterations) -> Period | None:
    """The cadence with the most members."""
    if len(slow) < _LEAST:
        return None
    indices = [index for index, _ in slow]
    step = seen.step
    steps = Counter(b - a for n, a in enumerate(indices) for b in indices[n + 1 : n + 1 + _NEIGHBOURS] if b > a)
    most, best = _LEAST - 1, None
    for interval in _candidates(steps):
        if interval < 2 * step:
            continue
        offset = mode(i % interval for i in indices)
        for period in (Period(interval, offset), _drifting(indices, interval, step)):
            members = [s for s in slow if period is not None and period.has(s[0])]
            if period is not None and len(members) > most and _holds(members, period, indices, seen):
                most, best = len(members), period
    return best


def _candidates(steps: Counter[int]) -> list[int]:
    """Intervals that may be one: those seen more than once, and parts of the most frequent."""
    often = [interval for interval, times in steps.most_common(40) if times > 1]
    return [*dict.fromkeys([*often, *(one // part for one in often[:4] for part in _FRACTIONS)])]


def _drifting(indices: Sequence[int], interval: int, step: int) -> Period | None:
    """A cadence whose interval is no multiple of the printed step: it shows in the next line, soon or late."""
    if step == 1:
        return None
    known = set(indices)  # it begins with two that are so far apart: others may be slow before it
    first = next((i for i in indices if i + interval in known), None)
    if first is None:
        return None
    fitted, chain = float(interval), [first]
    for index in indices[indices.index(first) + 1 :]:
        cycles = round((index - first) / fitted)
        if cycles and abs(index - first - cycles * fitted) < 1.5 * step:
            fitted = (index - first) / cycles
            chain.append(index)
    whole = round(fitted)
    late = [i - first - round((i - first) / fitted) * whole for i in chain]
    width = max(late) - min(late) + 1
    return Period(whole, (first + min(late)) % whole, width) if width <= min(2 * step, whole // _NARROW) else None


def _holds(members: Sequence[Slow], period: Period, indices: Sequence[int], seen: SeenIterations) -> bool:
    """Is nearly every printed iteration of `period` slow, at like cost, and more often than by chance?"""
    alike = _alike(members)
    if len(alike) < _LEAST:
        return False
    newest = range(alike[-1] // period.interval, alike[0] // period.interval - 1, -1)[:_MOST_CHECKED]
    starts = [n * period.interval + period.offset for n in newest]
    possible = sum(1 for start in starts if seen.any(start, period.width))
    recent = sum(1 for i in alike if i >= starts[-1])
    if recent < _LEAST or recent < _SHARE * possible:
        return False
    count = seen.place(indices[-1]) - seen.place(indices[0]) + 1
    width = max(1, period.width // seen.step)
    each = len(indices) * width / count  # how likely a printed iteration, or one of `width`, is slow
    chance = len(indices) ** 2 / 2 * each ** (recent - 2)
    if (period.offset + 1) % period.interval <= 2:  # a trainer counts from 0 or 1: multiples are no accident
        chance *= 3 * seen.step / period.interval
    return chance < _BY_CHANCE


def _dearer(members: Sequence[Slow], period: Period) -> tuple[int, int] | None:
    """Interval and offset of those `members` that cost clearly more than the others, if that returns."""
    low, high = min(s for _, s in members), max(s for _, s in members)
    if high == low or len(members) < 4:
        return None
    cycles = [((i - period.offset) // period.interval, s) for i, s in members]
    for times in range(2, 41):
        groups = Counter(n % times for n, s in cycles if s > (low + high) / 2)
        ((phase, count),) = groups.most_common(1)
        dear = [s for n, s in cycles if n % times == phase]
        cheap = [s for n, s in cycles if n % times != phase]
        if count < 2 or not cheap or count < _SHARE * max(len(dear), sum(groups.values())):
            continue
        if sum(1 for s in cheap if s < median(dear) / 1.2) >= 0.9 * len(cheap):
            whole = period.interval * times
            return whole, (phase * period.interval + period.offset) % whole
    return None
