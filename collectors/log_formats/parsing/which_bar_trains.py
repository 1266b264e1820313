"""Which bars of a log train, as a sample of its lines shows: in turns with others, by their titles, and how far they go; and what they count."""

from __future__ import annotations

from bisect import bisect_right
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from ...patterns import lazy_pattern
from ..epoch_bars.batches_of_bars import BatchesOfBars
from ..epoch_bars.ends_in_runs import each_end_is_a_pass
from ..epoch_bars.headed import HeadedBars
from ..epoch_bars.over_data import BarsInStages, BarsOverData
from ..epoch_bars.over_epochs import BarsOverEpochs
from ..epoch_bars.warned import Warned
from ..sets.bars_in_a_row import behind_preparation, of_turns, passes
from ..sets.second_of_epoch import SecondsOfEpochs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ....events import Event
    from .bars import Bar
    from .values import LogLine

# `Epoch -5` is no epoch; the hyphen of `epoch-5` is no sign.
EPOCH = lazy_pattern(
    r"(?i)\b(?:ep(?:och)?s?\b\W{0,3}(?<![\s+-][+-])|epochs?_?(?=\d)|train(?:ing)? {2,8}(?=\d{1,6}\W*\Z))(\d{1,9})(?: ?(?:/|(?:out )?of) ?(\d{1,9}))?"
)
"""The number of an epoch; `Train     7`, padded so that columns line up, counts them as well."""
_WHOSE = lazy_pattern(r"(?i)\b(?:(train(?:ing)?)|test(?:ing)?|val(?:id(?:ation)?)?|eval(?:uation)?|dev)\b")
_HEADING = lazy_pattern(r"(?i)\W*epoch\W{0,3}\d{1,9}(?: ?(?:/|(?:out )?of) ?\d{1,9})?\W*")
_LONGEST_RESULT = 200
_EPOCHS_COUNTED = lazy_pattern(r"(?i)\W*(?:[a-z]{1,12} ){0,2}epochs\W*")
_TURNS = 3
"""Training, test, training again."""
_EPOCHS = 2
"""So many that are over."""


class Bars:
    """What is known of them. A frame without a title may be the training's or not."""

    def __init__(self, batches: BatchesOfBars | None = None) -> None:
        self.alternation, self.of_run = Alternation(), BarsOverEpochs()
        self.at_once, self.headed, self.warned = BarsAtOnce(), HeadedBars(), Warned()
        self._over_data, self._in_stages = BarsOverData(), BarsInStages()
        self._seconds = SecondsOfEpochs()
        self.batches = batches or BatchesOfBars()
        self.breaks_at: int | None = None  # steps, where each epoch's bar goes no further
        self.ends_alone = False  # of one bar after another no more than the end was drawn
        self.each_end_is_a_pass = False  # ... also of those without a line between them
        self._untitled_prepare = False  # where bars with a title train
        self.passes: frozenset[int] = (
            frozenset()
        )  # lengths of bars that another kind came behind: of one epoch, maybe
        self._of_turns: int | None = None  # where bars without a title take turns: the length of the training's
        self._with_loss: frozenset[str] = (
            frozenset()
        )  # titles of bars behind which a loss stands, numbers left out

    def learn(self, bars: Sequence[Bar], said: Sequence[tuple[int, str]]) -> None:
        """`said`: see `Alternation`."""
        self.alternation.learn([(place, text) for place, text in said if not bars[place - 1].prepares])
        self.headed.learn(bars, said)
        self.at_once.learn(bars)
        self._over_data.learn(bars, said)
        self._in_stages.learn(bars, said)
        self._seconds.learn(bars, said)
        self.passes |= passes(bars, said)
        self._of_turns = of_turns(bars) or behind_preparation(bars) or self._of_turns
        self._with_loss |= {_words(bar.title) for bar in bars if bar.trains and bar.postfix and not bar.phase}
        self._untitled_prepare = self._untitled_prepare or untitled_prepare(bars)
        self.breaks_at = self.breaks_at or breaks_at(bars)
        self.ends_alone = self.ends_alone or ends_alone(bars, said)
        self.each_end_is_a_pass = bool(bars) and each_end_is_a_pass(bars, said)

    def told(self, bound: Callable[[str, LogLine], list[Event]], line: LogLine) -> list[Event]:
        """What a person should know of how the bars are read, once. Of bars that run at once it is a lower `bound`."""
        return [*bound(self.at_once.word(), line), *self.batches.told(line.at_s)]

    def is_next_pass(self, bar: Bar, newest: Bar, *, apart: bool) -> bool:
        """A full bar after a full one, maybe with a line between them (`apart`): a pass of its own, or that one drawn again?"""
        alone = self.each_end_is_a_pass or (self.ends_alone and apart)
        return alone and bar.full and newest.full and bar.total == newest.total

    def evaluates(self, bar: Bar) -> bool:
        """Is it an evaluation's, as the lines between bars say? None of the training's length is, where bars take turns."""
        turned = self.alternation.evaluates(bar) or self._seconds.evaluates(bar)
        if self._of_turns is None or bar.title or bar.total is None:
            return turned
        return self.alternation.every_second and bar.total != self._of_turns

    def leave_out(self, bar: Bar, *, trained: bool) -> bool:
        """Is it none of the training's? `trained`: a bar of it was seen."""
        if bar.title:
            says_nothing = not (trained or bar.trains or bar.postfix)
            return says_nothing and bool(self._with_loss) and _words(bar.title) not in self._with_loss
        if self._over_data.leave_out(bar) or (self._of_turns is None and self._in_stages.leave_out(bar)):
            return True
        out_of_turn = self._of_turns not in (None, bar.total) and bar.total is not None
        return out_of_turn or (self._untitled_prepare and not trained)


