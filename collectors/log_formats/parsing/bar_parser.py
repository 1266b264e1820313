"""What formats share whose steps and times come from a tqdm bar.

`38%|███▊      | 380/1000 [12:10<19:51,  1.92s/it, loss=2.31]`. A bar titled `Epoch 3` or `Epoch 3/10` counts within
its epoch; so does one that begins again after it was full. Bars of evaluations are known by their title; bars that load
are left aside, and so is a second of another length that says nothing of a training. One begun again before it was full is another run's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

import msgspec

from ....events import CHECKPOINT, DATA, EVALUATION, Config, Event, Iteration, RunInfo
from ...patterns import lazy_pattern
from ..between.evaluation_bars import EvaluationBars
from ..between.late_values import LateValues
from ..epoch_bars.around import Around
from ..epoch_bars.runs_on import RunsOn
from ..epoch_bars.with_validation import WithValidation
from ..families.thinned import Thinned
from .bar_clocks import BarClock, Redrawn, WindowClock
from .bars import BAR, BAR_GROUPS, BAR_START, Bar, bar_of, postfix_fields, postfix_names
from .grammar import Line, LineKind, handler
from .which_bar_trains import EPOCH, Bars, counts_epochs, is_behind_hole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .values import Fields, LogLine

# A row of a table of epochs, drawn in front of its bar: `12/99  3.05  2.13  5.86: 100%`. Its second number may be the last epoch's.
_ROW = lazy_pattern(r"\W*(\d{1,6})/(\d{1,6})(?: +\d{1,6}(?:\.\d{1,9})?[GM]?){2,20}:?")
_CRASH = ("Traceback (most recent call last)", "slurmstepd: error", "srun: error", "Killed")

_LATE_S = 2
"""Bars of ranks that draw at the same time show clocks that differ by less: whole seconds, of processes that began together."""
_EPOCHS_ALONE = 2
"""After so many epochs without a bar of their steps another bar is none of them."""


class BarParser(EvaluationBars):
    """Steps and times from a bar. Subclasses add lines of their own; `BAR` stands last among them."""

    time_includes: ClassVar[tuple[str, ...]] = (EVALUATION, CHECKPOINT, DATA)
    each_bar_is_a_run: bool = False  # one bar goes through all epochs
    lines: ClassVar[tuple[Line, ...]] = (BAR, BAR_START)

    @classmethod
    def carries_iteration(cls, text: str, kind: LineKind, found: re.Match[str]) -> bool:
        """Bars of evaluations, downloads and the like carry no iteration."""
        if kind.name != "bar":
            return kind.carries_iteration
        bar = bar_of(text, kind.read(found))
        return not bar.phase and not bar.too_fast and (bar.total is not None or bar.trains)

    def __init__(self) -> None:
        super().__init__()
        self.clock = BarClock()
        self._redrawn, self._own_clock, self._both = Redrawn(), RunsOn(), WithValidation()
        self._rates_are_old = self._says_length = self.crashed = False  # has a process ended?
        self._waiting: tuple[Bar, int | None, LogLine] | None = None  # a frame that may be another run's first
        self._beside: Bar | None = None  # the newest frame of another process that draws between this one's
        self._around: tuple[str, int | None] | None = None  # title and length of a bar of epochs around another
        self._before = 0  # steps of full bars before this one
        self._first_epoch: int | None = None
        self._length = 0  # of an epoch that was longer than its bar said
        self._epoch: int | None = None
        self._lines = self._drawn_at = 0  # lines so far, and the one of the newest frame
        self._opens_each = True  # do the log's first lines come again with each bar, for all that is known?
        self._sample, self._outer = Bars(), Around()
        self._thinned, self._values = Thinned(postfix_names, "="), LateValues()

    def run_info(self, line: LogLine) -> RunInfo:
        """Where each epoch has a bar of its own, none of its time is that of an evaluation between two of them."""
        info = super().run_info(line)
        if not self._bar_each_epoch:
            return info
        includes = tuple(one for one in info.time_includes if one != EVALUATION)
        return msgspec.structs.replace(info, time_includes=includes)

    @property
    def bar_total(self) -> int | None:
        """Length of the training's bar."""
        return None if self.newest is None else self.newest.total

    def learn(self, lines: Iterable[str], *, scattered: bool = False) -> None:  # noqa: ARG002 - the order is enough
        """Which of several bars without a title trains, where they take turns, and whether any does."""
        bars, said = list[Bar](), list[tuple[int, str]]()
        for text in (lines := [*lines]):
            matched = self.match(text)
            fields = {} if matched is None else matched[0].read(matched[1])
            if "bar_rate" in fields:  # a format may have frames of another form: Lightning's
                bar = bar_of(text, fields)
                self._see_rate(bar)
                bars.append(bar)
            else:
                self._sample.batches.hear(text)
                said += [(len(bars), text)] if bars and bars[-1].full else []
        bars = self._sample.of_run.learn(self._sample.batches.learn(bars))
        self.clock.learn(bars)
        self._own_clock.learn(bars)
        self._both.learn(lines)
        self._sample.learn(bars, said)
        self._results.learn(bars, said)
        self._bar_each_epoch |= self._sample.alternation.every_second

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """A traceback tells of a process that ended: a bar after it is another's."""
        self.crashed = self.crashed or text.startswith(_CRASH)
        for one in (self._results, self._sample.warned):
            one.hear(text)
        self._lines += bool(text.strip())
        return super().line(text, at_s)

    @handler(iterations=True, texts=BAR_GROUPS)
    def bar(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """A frame of some bar, with a rate."""
        return self._frame(fields, line)

    @handler(texts=BAR_GROUPS)
    def bar_start(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """A frame of some bar, without a rate."""
        return self._frame(fields, line)

    @handler(texts=BAR_GROUPS)
    def other_bar(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """A frame of a bar that is no iteration of the format by itself."""
        return self._frame(fields, line)

    def _frame(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        bar, line = bar_of(line.text, fields), line.before(f"[{fields['bar_elapsed']}")
        self._outer.see(bar := self._sample.of_run.of(self._sample.batches.of(bar)), self.newest)
        if self._sample.at_once.leaves_out(bar):
            return []
        return [*self._sample.told(self.said, line), *self.frame(bar, line)]

    def frame(self, bar: Bar, line: LogLine) -> Sequence[Event]:
        """A frame of some bar: of training, of an evaluation, or of neither."""
        if bar.evaluates or self._sample.evaluates(bar):
            self._both.see(bar)
            return self._evaluation_bar(bar, line)
        left_out = bar.prepares or self._sample.leave_out(bar, trained=self.newest is not None)
        if left_out or self._too_fast(bar) or not self.trains(bar):
            return []
        own = self._both.of(self._own_clock.of(bar))
        return [*self._evaluation_over(line), *self._training_bar(own, line)] if own else []

    def _too_fast(self, bar: Bar) -> bool:
        """Is it no training's, by its speed, and nothing has trained yet? Then neither was its first frame, without a rate."""
        if self.last is not None or not bar.too_fast:
            return False
        self.newest = None
        return True

    def trains(self, bar: Bar) -> bool:
        """Is it the training's bar? The first is, and those of its length; of others only one that tells more of a training.

        Where lines told of iterations before any bar began, the training has none.
        """
        newest, outer = self.newest, bar.outer or (bar.title, bar.total) == self._around
        if newest is None:
            return bar.trains or (bar.total is not None and self.last is None)
        if bar.total == newest.total and outer == newest.outer and (bar.total is not None or bar.trains):
            return True
        if newest.outer != outer:  # steps within epochs; none were drawn in those that have passed
            inner = newest.outer and (newest.n < _EPOCHS_ALONE or bar.trains)
            self._around = (newest.title, newest.total) if inner and bar.title != newest.title else self._around
            return inner
        if bar.trains or newest.trains:
            return bar.trains
        if newest.inner and not bar.inner:  # the one around it
            return False
        longer = newest.full and not self._before and (bar.total or 0) > (newest.total or 0)
        return longer or (self.crashed and bar.n <= 1)

    def _training_bar(self, bar: Bar, line: LogLine) -> Sequence[Event]:
        fields: Fields = {}
        events: list[Event] = []
        newest, found, row = self.newest, EPOCH.search(bar.title), _ROW.fullmatch(bar.title)
        if bar.total is None and found is None:  # `99it [00:10, 9.74it/s, loss=0.06, epoch=19]`
            found = EPOCH.search(bar.postfix)
        found, self._bar_each_epoch = found or row, self._bar_each_epoch or (row is not None and found is None)
        epoch = int(found[1]) if found else None
        if newest is not None and self._is_beside(bar, newest, epoch):
            return []
        if newest is not None and self._steps_back(bar, newest, epoch):
            begun = self._begun_again(bar, line, newest, epoch)
            if begun is None:
                return []
            events += begun
        elif newest is not None and found is None and newest.total != bar.total:
            events += self._another_length(bar, line, newest)
        in_hole = is_behind_hole(bar, epoch, self._epoch)
        if found:
            self._count_epoch(int(found[1]), found[2] if found is not row else None, bar, fields)
        if self._waiting is not None and found is None and not self.crashed:
            self._beside = self._waiting[0]  # the bar goes on, and so does the one that stood before it
        self._waiting, self.crashed, self._apart_s = None, False, 0.0
        if self.newest is None or bar.n != self.newest.n or bar.n == 0:
            timed = self._time_of(bar)
            fields |= {} if in_hole else timed
        began = bar.seconds_each or bar.elapsed_s or bar.full
        resumed = self.newest is None and not began  # it goes on from there
        self.newest, self._drawn_at = bar._replace(strides=_strides(bar, self.newest)), self._lines
        own, again = self._values.own(bar)
        if bar.n == 0 or resumed:
            self._thinned.see(bar.postfix)
            return events
        if again and self.last == self._before + bar.n and not events:
            return [self._values.row(bar.postfix, self.last), *self._thinned.row(bar.postfix, self.last)]
        return [*events, *self._counted(bar, own, fields, line)]

    def _counted(self, bar: Bar, own: Bar, fields: Fields, line: LogLine) -> Sequence[Event]:
        """A frame that counts: `bar`, and without values that are not of its step."""
        fields |= {"iteration": self._before + bar.n, "elapsed_s": bar.elapsed_s}
        self.unit = "epoch" if counts_epochs(bar) else type(self).unit
        if bar.remaining_s is not None and self._sample.breaks_at is None:
            fields |= {"remaining_s": bar.remaining_s, "remaining_to": bar.total}
        if self._around is not None and self._around[1] and bar.total and not bar.outer:
            fields.setdefault("total", self._around[1] * bar.total)
        told = self.step(fields, own, line)
        if told and isinstance(told[-1], Iteration) and told[-1].index == fields["iteration"]:
            return [*self._of_an_epoch(bar), *told, *self._thinned.row(bar.postfix, told[-1].index)]
        self._thinned.see(bar.postfix)
        return [*self._of_an_epoch(bar), *told]

    def _time_of(self, bar: Bar) -> Fields:
        """What a step took since the newest frame; where the rates that are drawn are old, over ten seconds or more."""
        self._see_rate(bar)
        duration_s, steps = self.clock.since_last_frame(bar, written=self._lines > self._drawn_at + 1)
        if duration_s is not None:
            return {"duration_s": duration_s, "averaged_over": steps, "witness": self.clock.witness}
        return {"averaged_over": 0} if self._rates_are_old or not steps else {}

    def _see_rate(self, bar: Bar) -> None:
        if not self._rates_are_old and self._redrawn.see(bar):
            self._rates_are_old, self.clock = True, WindowClock(of_old=self.clock.of_old)

    def _another_length(self, bar: Bar, line: LogLine, newest: Bar) -> list[Event]:
        """An epoch of another length, where both say that they train; else another run, after what prepared or was an outer bar."""
        self._another_bar(follows=newest if bar.trains and newest.trains else None)
        if self.last is None or self._before:
            return []
        self.last = self.total = None
        return [self.run_info(line)]

    def _steps_back(self, bar: Bar, newest: Bar, epoch: int | None) -> bool:
        """Does it stand before the newest frame, or again at the end, sooner after its beginning?"""
        if epoch is not None and self._epoch is not None and epoch != self._epoch:
            return epoch < self._epoch and self.last is not None
        if bar.total != newest.total:
            return False
        if self._waiting is not None and (bar.n <= newest.n or bar.elapsed_s < newest.elapsed_s):
            return True
        again = bar.elapsed_s < newest.elapsed_s or self._is_next_pass(bar, newest)
        return bar.n < newest.n or (newest.full and bar.n == newest.n and again)

    def _is_next_pass(self, bar: Bar, newest: Bar) -> bool:
        """Between its end and that of the one before lay an evaluation, all of which its clock would show if it ran on; or lines did."""
        if self._apart_s and bar.full and newest.full and bar.elapsed_s < newest.elapsed_s + self._apart_s:
            return True
        return self._sample.is_next_pass(bar, newest, apart=self._lines > self._drawn_at + 1)

    def _is_beside(self, bar: Bar, newest: Bar, epoch: int | None) -> bool:
        """Does it go on from the frame of a process that draws at the same time?"""
        beside = self._beside
        if beside is None or epoch is not None or self.crashed or bar.total != newest.total:
            return False
        if not (beside.n <= bar.n < newest.n and beside.elapsed_s <= bar.elapsed_s):
            return False
        self._beside = bar
        return True

    def _begun_again(self, bar: Bar, line: LogLine, newest: Bar, epoch: int | None) -> Sequence[Event] | None:
        """Did a bar of the same length begin again? The events of a frame that waited for the proof; `None`: not yet, or no."""
        if self._is_next_pass(bar, newest):
            self._another_bar(follows=newest)
            return ()
        waiting, of_another = self._waiting, epoch is not None and epoch != self._epoch
        if (waiting is None or (waiting[1] == epoch and not of_another)) and self._lags(bar, newest, epoch):
            return None
        if self.crashed or (epoch is None and newest.nearly_full):
            self._another_bar(follows=None if epoch is None and self._opened_again() else newest)
            return ()
        self._waiting = (bar, epoch, line)
        if waiting is None or (epoch or 0, bar.n) <= (waiting[1] or 0, waiting[0].n):
            return None
        self._another_bar()
        self._waiting = None
        return self._training_bar(waiting[0], waiting[2])

    def _opened_again(self) -> bool:
        """Did the log's first lines come again before this bar, and not as each epoch's might, before the second? Or what none says?"""
        opened, surely = not self._outer.goes_on() and self.opened, self.surely
        self.opened = self.surely = False
        self._opens_each = self._opens_each if self._before else opened and not self._sample.warned.again()
        return opened and (surely or not self._opens_each)

    def _lags(self, bar: Bar, newest: Bar, epoch: int | None) -> bool:
        """Is it another rank's, that draws the same a little later? Its clock runs on, or stands at nearly the same time."""
        if epoch is not None and self._epoch is not None and epoch != self._epoch:
            return epoch == self._epoch - 1 and newest.n <= 0.1 * (newest.total or 0) and bar.nearly_full
        if bar.elapsed_s > newest.elapsed_s and (bar.n >= 0.9 * newest.n or not newest.nearly_full):
            return True
        late_s = newest.elapsed_s - bar.elapsed_s
        if newest.nearly_full and epoch is None:
            return 0.9 * newest.n <= bar.n < newest.n and late_s <= max(_LATE_S, 0.1 * newest.elapsed_s)
        return late_s <= _LATE_S < bar.elapsed_s

    def _another_bar(self, follows: Bar | None = None) -> None:
        """Its clock begins anew. One behind a full one of its length, but for one of epochs, is an epoch; any other is a run's."""
        self.clock, self.newest, self._beside = self.clock.anew(), None, None
        goes_on = follows is not None and follows.nearly_full and not (self.each_bar_is_a_run or follows.outer)
        self._before = self._before + (follows.total or 0) if follows is not None and goes_on else 0

    def _of_an_epoch(self, bar: Bar) -> list[Event]:
        """Where epochs have bars of their own, their length, once: what comes with each of them is known by it."""
        if self._says_length or not self._before or bar.total is None:
            return []
        self._says_length = True
        return [Config(origin="log", iterations_per_epoch=self._sample.breaks_at or bar.total)]

    def step(self, fields: Fields, bar: Bar, line: LogLine) -> Sequence[Event]:
        """The training's bar moved on (or was only redrawn)."""
        fields.setdefault("total", None if self._before or bar.total in self._sample.passes else bar.total)
        return self.iteration(fields | postfix_fields(bar.postfix), line)

    def _count_epoch(self, epoch: int, epochs: str | None, bar: Bar, fields: Fields) -> None:
        if self._first_epoch is None:
            self._first_epoch = 1 if epochs and epoch > 0 else min(epoch, 1)
        self._first_epoch = min(self._first_epoch, epoch)  # what was taken for the first may have been misprinted
        if epoch != self._epoch and self.newest is not None and self.newest.total is None:
            self._length = max(self._length, self.newest.n)  # it went on beyond its total: tqdm leaves it out
        if bar.total:
            length = self._sample.breaks_at or max(bar.total, self._length)
            self._before = max(epoch - self._first_epoch, 0) * length
            fields["total"] = int(epochs) * length if epochs else None
        elif epoch != self._epoch and self.newest is not None:
            self._before += self.newest.n
        if epoch != self._epoch:
            self._epoch, self.newest, self.clock = epoch, None, self.clock.anew()


def _strides(bar: Bar, before: Bar | None) -> tuple[int, int]:
    """Steps between the newest frames of a bar; a frame that counts none changes nothing of it."""
    if before is None or bar.n < before.n:
        return 0, 0
    return (bar.n - before.n, before.strides[0]) if bar.n > before.n else before.strides
