"""Rows of named values, as tables of any kind have them: which row is what, and its time.

A row with an iteration or a loss is an iteration; one that says that it validates, or has a validation loss and no training
loss, an evaluation (`phases.py`). The time is, in this order: a column with the time of a step, or with steps a second; the
difference of a column with elapsed seconds, or of time stamps (all in between is in both). Without steps, rows are counted.
"""

from __future__ import annotations

from math import isfinite, nan
from typing import TYPE_CHECKING, ClassVar

import msgspec

from ....events import CHECKPOINT, DATA, EVALUATION, Message, Severity, Witness
from ..counting.bare_clocks import BareClock
from ..counting.counter import Counter
from ..counting.left_out import Closings, LeftOut
from ..counting.rated import Lossless, LossNames, Rated
from ..counting.rounds import Rounds
from ..counting.single_steps import Means, Row
from ..counting.standing import NO_CONTEXT, FirstPlace, RowContext, Standing, clock_of
from .columns import Columns, Role
from .iterations import OneEach
from .lines import LineParser
from .phases import Phase, of_column
from .row_times import RowTimes
from .validation import Told, Validation, Waiting, at_the_end, epoch_told_of, of_the_newest_row
from .values import Fields, LogLine, finite, scalars, unix_time, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ....events import Event, RunInfo

GUESSED = "columns guessed: "  # so begins what is said, once, of rows whose columns are guessed
_CORRECT = "; correct them with --column FIELD=COLUMN:UNIT"
_TIMES, _WALL = {"duration_s", "time_s", "epoch_s", "elapsed_s"}, (EVALUATION, CHECKPOINT, DATA)
_LEARN = ("validation", "_times", "_rated", "_lossless", "_counter", "calendar", "_bare", "_means", "_rounds")
_MOST_ALONE, _SURE = 100, 8
"""Trainings of one row each, one after another; rows that all had a loss, after which one without is none of the training's."""

_Placed = tuple["Fields | None", LogLine, "Waiting | None"]  # what `RowParser._placed` says of a row