def _words(title: str) -> str:
    """A title without its numbers: `Epoch 3/80` is that of `Epoch 4/80`."""
    return "".join(one for one in title if not one.isdigit())


def breaks_at(bars: Iterable[Bar]) -> int | None:
    """The step after which each epoch's bar is left, far from its end: `if step == 100: break`.

    By two epochs that are over and went as far to the step. Of frames that are drawn now and then the last ones differ.
    """
    newest: list[Bar] = []
    for _, frames in groupby(bars, lambda one: found[1] if (found := EPOCH.search(one.title)) else None):
        newest.append(list(frames)[-1])
    ends = {(one.n, one.total) for one in newest[:-1]}
    if len(newest) <= _EPOCHS or len(ends) != 1 or EPOCH.search(newest[0].title) is None:
        return None
    return newest[0].n if newest[0].n and not newest[0].nearly_full else None


def ends_alone(bars: Sequence[Bar], said: Sequence[tuple[int, str]]) -> bool:
    """Does a full bar come behind a full one of its kind with less time on it, or with an epoch's heading between them?

    No bar that is drawn again does. Bars of other lengths, as evaluations have, may lie between the two.
    """
    lines = [place for place, _ in said]
    heads = [place for place, text in said if _HEADING.fullmatch(text[:_LONGEST_RESULT])]
    newest: dict[tuple[str, int | None], tuple[int, Bar]] = {}
    for place, bar in enumerate(bars):
        before, first = newest.get((bar.title, bar.total), (place, bar))
        newest[bar.title, bar.total] = place, bar
        if not (first.full and bar.full) or bisect_right(lines, place) == bisect_right(lines, before):
            continue
        headed = bisect_right(heads, place) > bisect_right(heads, before)
        if headed or (place == before + 1 and bar.elapsed_s < first.elapsed_s):
            return True
    return False


