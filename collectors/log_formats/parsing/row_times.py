"""What the rows of one log say of time: each column's meaning is decided by its values, not by its name alone.

`time: 102.3` may be the time of this row or a clock that runs since the start. A clock only grows, and begins anew at
most with an epoch; the times of rows go up and down. As long as nobody can tell, neither is believed.
A printed time goes before a rate; where the two of one row contradict each other, neither is believed.
"""

from __future__ import annotations

from enum import Enum
from math import inf
from statistics import median
from typing import TYPE_CHECKING

from ....events import Witness
from ..counting.running_rate import RunningRate
from ..counting.single_steps import Row, SingleSteps

if TYPE_CHECKING:
    from .values import Fields

SURE_RISES = 6
"""So many times the value grew, and never fell: seven times of rows are in order by chance once in 5,040 logs."""

SLOW_RISES = 12
"""... where it grew to less than twice: times of rows that drift, or a clock that is far from its zero."""

SAME = 4
"""So many rows in a row that show what the row before them showed, and none that shows more: times of rows."""

SELDOM = 4
"""Rises, at least, for each fall of a clock that is called one."""

STEADY = 0.5
"""A running mean grows too, but less and less; a clock by about as much in its second half."""

MOST = 32
"""Rows after which the whole seconds of a clock have grown, if it is one."""

LEAST_FIRST, MOST_FIRST = 0.5, 3.0
"""Of what rows take: so much a clock shows at the end of the first one, if it began with it."""

SLACK = 0.05

_SAME = 0.01
"""A rate has three digits or more. Of rows that are one step apart this is less than one of them up to step 100."""
PART = 0.75
"""Of what passed between two rows: one that says less did not last from the row before it."""

LONGEST_STEP_S = 100.0
"""No step that takes longer than this is printed without a unit: it may be milliseconds, where no row took less."""


class Meaning(Enum):
    """What the seconds of a column are."""

    EACH = "each"  # the time of the row
    CLOCK = "clock"  # since the start, or since the epoch's
    UNKNOWN = "unknown"