class RowParser(LineParser):
    """Rows of named values to events. `chosen` are the roles of columns that the user decided."""

    guesses: ClassVar[bool] = True  # whether the roles of the columns are a guess, which is shown
    named: ClassVar[bool] = False  # whether a person said which columns are what
    among_others: ClassVar[bool] = False  # whether other programs' lines may stand between the rows

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__()
        self.columns, self._chosen = Columns(chosen), chosen
        clock = "elapsed_s" in {role.field for role in (chosen or {}).values()}
        self._times = RowTimes(known=not self.guesses, clock=clock)
        self._times_epoch: float | None = None
        self._newest, self.validation = Row(), Validation()
        self._late: tuple[int, float] | None = None  # a clock on a line of its own, and the row before it
        self._counter, self._one_each, self._first = Counter(), OneEach(), FirstPlace()
        self._rounds, self._left_out, self._closings = Rounds(), LeftOut(), Closings()
        self.waiting: list[Waiting] = []  # may be another run's first; before it such of one row
        self._shown = self._by_epochs = False  # the guess; epochs count, each closed by a row with its time
        self._loss_names = LossNames(self.columns.is_loss)
        self._with_loss, self._losses = 0, set[str]()  # rows, as long as each has one; names, without a number
        self._rated, self._lossless, self._bare, self._means = Rated(), Lossless(), BareClock(), Means()
        self._elapsed_s: float | None = None
        self._wall = self._printed = False  # are times differences of a clock? Some printed, with less in them?

    def row(self, row: Iterable[tuple[str, object]], line: LogLine, said: RowContext = NO_CONTEXT) -> list[Event]:
        """One row. `said` is what its line says besides."""
        cells = list(row)
        phase = said.phase or next((of for cell in cells if (of := of_column(*cell))), None)
        if phase is Phase.PREPARATION:
            return []
        named, others = self.columns.read_all(cells, trains=phase is not Phase.EVALUATION)
        read: Fields = dict(named)
        stamp_s = read.pop("stamp_s", None)
        if unix_time(stamp_s) is not None:
            line, self.clocked = line.at(stamp_s), True
        if self._leaves_out(read, phase):
            return []
        place = read.get("iteration"), read.get("epoch", said.epoch)
        trains = "learning_rate" in read or any(one.is_before(*place) for one in self.waiting[-1:])
        announced = said.announced and not (trains or (self.said_again and self._first.comes_again(*place)))
        if phase is None and ((announced and self._counter.repeats(*place, said)) or self._rated.lacks(read)):
            phase = Phase.EVALUATION  # announced, and a row of it: what only evaluates learns at no rate
        if self.columns.lesser and "val_loss" in read and place[0] is not None and self._counter.is_newest(*place):
            others |= scalars([(self.columns.lesser, read.pop("loss", None))])
        lossless = phase is not Phase.EVALUATION and self._lossless.trains(cells, read, self.columns.is_loss)
        validates = "loss" not in read and "val_loss" in read and not said.counted and not lossless
        if phase is Phase.EVALUATION or validates:
            told = Told(read, line, said._replace(phase=phase), others)
            waits = bool(self.waiting) and self.waiting[-1].holds(told)
            return [] if waits else self._evaluated(told, self._counter.step)
        if not lossless and (not self._counts(read) or self._sums_up(cells, read, said)):
            self._counter.said.closed(line.text, read.get("epoch"))
            return self.validation.closed(read, line, self.next_index, self.last)
        self._counter.said.of_row(cells)
        self._loss_names.of_row(cells)
        if whole(abs(read.get("iteration", 0.0))) is None:  # nothing counts on from there
            return self.iteration(read, line)
        if whole(abs(read.get("epoch", 0.0))) is None:
            del read["epoch"]
        read["scalars"] = others or None
        if self._rounds.of_episodes:  # nor does what is of an episode alone
            self.columns.lesser = next((name for name, _ in cells if self.columns.is_loss(name)), "")
        return [*self.validation.over(line), *self._of_rows(self._placed(read, line, said))]

    def _of_rows(self, placed: Iterable[_Placed]) -> list[Event]:
        """The events of rows in their order, and what was told behind each."""
        events: list[Event] = []
        for counted, of_line, of_row in placed:
            events += self.validation.over(of_line)
            if counted is not None:
                events += self._trained(counted, of_line)
            elif of_row is None:
                self.last = self.last_at_s = self.total = self._elapsed_s = self._times_epoch = None
                events.append(self.run_info(of_line))
            for told in of_row.told if of_row else ():
                found = self._evaluated(told, of_row.step if of_row and counted else self._counter.step)
                events += (of_the_newest_row(one, told, self.last) for one in found)
        return events

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """A line; one like a row of which nothing is read is counted."""
        self._bare.see(text)
        events = at_the_end(super().line(text, at_s), self.last, self._counter.place.left)
        if not events:
            for one in (self._counter, self._rounds, self.validation):
                one.hear(text)
        if not events and self.among_others and (epoch := self._left_out.epoch(text)) is not None:
            waits = any(one.read["epoch"] == epoch for one in self.waiting)
            self._left_out.lines += not (waits or self._counter.is_newest(None, epoch))
        return events

    def end(self) -> list[Event]:
        """The log is over: an evaluation at its end is, too."""
        return [*self.validation.over(), *map(Message, self._left_out.words(timed=self._printed or self._wall))]

    def part_begins(self, line: LogLine) -> list[Event]:
        """Another training, of which no row has come yet: what is told before its first one is of it."""
        events, self.waiting = self.validation.over(), []
        self._counter.begin()
        self.last = self.last_at_s = self.total = self._elapsed_s = self._times_epoch = None
        return [*events, msgspec.structs.replace(self.run_info(line), resumed=False)]

    @property
    def numbered(self) -> bool:
        """Do rows have a step?"""
        return self._counter.numbered

    @property
    def of_an_epoch(self) -> float | None:
        """Iterations of each epoch, where two rows have shown it: one, if each row is an epoch's; 0 where rows are counted."""
        return self._counter.of_an_epoch

    def _leaves_out(self, read: Fields, phase: Phase | None) -> bool:
        """Is it a step's row, where epochs are counted, or one that closes an epoch between the lines that are?"""
        if phase is Phase.EVALUATION or "loss" not in read:
            return False
        closes = "iteration" not in read
        epoch = read.get("epoch") if closes and self.numbered else None
        self._closings.see(epoch, timed=not _TIMES.isdisjoint(read))
        return (self._by_epochs and not closes) or self._closings.counts_nothing(read)

    def _counts(self, read: Fields) -> bool:
        """Is it a row of the training, and no summary between rows that count, nor another program's line?"""
        if "iteration" not in read:
            return "loss" in read and not self.numbered
        if "loss" in read:
            self._with_loss += self._with_loss >= 0
            return True
        if self.among_others and self._with_loss >= _SURE:
            return False
        self._with_loss = -1
        return True

    def _sums_up(self, cells: list[tuple[str, object]], read: Fields, said: RowContext) -> bool:
        """Has its loss another name, in an epoch that has its row, or where rows are counted? `Best Loss: 0.25` is none of the training's."""
        if "iteration" in read:
            return False
        epoch = read.get("epoch", said.epoch)
        losses = {"".join(filter(str.isalpha, name)) for name, _ in cells if self.columns.is_loss(name)}
        waits = epoch is not None and any(one.step is None and one.read["epoch"] == epoch for one in self.waiting)
        has_its_row = waits or (epoch is not None and self._counter.is_newest(None, epoch))
        if (self._counter.counts_rows or has_its_row) and self._losses:
            return self._losses.isdisjoint(losses)
        self._losses = losses
        return False

    def _placed(self, read: Fields, line: LogLine, said: RowContext) -> list[_Placed]:
        """The rows whose iteration is known now, and what was told behind one of another training; without fields a run begins again."""
        place = read.pop("iteration", None), read.pop("epoch", said.epoch)
        step, epoch, said = self._rounds.still.of(*place, said, line.text)
        epoch = self._rounds.place(epoch, started=self.said_again) if step is None else epoch
        again = self._one_each.begins_again(epoch if step is None else None) or said.anew or self._rounds.fell
        alike = self._first.comes_again(step, epoch) or self._counter.is_newest(step, epoch, said)
        anew = self.begins_anew(said=again, alike=alike, unnumbered=step is epoch is None)
        said = said._replace(anew=anew, total=read.get("total"))
        clock = clock_of(read.get("elapsed_s"), self._elapsed_s, waits=bool(self.waiting))
        standing = self._counter.see(step, epoch, said, clock)
        read |= {"epoch": epoch, "by_epoch": step is None and epoch is not None}
        read |= self._counter.since_resumed(step)
        if standing is Standing.OTHER:
            return []
        waiting, self.waiting = self.waiting, []
        if standing is Standing.WAITS:
            before = waiting[-_MOST_ALONE:] if self._counter.alone else []
            self.waiting = [*before, Waiting(read, line, step, [])]
            return [] if before else [(None, one.line, one) for one in waiting if one.told]
        read["iteration"] = self._counter.index
        read |= {"total": None} if self._rounds.nests and step is None else self._counter.whole_run(step)
        here: list[_Placed] = [(read, line, None)]
        alone = standing is Standing.ANEW and self._counter.waited is not None
        if alone or (standing is Standing.AGAIN and waiting):
            placed = {"iteration": self._counter.waited}
            rows = (((None, one.line, None), (one.read | placed, one.line, one)) for one in waiting)
            here = [(None, line, None), *here] if alone else here
            return [each for both in rows for each in both] + here
        if standing is Standing.ON:
            return [*((None, one.line, one) for one in waiting if one.told), *here]
        return [(None, line, None), *here]

    def _trained(self, read: Fields, line: LogLine) -> list[Event]:
        """An iteration, with its time. A row of the newest place once more is another rank's, with its own clock."""
        if self._left_out.comes_again(line.text, read, None if self.started else self.last):
            return []
        read |= self._times_of(read, line)
        read |= {"data_wait_s": None} if read.get("averaged_over", 1) > self._counter.of_its_epoch else {}
        other = self.columns.game or self.columns.lesser  # neither of two players says how well it goes
        if other and isfinite(loss := read.get("loss", nan)):
            read |= {"loss": None, "scalars": scalars([(other, loss)]) | (read["scalars"] or {})}
        events = self.iteration(read, line)
        if events and (found := self.validation.in_row(read, line.text)) is not None:
            # printed with what it found, so that it lies before the line and in the time between two of them
            events = [*self.evaluation(found, line), *events]
        return events + self._messages(line) if events else events

    def run_info(self, line: LogLine) -> RunInfo:
        """A time by the clock has everything in it."""
        info = super().run_info(line)
        info = msgspec.structs.replace(info, resumed=False) if self._counter.resized else info
        return msgspec.structs.replace(info, time_includes=_WALL) if self._wall and not self._printed else info

    def _times_of(self, read: Fields, line: LogLine) -> Fields:
        """What the row says of time; without a printed time the clocks' differences."""
        index, epoch, by_epoch = whole(read["iteration"]), read.pop("epoch", None), read.pop("by_epoch", False)
        steps = index - self.last if index is not None and self.last is not None else 0
        crosses = self._counter.crossed and steps > 0
        steps = 0 if crosses else steps  # into an epoch, behind steps of the one before that nobody counted
        own = self._counter.of_an_epoch == 0.0  # rows are counted: none of them is an epoch's
        by_epoch = by_epoch and epoch != self._times_epoch and not own
        again = self.last is None or steps < 0 or (not by_epoch and epoch != self._times_epoch)
        self._times_epoch = epoch
        stamped = line.stamped and line.at_s is not None and self.last_at_s is not None and steps > 0
        passed_s = (line.at_s or 0.0) - (self.last_at_s or 0.0) if stamped else None
        bare_s = self._bare.since_row("" if line.stamped else line.text)
        self._newest = Row(steps, passed_s, anew=again, by_epoch=by_epoch, place=index or 0, numbered=not own)
        self._left_out.time(steps) if "time_s" in read else None
        found = self._times.of(read, self._newest) | ({"apart": True} if crosses else {})
        step = self._counter.step or 0.0
        found |= self._means.told(found, line.text, self._newest, step) if self.guesses else {}
        found |= {"uncounted": self._counter.uncounted} if self._counter.uncounted else {}
        before_s, self._elapsed_s = self._elapsed_s, (elapsed_s := found.get("elapsed_s"))
        if "duration_s" in found:
            self._printed = True
            return found
        self._wall = self._wall or elapsed_s is not None or line.stamped or self._bare.of_rows
        spent_s = bare_s if passed_s is None else passed_s
        if elapsed_s is not None and passed_s is not None and elapsed_s % 1 == 0 and (line.at_s or 0.0) % 1:
            del found["elapsed_s"]  # the stamps are finer than whole seconds
            elapsed_s = None
        if elapsed_s is not None:
            spent_s, steps = self._times.since(before_s, elapsed_s, self._newest)
        if spent_s is not None and spent_s >= 0 and steps > 0:
            witness = Witness.STAMPS if elapsed_s is None and passed_s is not None else Witness.ELAPSED
            found |= {"duration_s": spent_s / steps, "averaged_over": steps, "witness": witness}
            if witness is Witness.ELAPSED and elapsed_s is None:
                found["elapsed_s"] = self._bare.elapsed_s
        return found

    def _evaluated(self, told: Told, trained: float | None) -> list[Event]:
        """A row of an evaluation: of its middle, where it counts something of its own. `trained`: the step before it."""
        read, line, said, others = told
        part = self.columns.val_part if "val_loss" in read else self.columns.game
        loss, name = self.validation.loss_of(read, line.text), part or self.validation.called_in(line.text)
        values = self.validation.named(name, finite(loss), others)
        step, epoch = read.get("iteration"), read.get("epoch", said.epoch)
        if said.phase and step is not None and (said.length is not None or said.within or (trained or 0) > step):
            rate = read.get("steps_per_s") or 0.0
            each_s = read.get("duration_s", read.get("step_s", 1 / rate if rate > 0 else None))
            middle = self.validation.middle(step, said.length, each_s, doubted=self.guesses)
            return self.validation.part(middle | self._times.of_part(read), line, self.next_index, values)
        if step is not None and step == trained == self.last:  # all since the newest row was the evaluation
            return self.validation.whole(line, step, values, self._since_last(line, 1) or None)
        index = self.next_index if step is None else (self._counter.is_newest(step, epoch) and self.last) or step
        own = None if self.numbered or self._counter.counts_rows else epoch_told_of(read, self.last)
        if own is not None:
            index, took_s = own, self._times.of_evaluation(read.get("time_s"))
            if took_s is not None and not line.stamped:
                return self.validation.whole(line, index, values, took_s)
        return self.validation.behind_row(line, index, values, self.last if step is None else None)

    def learn(self, lines: Iterable[str], *, scattered: bool = False) -> None:
        """Look at lines of the log, to know what its columns of time mean before the first row is read."""
        pupil = type(self)(self._chosen)
        pupil.columns.watch()
        for line in lines:
            pupil.line(line, None)
        self._one_each.learn(pupil._one_each, scattered=scattered)
        if self._counter.index is None:  # what was counted goes on as it began
            self._by_epochs |= pupil._counter.coarse and not scattered and pupil._closings.whole
            self._closings.only_zero |= pupil._counter.only_zero
        self.taught(pupil)
        self._counter.rows_counted *= not self._one_each.known  # the pupil did not know

    def taught(self, pupil: RowParser) -> None:
        """Take over what another reader found out of more lines."""
        self.columns.leave_out(pupil.columns)
        for name in _LEARN:
            getattr(self, name).learn(getattr(pupil, name))
        self._printed = self._printed or pupil._printed

    def late(self, name: str, value: float) -> Fields:
        """What a time that stood on a line after the newest row says of that row."""
        found = self._times.of(dict(self.columns.read([(name, value)])), self._newest)
        elapsed_s, before = found.get("elapsed_s"), self._late
        if elapsed_s is not None and self.last is not None:
            self._late = self.last, elapsed_s
            if "duration_s" not in found and before and before[0] < self.last and before[1] <= elapsed_s:
                each_s = (elapsed_s - before[1]) / (steps := self.last - before[0])
                found |= {"duration_s": each_s, "averaged_over": steps, "witness": Witness.ELAPSED}
        return found

    def _messages(self, line: LogLine) -> list[Event]:
        """What a person should know of how the rows are read: the guess, and where a row contradicts itself."""
        words = list[str]()
        if self.guesses and not self._shown:
            guess, self._shown = self._closings.without_step(self.columns.describe()), True
            words = [GUESSED + self._times.named(guess) + _CORRECT]
        unknown = self._counter.is_lower_bound and not self._by_epochs
        self.at_least = unknown or self._counter.loaded.from_unknown
        words += [*self._counter.begins.words(unknown=unknown), *self._counter.loaded.words()]
        words += self._loss_names.words(self.guesses)
        messages = (Message(word, at_s=line.at_s) for word in words)
        warnings = filter(None, (self._counter.writers.word(), self._times.contradiction()))
        return [*messages, *(Message(said, level=Severity.WARNING, at_s=line.at_s) for said in warnings)]