def passes_total(bar: Bar, newest: Bar | None) -> bool:
    """Is it the newest one, past its total? tqdm leaves the total out then: `20001it [1:10:40, 2.21s/it]`.

    Epochs' bars count anew each, and know what to do with it.
    """
    if newest is None or bar.total is not None or EPOCH.search(bar.title) is not None:
        return False
    if not newest.nearly_full and (newest.total or 0) - newest.n > newest.strides[0]:
        return False
    past = bar.n > (newest.total or 0) and bar.elapsed_s >= newest.elapsed_s
    return past and _letters(bar.title) == _letters(newest.title)


def beyond_total(bar: Bar, newest: Bar) -> Bar:
    """A frame that passes the total of the newest one: at that, where its last stride led over it.

    A bar that moves by 10 from 1 on shows 91/100, and then 101: there are 100.
    """
    total = newest.total or 0
    over = bar.n - total < max(newest.strides)
    return bar._replace(total=newest.total, n=total if over else bar.n)


def _letters(title: str) -> str:
    return "".join(filter(str.isalpha, title))


def is_behind_hole(bar: Bar, epoch: int | None, before: int | None) -> bool:
    """Is it the first frame behind lines that are lost, in the middle of an `epoch`? What its bar did till then is not in the log."""
    return None not in (epoch, before) and bar.n > 1 and not bar.full and (epoch or 0) > (before or 0) + 1


def counts_epochs(bar: Bar) -> bool:
    """Is each step an epoch, by the title: `Epochs: 12%| | 12/100`? One of `Epoch` alone may be drawn in each."""
    return "pochs" in bar.title and _EPOCHS_COUNTED.fullmatch(bar.title) is not None


def untitled_prepare(bars: Sequence[Bar]) -> bool:
    """Has each bar a title, from the first on whose title says that it trains? Then one without prepared its data."""
    trains = [bool(bar.title) and bar.trains and not bar.prepares for bar in bars]
    return True in trains and all(bar.title for bar in bars[trains.index(True) :])


class Alternation:
    """Bars without a title, of which every second evaluates, as the lines between them say.

    Where training and evaluation have as many batches, nothing else tells their bars apart. Of each no more than the end
    may be drawn: a bar of another length behind a full one is the next.
    """

    def __init__(self) -> None:
        self.every_second = self._evaluates = False
        self._newest: Bar | None = None

    def learn(self, said: Sequence[tuple[int, str]]) -> bool:
        """`said`: lines that came right after full bars, each with the bar's number. Does every second evaluate?"""
        whose: dict[int, bool] = {}
        for place, text in said:
            if found := _WHOSE.search(text[:_LONGEST_RESULT]):
                whose.setdefault(place, found[1] is None)
        turns = [*whose.values()]
        twice = sum(one == other for one, other in pairwise(turns))
        self.every_second |= len(turns) > _TURNS and twice <= 1 and not turns[0]
        return self.every_second

    def evaluates(self, bar: Bar) -> bool:
        """Is the frame one of an evaluation's? The first bar trains, and so does one after a bar that broke off."""
        if not self.every_second or bar.title:
            return False
        before, self._newest = self._newest, bar
        over = before is not None and before.full and (bar.n == 0 or bar.total != before.total)
        if before is not None and (over or bar.n < before.n):
            self._evaluates = before.full and not self._evaluates
        return self._evaluates


class _Course(NamedTuple):
    """How far one process has come."""

    first: Bar
    newest: Bar
    frames: int
    at: int  # of all frames, its newest

    def misfit_s(self, bar: Bar) -> float | None:
        """By how much the clock of `bar` is off, if that goes on from here; `None`: no steps are so quick."""
        steps, passed_s = bar.n - self.newest.n, bar.elapsed_s - self.newest.elapsed_s
        due_s = steps * min(one.seconds_each or 0.0 for one in (bar, self.newest))
        return abs(passed_s - due_s) if steps >= 0 <= passed_s and passed_s >= due_s - _CUT_S else None


_TWO = 2
"""Processes that take turns: `BarParser` knows them itself, and a restart of theirs."""
_CUT_S = 2.0
"""By so much two clocks that are cut to whole seconds, and rates that are means, may differ."""