class TimeColumn:
    """One column of seconds whose name does not say what they are. Decided once."""

    def __init__(self, named: Meaning = Meaning.UNKNOWN, *, sure: bool = False) -> None:
        self._named = named
        self._decided: Meaning | None = named if sure else None
        self._last: float | None = None
        self._first: float | None = None
        self._rows = 0
        self._rises: list[float] = []
        self._same = 0  # rows, one after the other
        self._falls = 0
        self._anew = False  # was the newest row the first of its epoch?
        self.usual_s: float | None = None  # how much it grows from row to row, as other rows showed

    @property
    def meaning(self) -> Meaning:
        """As far as the values so far tell; else what the name says."""
        if self._decided is None and self._same and not self._rises:
            return Meaning.EACH  # for now: a clock of few digits shows one time twice, too
        return self._decided or self._named

    def learn(self, other: TimeColumn) -> None:
        """Take over what the values showed another reader."""
        self._decided = self._decided or other._decided
        self.usual_s = median(other._rises) if len(other._rises) >= SAME else None
        if self._decided is None and self._named is Meaning.UNKNOWN:
            self._named = other.meaning

    def see(self, seconds: float, *, anew: bool) -> None:
        """The value of the next row; `anew`: an epoch or a run begins with it, and so may a clock.

        Where each epoch has one row, a clock that began anew with each would show the time of the row.
        """
        if self._decided is None:
            self._compare(seconds, anew=anew and not self._anew)
            self._anew = anew
            self._last = seconds
            if self._first is None or anew:
                self._first = seconds
            self._rows += 1

    def _compare(self, seconds: float, *, anew: bool) -> None:
        last = self._last
        if last is None or (anew and seconds <= last):
            return
        self._same = self._same + 1 if seconds == last and seconds % 1 else 0
        if seconds < last and self._named is Meaning.CLOCK and self._begins_anew(seconds, last):
            return
        if seconds < last or (self._same >= SAME and not self._rises):
            self._decided = Meaning.EACH
            return
        if seconds > last:
            self._rises.append(seconds - last)
        rises, first = self._rises, self._first or 0.0
        half = len(rises) // 2
        steady = half and median(rises[half:]) >= STEADY * median(rises[:half])
        enough = SURE_RISES if seconds >= 2 * first else SLOW_RISES
        if steady and (len(rises) >= enough or (self._rows >= MOST and len(rises) >= SURE_RISES // 2)):
            even = not first and self._named is Meaning.UNKNOWN and rises[0] > 1 and min(rises) == max(rises)
            self._decided = Meaning.UNKNOWN if even and not rises[0] % 1 else Meaning.CLOCK  # 0, 50, 100: a count
        elif self._rows >= MOST and not rises and seconds:  # 0:00:00 may be a clock that has hardly begun
            self._decided = Meaning.EACH

    def _begins_anew(self, seconds: float, last: float) -> bool:
        """A clock that falls seldom is another process's from there on: times of rows fall as often as they rise.

        Of few rows the first fall is one of a clock, too, where it has lost half of what it showed.
        """
        self._falls += 1
        if self._falls == 1 and len(self._rises) > 1 and seconds <= last / 2:
            return True
        return self._falls * SELDOM <= len(self._rises)


class RowTimes:
    """The times of the rows of one log.

    Args:
        known: the format says what its columns are: `time` is that of a step, and nothing is decided by values.
        clock: a person said which column is a clock.
    """

    def __init__(self, *, known: bool = False, clock: bool = False) -> None:
        self._known = known
        self._time = TimeColumn(Meaning.EACH if known else Meaning.UNKNOWN, sure=known)
        self._elapsed = TimeColumn(Meaning.CLOCK, sure=clock or known)
        self._evaluation = TimeColumn()
        self._inside = False  # has an epoch several rows?
        self._of_epoch_s: float | None = None  # the newest row's, where each is an epoch
        self._steps = self._every = 0  # from row to row, the newest that are known, and the first
        self._row_s: float | None = None  # that passed between two such
        self._skips = 0  # rows of several steps, less those of one
        self._agreed = self._contradicted = 0  # rows whose printed time and rate do or do not agree
        self._per_row = self._per_step = self._misfits = 0  # rows whose time is the row's, a step's, neither
        self._singles = SingleSteps()
        self._running = RunningRate()
        self._least_s = inf  # that a row showed
        self._contradiction, self._reported = "", False

    def learn(self, other: RowTimes) -> None:
        """Take over what was found out of more rows."""
        self._time.learn(other._time)
        self._elapsed.learn(other._elapsed)
        self._evaluation.learn(other._evaluation)
        self._skips = self._skips or other._skips
        self._steps, self._every = self._steps or other._steps, self._every or other._every
        self._singles.learn(other._singles)
        self._running.learn(other._running)
        self._least_s = min(self._least_s, other._least_s)
        if not (self._per_row or self._per_step or self._misfits):
            self._per_row, self._per_step, self._misfits = other._per_row, other._per_step, other._misfits

    def contradiction(self) -> str:
        """What contradicts itself; asked once."""
        found, self._contradiction = self._contradiction, ""
        return found

    def of(self, read: Fields, row: Row) -> Fields:
        """What a row says: `duration_s` and its witness, `elapsed_s`; instead of all its columns of time.

        Args:
            read: the columns of the row, by what their names say.
            row: where it stands.
        """
        steps, anew, by_epoch = row.steps, row.anew, row.by_epoch
        self._steps, self._every = max(steps, 0) or self._steps, self._every or max(steps, 0)
        time_s, elapsed_s = read.pop("time_s", None), read.pop("elapsed_s", None)
        rate, epoch_s = read.pop("steps_per_s", None), read.pop("epoch_s", None)
        rate = rate if row.numbered or self._known else None
        if time_s is not None and rate is not None and elapsed_s is None and _since_zero(row, time_s, rate):
            time_s, rate, elapsed_s = None, None, time_s
        rate = rate if self._known else None if rate and _is_coarse(rate, row) else self._of_rows(rate, row)
        step_s, said_s = read.pop("step_s", None), read.pop("duration_s", None)
        each_s: float | None = None
        found: Fields = {}
        for column, value in ((self._time, time_s), (self._elapsed, elapsed_s)):
            if value is None:
                continue
            column.see(value, anew=anew)
            if column.meaning is Meaning.CLOCK:
                found.setdefault("elapsed_s", value)
            elif column.meaning is Meaning.EACH and each_s is None:
                each_s = value
                found |= self._of_epochs(value, row) if column is self._elapsed else {}
        if "duration_s" in found:
            return found
        self._of_epoch_s = each_s if by_epoch else None
        step_s = step_s if self._known else self._singles.own(step_s, found.get("elapsed_s"), row)
        step_s, rate = (None, None) if by_epoch else (step_s, rate)  # of the epoch's steps, which nobody counts
        duration_s = next(
            (one for one in (said_s, step_s, epoch_s if by_epoch else None) if one is not None), None
        )
        if duration_s is not None:
            return found | self._against(duration_s, rate if said_s is None else None)
        if each_s is not None:
            self._singles.see(steps, row.place, each_s)
            if of_row := self._of_row(each_s, steps, row.passed_s, rate, by_epoch=by_epoch):
                return found | of_row
        if rate is not None and rate > 0:
            over = row.place if not steps and row.place == self._every else steps  # the first row counts from 0
            return found | {"duration_s": 1 / rate, "averaged_over": max(over, 1), "witness": Witness.RATE}
        return found

    def _of_epochs(self, elapsed_s: float, row: Row) -> Fields:
        """What has elapsed since its epoch began, where that is all that each epoch's only row says: the time of all its steps."""
        self._inside = self._inside or not row.anew
        steps = row.steps or (row.place if row.place == self._steps else 0)
        if self._inside or row.by_epoch or steps < 1:
            return {}
        return {"duration_s": elapsed_s / steps, "averaged_over": steps}

    def of_part(self, read: Fields) -> Fields:
        """What a line in the middle of an evaluation says of the time that it has taken: that of its own clock."""
        own = "elapsed_s" in read and self._elapsed.meaning is Meaning.EACH
        return {"spent_s": read["elapsed_s"]} if own else {}

    def named(self, columns: str) -> str:
        """The guess in words: what is called elapsed, and is no clock, is a time of rows."""
        return (
            columns.replace("elapsed = ", "time of a row = ") if self._elapsed.meaning is Meaning.EACH else columns
        )

    def of_evaluation(self, time_s: float | None) -> float | None:
        """What an epoch's evaluation took: its row's `time_s`, if no clock counts that, not from the epoch's begin either."""
        if time_s is None:
            return None
        self._evaluation.see(time_s, anew=False)
        sure = self._evaluation.meaning is Meaning.EACH and self._of_epoch_s is not None
        return time_s if sure and time_s < (self._of_epoch_s or 0.0) else None

    def _of_rows(self, rate: float | None, row: Row) -> float | None:
        """`rate`, unless it is the mean since the start, which is told once."""
        own = self._running.own(rate, row.place)
        if rate and own is None and not self._reported:
            self._reported = True
            self._contradiction = "the rate is the mean of all steps since the start: it tells no row's own time"
        return own

    def since(self, before_s: float | None, elapsed_s: float, row: Row) -> tuple[float | None, int]:
        """What passed since the clock showed `before_s`, and in how many steps.

        A first row whose clock shows about what rows take has counted from the beginning: that is its own time. So
        has the first one of a process that was resumed, and whose rows stand at the same places.
        """
        if before_s is not None and row.steps >= 0:
            self._row_s = elapsed_s - before_s if row.steps == self._steps else self._row_s
            return elapsed_s - before_s, row.steps
        resumed = self._row_s is not None and row.place > self._steps > 1 and row.place % self._steps == 0
        usual_s = self._time.usual_s or self._elapsed.usual_s or (self._row_s if resumed else None)
        first = resumed or row.place == self._steps or (self._steps == 1 and not row.place)
        own = first and usual_s is not None and LEAST_FIRST * usual_s <= elapsed_s <= MOST_FIRST * usual_s
        return (elapsed_s, self._steps) if own else (None, 0)

    def _against(self, duration_s: float, rate: float | None) -> Fields:
        """The printed time of a step, if no rate beside it contradicts."""
        if not rate or duration_s <= 0:
            return {"duration_s": duration_s}
        differ = abs(duration_s * rate - 1) > SLACK + _rounding(duration_s) + _rounding(rate)
        self._contradicted += differ
        self._agreed += not differ
        if self._contradicted <= self._agreed:
            return {"duration_s": duration_s}
        if not self._reported:
            self._reported = True
            self._contradiction = (
                f"{duration_s:.4g} s and {rate:.4g} steps/s of the same row contradict each other: neither is used"
            )
        return {}

    def _of_row(
        self, each_s: float, steps: int, passed_s: float | None, rate: float | None, *, by_epoch: bool
    ) -> Fields:
        """The time of a row of several steps is of one of them or of all: the stamps, the rate or single steps decide."""
        if self._known:
            return {"duration_s": each_s}
        of_all = round(each_s * rate) if rate and not steps else 0
        if of_all > 1 and rate and abs(each_s * rate - of_all) <= SLACK * of_all:  # a first row of several, too
            return {"duration_s": each_s / of_all, "averaged_over": of_all}
        whole_s = passed_s if passed_s is not None else steps / rate if rate else None
        self._skips += (steps > 1) - (steps == 1)
        if whole_s is None:
            of_step = steps > 1 and self._singles.prove
            self._least_s = min(self._least_s, each_s)
            fits = by_epoch or self._least_s <= LONGEST_STEP_S
            alone = (steps == 1 or (not steps and self._skips <= 0)) and fits
            shared = {"duration_s": each_s / steps, "averaged_over": steps} if steps > 1 else {}
            return {"duration_s": each_s} if alone or of_step else shared if self._singles.unlike.prove else {}
        if _fits(each_s, whole_s):
            self._per_row += 1
        elif _fits(each_s * steps, whole_s):
            self._per_step += 1
        else:
            self._misfits += 1
        if self._misfits > self._per_row + self._per_step:
            return {}
        if self._per_row >= self._per_step:
            over = stands_for(each_s, max(steps, 1), self._every, passed_s)
            return {"duration_s": each_s / over, "averaged_over": over}
        return {"duration_s": each_s}


def _since_zero(row: Row, seconds: float, rate: float) -> bool:
    """`step: 72, time: 59.9, speed: 1.2`: is the rate that of all steps so far? Then the time is that of all, too."""
    return row.place > row.steps > 0 and abs(row.place - seconds * rate) <= _SAME * row.place


def stands_for(seconds: float, steps: int, usual: int, passed_s: float | None) -> int:
    """Of how many of `steps` a row's time is: of the `usual` ones, where the stamps show that rows before it were cut out."""
    if passed_s is None or not 0 < usual < steps:
        return steps
    return usual if 0.5 * (passed_s * usual / steps - 1.0) < seconds < PART * passed_s else steps


def _fits(seconds: float, passed_s: float) -> bool:
    """Is that what passed between two stamps? They may be whole seconds, and an evaluation may lie between them."""
    return 0.5 * (passed_s - 1.0) < seconds <= 1.1 * passed_s + 1.0


def _is_coarse(rate: float, row: Row) -> bool:
    """`Steps/Sec: 0.05` of two decimals is anything from 18 to 22 s: the stamps know better, and without them 0.04 says nothing."""
    rounded = 0 < rate < 0.1 and abs(rate * 100 - round(rate * 100)) < 1e-6
    return rounded and (row.passed_s is not None or not row.steps or _rounding(rate) > 2 * SLACK)


def _rounding(value: float) -> float:
    """Half of the last digit of a number with two decimals, as a share of it."""
    return 0.005 / value if value else 0.0
