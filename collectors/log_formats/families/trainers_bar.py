"""Which of a Hugging Face Trainer's bars is the training's: some have no title, as those of its evaluations and of tokenizing."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ....events import EVALUATION, PrintedLoss, RunInfo
from ..base import held_back
from ..parsing.bar_parser import BarParser
from ..parsing.grammar import handler
from ..parsing.values import LogLine, ended, finite, whole
from .behind_a_flush import InnerBar, is_trained, logged_in
from .nesting import Nesting
from .next_training import NextTraining
from .steps_by_epochs import ByLines, Filled, StepsByEpochs, Told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event
    from ..parsing.bars import Bar
    from ..parsing.values import Fields

OF_AN_EPOCH = "Iteration"
"""The bar's title until 2020, and in scripts before there was a Trainer."""

RESUMES = r"(?i)(?:resum|continu)\w{0,8}.{0,40}from.{0,400}?(?:checkpoint-|global step )(?P<iteration>\d+)\W*$"
"""`Resuming from checkpoint: out/checkpoint-500`, `Continuing training from global step 500`."""

_FIRST_DRAWN = 64
"""Steps behind a checkpoint: further on is no first frame of who goes on from there."""

_LEAST_LEAPT = 100
"""Steps between two frames of tqdm, at the Trainer's fastest."""

_FASTER, _MORE = 10, 10
"""A leap is so much faster than the steps behind it, and so many times as long as the next frame's way."""

_MOST_BOOKED = 1_000

_NO_STEP_S = 1e-3
"""The Trainer's own code takes longer for a step, whatever the model."""


class Sparse:
    """Is the bar drawn no more than once for a dictionary, which stands right behind that frame? So it is where of each line of
    a terminal only the end was kept.

    Else whoever prints a dictionary draws the bar again, at the dictionary's step.
    """

    def __init__(self) -> None:
        self._frames = 0  # since the newest dictionary
        self._newest: int | None = None

    def see(self, step: int) -> None:
        """A frame."""
        self._frames += step != self._newest or not self._frames
        self._newest = step

    def placed(self) -> None:
        """A dictionary has its step."""
        self._frames = 0

    def is_of(self, before: int, step: int, logged_at: int | None, total: int | None) -> bool:
        """Is the dictionary between the frames of these steps the first one's? `logged_at`: the step of the dictionary before it."""
        each = logged_at or before
        return self._frames == 1 and before > 1 and before % each == 0 and (step % each == 0 or step == total)


class Leap:
    """Does a bar leap from 0 over the steps that a checkpoint holds, of which no line told?

    tqdm draws ten times a second: a first frame far on, as if each step had taken next to nothing, and a next one a few steps
    further and seconds later. Where frames are missing, both are about as far and as fast.
    """

    def __init__(self) -> None:
        self._first: Bar | None = None  # whose way may be a leap, until the next frame

    def see_first(self, bar: Bar) -> None:
        """The first frame that counts."""
        self._first = bar if bar.n >= _LEAST_LEAPT and bar.says_more and not bar.full else None

    def stop(self) -> None:
        """What comes until the next frame is no step alone."""
        self._first = None

    def was_one(self, bar: Bar) -> bool:
        """By the next frame of the same bar."""
        first = self._first
        if first is None or bar.total != first.total or bar.n == first.n:
            return False
        self._first = None
        steps, least_s = bar.n - first.n, bar.elapsed_s - first.elapsed_s - 1  # by whole seconds
        is_long = 0 < steps * _MORE <= first.n and not bar.full
        return is_long and least_s / steps > _FASTER * (first.elapsed_s + 1) / first.n