class BarsAtOnce:
    """Bars of one title and length that several processes draw into one log, between each other, each with its own clock.

         0%|  | 295/90000 [00:14<...        0%|  | 643/90000 [00:50<...        0%|  | 298/90000 [00:14<...
    The one that is ahead is read. A bar that begins anew never comes back to where it was; those of ranks stand at one time.
    """

    _RETURNS, _LIVES, _LOST = 4, 100, 64  # frames

    def __init__(self) -> None:
        self._of: tuple[str, int | None] | None = None  # title and length,
        self._as_drawn: tuple[str, int | None] | None = None  # ... as the newest frame has them
        self._courses: list[_Course] = []
        self._frames = self._returns = 0
        self._known = self._told = False
        self._read: Bar | None = None  # the newest frame of the one that is read
        self._from: tuple[int, float] | None = None  # its first, by the sample

    def learn(self, bars: Iterable[Bar]) -> None:
        """By a sample of frames: are there several, and where does the one begin that is ahead?"""
        trial = BarsAtOnce()
        for bar in bars:
            trial._see(bar)
        if trial._known:
            ahead = max(trial._courses, key=lambda one: one.newest.n).first
            self._known, self._of, self._from = True, trial._of, (ahead.n, ahead.elapsed_s)

    def leaves_out(self, bar: Bar) -> bool:
        """Is the next frame another process's than the one that is read?"""
        if self._known and self._of != _kind(bar):
            return False
        before = self._see(bar)
        if not self._known:
            return False
        if self._read is not None:
            own = before is self._read
        else:
            ahead = max(self._courses, key=lambda one: one.newest.n).newest is bar
            own = self._from == (bar.n, bar.elapsed_s) or (ahead and (not self._from or self._frames > self._LOST))
        self._read = bar if own else self._read
        return not own

    def word(self) -> str:
        """What a person should know, once; "" else."""
        told, self._told = self._told, self._told or self._known
        return (
            "several processes draw bars of one length side by side: one of them is read"
            if self._told > told
            else ""
        )

    def _see(self, bar: Bar) -> Bar | None:
        """Take in a frame; the one from which it goes on."""
        drawn = bar.title, bar.total
        if drawn != self._as_drawn:
            self._as_drawn, before, self._of = drawn, self._of, _kind(bar)
            if self._of != before:
                self._courses, self._returns = [], 0
        self._frames += 1
        if len(self._courses) == 1 and self._courses[0].misfit_s(bar) is not None:  # as of nearly all bars
            (only,) = self._courses
            self._courses = [only._replace(newest=bar, frames=only.frames + 1, at=self._frames)]
            return only.newest
        self._courses = [
            one for one in self._courses if self._frames - one.at <= self._LIVES or one.newest is self._read
        ]
        fits = [(misfit_s, one) for one in self._courses if (misfit_s := one.misfit_s(bar)) is not None]
        if not fits:
            self._courses.append(_Course(bar, bar, 1, self._frames))
            return None
        least_s, last = min(misfit_s for misfit_s, _ in fits), max(self._courses, key=lambda one: one.at)
        near = [one for misfit_s, one in fits if misfit_s <= least_s + _CUT_S]
        course = max(near, key=lambda one: (one.newest is self._read, one.newest.n))
        back = bar.n < last.newest.n and bar.elapsed_s < last.newest.elapsed_s - _CUT_S
        back = back and bar.n > course.newest.n and bar.total is not None
        self._returns += back and course is not last and min(course.frames, last.frames) > 1
        self._known = self._known or (
            self._returns >= self._RETURNS and sum(one.frames >= self._RETURNS for one in self._courses) > _TWO
        )
        self._courses.remove(course)
        self._courses.append(_Course(course.first, bar, course.frames + 1, self._frames))
        return course.newest


def _kind(bar: Bar) -> tuple[str, int | None]:
    return _words(bar.title) + str(EPOCH.findall(bar.title)), bar.total