class TrainersBar(BarParser):
    """The bars. Whoever reads the lines between them says what they tell of the training's length and losses."""

    each_bar_is_a_run = True

    def __init__(self) -> None:
        super().__init__()
        self._epochs: float | None = None
        self._steps: int | None = None
        self._has_logged = False  # a loss, since which the training's bar is known
        self._other_total: int | None = None  # of a bar of another length, since the newest loss
        self._next_total: int | None = None  # ... on which a loss followed
        self._prepared: int | None = None  # length of a bar that only prepared
        self._nesting, self._next = Nesting(), NextTraining()
        self._over = False  # what the training took was printed
        self._inner, self._sparse = InnerBar(), Sparse()
        self._interval: int | None = None  # steps between two dictionaries
        self._logged_at: int | None = None  # step of the newest one
        self._step: int | None = None  # in the newest frame
        self._told_at: int | None = None  # the newest of these of which one did
        self._from: float | None = None  # the step of the checkpoint that the next bar goes on from
        self._held: tuple[Fields, LogLine] | None = None  # a step whose dictionary is due
        self._leap, self._told = Leap(), Told()
        self._banner = Filled()
        self._by_epochs, self._by_lines = StepsByEpochs(), ByLines()
        self._booked: deque[int] = deque(
            maxlen=_MOST_BOOKED
        )  # steps of evaluations that no dictionary told of yet

    @handler()
    def resumes(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A process goes on from a checkpoint: its bar leaps from 0 to there."""
        self._from = fields["iteration"]
        return []

    @handler()
    def training_begins(self, _fields: Fields, line: LogLine) -> list[Event]:
        """Behind the end of one it is another: its first dictionary may come before its bar."""
        if not self._over:
            return []
        events = held_back(self)
        self._another_bar()
        self._over = False
        self._begin()
        self.last = self.total = None
        return [*events, self.run_info(line)]

    def _begin(self) -> None:
        """What was found out of the training before is none of this one's: how long its evaluations are, how often it logs."""
        self._told, self._inner = Told(), InnerBar()
        self._by_epochs, self._by_lines = StepsByEpochs(), ByLines()
        self._interval = self._logged_at = None

    def _another_length(self, bar: Bar, line: LogLine, newest: Bar) -> list[Event]:
        """Behind a full bar one from its beginning on is another training's: nothing is done again."""
        events = super()._another_length(bar, line, newest)
        if not (newest.full and bar.n <= 1):
            return events
        self._begin()
        return [replace(one, resumed=False) if isinstance(one, RunInfo) else one for one in events]

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """A training that failed before its first loss is told of before its end is."""
        if not self._next.broke_off(text):
            return super().line(text, at_s)
        self._next_total, crashed, self.crashed = self._other_total, self.crashed, False
        begun = [*self._begun_behind(), *self.release()]
        self.crashed = crashed
        return [*begun, *super().line(text, at_s)]

    def _begun_behind(self) -> list[Event]:
        """The frames of the next training, once it is known for one."""
        frames = self._next.take(self._next_total)
        return [event for bar, line in frames for event in self.frame(bar, line)]

    @handler()
    def epochs(self, fields: Fields, _line: LogLine) -> list[Event]:
        """With it a step follows from an epoch."""
        self._epochs = finite(fields["epochs"])
        return []

    @handler()
    def total_steps(self, fields: Fields, line: LogLine) -> list[Event]:
        """The length of the training, by which its bar is known among the others."""
        self._steps = whole(fields["max_iterations"])
        self._banner.closed()
        return [] if self._steps == self.total else self.config(fields, line)

    @handler(numbers=("examples",))
    def unsloth(self, fields: Fields, line: LogLine) -> list[Event]:
        """Unsloth prints both in its banner, as `Num Epochs = 1 | Total steps = 60`."""
        told = [*self.of_an_epoch_is_told(fields, line), *self.epochs(fields, line)]
        return [*told, *self.total_steps({"max_iterations": fields["max_iterations"]}, line)]

    @handler(numbers=("examples", "steps"))
    def of_an_epoch_is_told(self, fields: Fields, _line: LogLine) -> list[Event]:
        """How many steps an epoch has: its examples and the batch of a step, of all processes, tell; or since 2026 a line."""
        self._banner.said(**{name: fields[name] for name in ("examples", "batch", "steps") if name in fields})
        return []

    @property
    def _filled(self) -> float | None:
        """Epochs that the steps of the training fill; `None`: not known."""
        return self._banner.by(self._epochs, self._steps)

    def _time_of(self, bar: Bar) -> Fields:
        """What a step took: of the steps before a checkpoint that a bar leaps over none was done here."""
        found, first = super()._time_of(bar), self._from
        self._from = None if bar.n else first
        begins = self.newest is None or self.newest.n == 0
        if self.newest is not None and begins and bar.n:
            self._leap.see_first(bar)
        leaps = first is not None and begins and first <= bar.n <= first + _FIRST_DRAWN
        return {} if leaps and bar.n else found

    def frame(self, bar: Bar, line: LogLine) -> Sequence[Event]:
        """A bar below the training's is an evaluation's."""
        if self.newest is not None and self.newest.n and not bar.title and bar.total != self.newest.total:
            self._inner.see(bar)
            self._leap.stop()
        if self._leap.was_one(bar) and self._held is not None:
            for name in ("duration_s", "averaged_over", "witness"):
                self._held[0].pop(name, None)
        events = super().frame(bar, line)
        follows = self._over and self._other_total is not None and bar.total == self._other_total
        if follows and not (bar.title or bar.inner):  # else losses may come late, behind the last evaluation
            self._next.see(bar, line)
        return events

    def _moves_to(self, step: int, line: LogLine) -> list[Event]:
        """The training's bar at a step: an evaluation may draw it again before its own is closed."""
        over = [] if step == self._step else self._inner_over(line)
        self._step = step
        return over

    def _inner_over(self, line: LogLine) -> list[Event]:
        """The training goes on, and no dictionary has told of the evaluation whose bar was drawn."""
        bar = self._inner.over()
        if bar is None or not bar.spent_s:
            return []
        self._booked.append(self._step or 0)
        return [ended(EVALUATION, line.at_s, self.next_index, bar.spent_s)]

    def _told_before(self, *, again: bool) -> int | None:
        """The step of the evaluation that a dictionary tells of, where its bar was drawn before the training went on.

        `again`: of the same epoch as the dictionary before, as where there are several sets of data.
        """
        if self._inner.over() is not None:
            return None
        if not again or self._told_at is None:
            self._told_at = self._booked.popleft() if self._booked else None
        return self._told_at

    @property
    def _is_undrawn(self) -> bool:
        """Does the bar's end wait to be told, and was most of it never drawn, as where a terminal's lines were lost?"""
        if self._held is None or self.newest is None or not self.newest.full:
            return False
        return self.newest.n - (self.last or 0) > self.newest.n / 2

    def _undrawn(self, placed: Sequence[Event]) -> list[Event]:
        """What dictionaries say of the steps between the newest row and the end: rows, whose time is in the mean of the end."""
        events: list[Event] = []
        spent: list[Event] = []
        for row in placed:
            if not isinstance(row, PrintedLoss) or (is_trained(row) and row.iteration <= (self.last or 0)):
                events.append(row)
            elif not is_trained(row):
                spent.append(ended(EVALUATION, None, self._held and self._held[0]["iteration"], row.evaluation_s))
                events.append(replace(row, evaluation_s=None))
            elif self._held is not None and row.iteration < self._held[0]["iteration"]:
                fields = logged_in(row) | {"iteration": row.iteration, "averaged_over": 0}
                events += self.iteration(fields, LogLine("", None))
            elif self._held is not None:
                self._held[0].update(logged_in(row))
        return [*events, *spent]

    def trains(self, bar: Bar) -> bool:
        """The bar as long as the training, where its length was printed; evaluations have one without a title too."""
        if bar.title == OF_AN_EPOCH or self._is_of_an_epoch(bar):
            self.each_bar_is_a_run = False
            return True
        other = self._nesting.is_other(bar)
        if self._steps is not None:
            return bar.total == self._steps
        if other or self._prepares_fast(bar):
            return False
        return self._trains_untitled(bar)

    def _is_of_an_epoch(self, bar: Bar) -> bool:
        """A script that prints the Trainer's banner may draw a bar in each epoch, whose lengths add up to its steps."""
        parts = bar.total is not None and self._epochs is not None and bar.total * self._epochs == self._steps
        return parts and self._epochs != 1 and bar.trains

    def _trains_untitled(self, bar: Bar) -> bool:
        if self.newest is None and self.last is not None:  # dictionaries named the steps: its bar came first
            return bar.total == self.total
        if self._over and self.newest is not None and bar.total not in (self.newest.total, self._next_total):
            self._other_total = bar.total  # a loss would tell of another training
            return self.crashed and bar.n <= 1
        if self.newest is None or bar.total in (self.newest.total, self._next_total) or not self._has_logged:
            taken, full = super().trains(bar) or bar.total == self._next_total, self.newest and self.newest.full
            self._other_total, self._over = bar.total if full and not taken else None, self._over and bar.full
            return taken
        self._other_total = (
            bar.total if self.newest.full else None
        )  # of an evaluation, or of another training, of which a loss would tell
        return self.crashed and bar.n <= 1

    def _prepares_fast(self, bar: Bar) -> bool:
        """Before the first loss: is it of what takes no time, as tokenizing? Such bars may have no title either."""
        if self._has_logged:
            return False
        if bar.seconds_each is not None and bar.seconds_each < _NO_STEP_S and not bar.trains:
            self._prepared = bar.total
            if self.newest is not None and self.newest.n == 0:
                self.newest = None
        return self._prepared is not None and bar.total == self._prepared

    def _is_logged(self, held: int) -> bool:
        """Is it the held step's dictionary, for what is known of those before?"""
        return self._interval is not None or self._sparse.is_of(held, held, self._logged_at, None)

    def _logged(self, index: int) -> None:
        """The interval shows with the second dictionary; the first step may be logged besides (`logging_first_step`)."""
        if self._logged_at is not None and index > self._logged_at:
            self._interval = index if self._logged_at == 1 else index - self._logged_at
        self._logged_at = index
        self._sparse.placed()

    def _is_behind(self, read: dict[str, float]) -> bool:
        """Has the bar gone further than a dictionary that none of its frames followed? Else the frame's line was cut off."""
        epoch, last = finite(read.get("epoch")), self.newest.n if self.newest else 0
        filled = self._filled
        if epoch is None or not (self._steps and filled):
            return True
        return round(epoch * self._steps / filled) <= last
