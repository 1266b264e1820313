"""A progress bar of tqdm, the heads of epochs above it and the losses that lines below it say, and nothing else that we know.

Downloads, inference and renderings have such bars, too: the log must say somewhere that it trains, and the bar's title nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace

from ....events import EVALUATION, Iteration, PrintedLoss
from ...patterns import lazy_pattern
from ..base import Example, Specificity
from ..between.epoch_heads import EpochHeads
from ..between.late_values import late_row, loss_in
from ..between.said_losses import behind_bar, is_of_batch, said_in
from ..epoch_bars.aside import BarsAside
from ..epoch_bars.headed import heads_evaluation
from ..epoch_bars.of_validation import BarsOfValidation
from ..epoch_bars.opened import OpenedAnew
from ..epoch_bars.told_behind import ToldBehind
from ..parsing.bar_parser import BarParser
from ..parsing.bars import BAR, BAR_START, ENDLESS_BAR, Bar, bar_of
from ..parsing.grammar import LONGEST, PREFIX, Line, shape_of
from ..parsing.phases import RULES
from ..parsing.values import LogLine, ended, finite, loss_fields
from ..parsing.which_bar_trains import EPOCH, Bars, beyond_total, passes_total

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence

    from ....events import Event, SpanEnd
    from ..parsing.grammar import LineKind
    from ..parsing.values import Fields

_SAYS = r"(?i:(?<![a-z])(?:train(?!ed|able)|epochs?(?![a-z])|learning[ _]rate|optimi[sz]er|gradients?(?![a-z]))|loss(?![a-z]))|^\W*[A-Za-z]\w{0,15}: ?-?\d+\.\d+[;,] ?[A-Za-z]\w{0,15}: ?-?\d+\.\d+.{0,400}?\d/\d"
"""What a log has that trains, somewhere."""
_TITLED = lazy_pattern(r"(?i)[^\d=]*[a-z]{3}[^\d=]*")
_COUNTS = lazy_pattern(
    r"(?i)train|epoch|step|iter|batch|episode|generation|update|optim|fit|learn|round|loss|acc|reward|^\W*progress\W*$"
)

_BATCHES = lazy_pattern(r"s/(?:batch(?:es)?|steps?|epochs?)|(?:batch(?:es)?|steps?|epochs?)/s")
"""A unit that a script named: its bar counts what a training does, whatever its title. Those of evaluations are known by theirs."""
_APPLIES = lazy_pattern(
    r"(?i)embed|featur|rank|retriev|scor|render|caption|annotat|label|attack|collect|search|match|pars|transcri|translat|decod|visuali|plot|inver"
)
"""What is done with a model that learns no more, or to data."""

_LEAST_S = 1.0
"""Seconds of an epoch: steps that are quicker may have a line `Epoch 3` beside the third of them by chance."""

_WHOLE = 0.5
"""Of the time of a step: less passed between two frames for another reason."""

_SHORT = 80
_OF_EPOCH = lazy_pattern(r"(?i)\W{0,40}epoch\W{0,3}(\d{1,6})\b")


class Tqdm(BarParser):
    """Steps and times of the bar."""

    name = "tqdm"
    about = "a progress bar's steps; times from its smoothed rate, undone; all between two frames is in them"
    specificity = Specificity.COMMON
    lines = (
        *(bar._replace(pattern=rf"(?=^.{{0,{LONGEST}}}?(?:{_SAYS})).{{0,{LONGEST}}}?{bar.pattern}", distinctive=True) for bar in (BAR, ENDLESS_BAR)),
        BAR, BAR_START, ENDLESS_BAR,
        *(Line(part, _SAYS, "known", distinctive=True) for part in ("rain", "TRAIN", "poch", "oss", "earning", "ptimi", "radient")),
    )  # fmt: skip

    @classmethod
    def carries_iteration(cls, text: str, kind: LineKind, found: re.Match[str]) -> bool:
        """A bar with a title of words counts what they say; one of a single step that says nothing, files or parts of data."""
        carries = super().carries_iteration(text, kind, found)
        if not carries or kind.name != "bar":
            return carries
        bar = bar_of(text, fields := kind.read(found))
        if bar.total == 1 and not (bar.title or bar.postfix):
            return False
        of_batches = _BATCHES.fullmatch(fields["bar_unit"]) and not _APPLIES.search(bar.title)
        return bool(of_batches or bar.trains or not _TITLED.fullmatch(bar.title) or _COUNTS.search(bar.title))

    def __init__(self) -> None:
        super().__init__()
        self._heading = ""  # of an evaluation that a line announced, until the training goes on
        self._heads, self._told, self._validations = EpochHeads(), ToldBehind(), BarsOfValidation()
        self._opened_anew, self._aside = OpenedAnew(), BarsAside()
        self._result_told: tuple[str, float | None] = ("", None)  # its line without digits, and its loss
        self._said_train = self._said_result = self._evaluated = False  # by a line or a bar, since the newest step
        self._unsaid: int | None = None  # of what the newest evaluation with a bar was, until its loss is told
        self._epoch_said = self._epoch_told = 0  # by the newest line that begins with one, and the one of the loss

    def look_ahead(self, lines: Sequence[str]) -> None:
        """Does a bar that names nothing count samples? Then what was learned of it is of another count."""
        found = ((text, matched[0].read(matched[1])) for text in lines if (matched := self.match(text)))
        if self._sample.batches.look_ahead(
            [bar_of(text, fields) for text, fields in found if "bar_rate" in fields]
        ):
            self._sample = Bars(self._sample.batches)
            self.learn(lines)

    def learn(self, lines: Iterable[str], *, scattered: bool = False) -> None:
        """Also, whether all bars are of validations."""
        super().learn(lines := [*lines], scattered=scattered)
        found = ((text, matched[0].read(matched[1]) if (matched := self.match(text)) else {}) for text in lines)
        self._validations.learn(
            (text, bar_of(text, fields) if "bar_rate" in fields else None) for text, fields in found
        )

    def line(self, text: str, at_s: float | None) -> Sequence[Event]:
        """`Evaluating ...`, on a line of its own, is the title of the bars below it that have none."""
        lost: list[Event] = []
        self._sample.headed.hear(text)
        if len(text) < _SHORT and " [" not in text and heads_evaluation(text):
            self._heading = text.strip(RULES)
        if " [" not in text or "/s" not in text:
            self._heads.hear(text)
            lost = self._newest_values() if text.strip() and " [" not in text else []
            if self._told.hear(text, bars=self.newest is not None):
                lost += self._lost_steps()
        if "poch" in text and (said := _OF_EPOCH.match(PREFIX.sub("", text[:_SHORT], count=1))):
            self._epoch_said = int(said[1])
        events = [*lost, *super().line(text, at_s)]
        if "oss" not in text or (self.last is None and not self._counts_epochs) or text.endswith("]"):
            return events
        told = [] if is_of_batch(text) else self._said(behind_bar(text), LogLine.of(text, at_s, self.calendar))
        return [*events, *self._closed(), *told] if told else events

    def _said(self, text: str, line: LogLine) -> list[Event]:
        """Losses in what stands behind a bar, or below it: the first of each since the newest step.

        A line like the first, with another validation loss, is of one more evaluation: a step trains several epochs.
        """
        bar, last = self._evaluating, self._place
        under_way = bool(self._heading) or (bar is not None and not bar.full)
        said = said_in(text, evaluated=self._evaluated or self._said_result or under_way)
        events: list[Event] = []
        if said is None or last is None or self.newest is None:
            return events
        means = said.train is not None and self._values.may_mean(said.train)
        waited = self._said_train and self._epoch_said > self._epoch_told  # lines of several epochs, at once
        untold = (waited or not self._said_train) and (means or loss_in(self.newest) is None)
        if said.train is not None and untold:
            self._said_train, self._epoch_told = True, self._epoch_said
            events.append(PrintedLoss(last, newer=means or waited, **loss_fields(said.train)))
        told, before = (shape_of(text[: 2 * _SHORT]).replace("0", "")[:_SHORT], said.validation), self._result_told
        again = self._said_result and (told[0] != before[0] or told[1] == before[1])
        if said.validation is None or again:
            return events
        self._said_result, self._result_told = True, told
        return [*events, *self._result(said.validation, said.found or {}, line, last)]

    def _newest_values(self) -> list[Event]:
        """Those of the last frame of a bar that is over, behind the step that it counts: they are the newest."""
        bar = self._values.unsaid()
        return [] if bar is None or self.last is None else [replace(late_row(bar.postfix, self.last), newer=True)]

    @property
    def _counts_epochs(self) -> bool:
        """Is each step of the bar an epoch? Its lines come before the frame that counts it."""
        bar = self.newest
        if bar is None or self._before or bar.full:
            return False
        return bar.outer or (
            self._epoch_said == bar.n + 1 and (not bar.n or (bar.seconds_each or 0.0) >= _LEAST_S)
        )

    @property
    def _place(self) -> int | None:
        """What a line is of: the newest step, or the epoch that the next frame will count."""
        return self.newest.n + 1 if self.newest is not None and self._counts_epochs else self.last

    def _result(self, loss: float, found: dict[str, float], line: LogLine, last: int) -> list[Event]:
        """What an evaluation found. It is over; without a bar of its own its line is all that tells of it.

        Lines wait in a buffer at times, and bars do not: what comes steps later is of the newest bar that none told of.
        """
        over, unsaid = self._evaluation_over(line), self._unsaid
        self._unsaid = None
        if unsaid is not None:
            last = unsaid
        elif not self._evaluated:
            between = self.newest is not None and self.newest.full
            took_s = self._aside.taken_s() if between else None
            over = [ended(EVALUATION, line.at_s, self.next_index, took_s, apart=between)]
        return [*over, PrintedLoss(last, validation_loss=finite(loss), scalars=found or None)]

    def _bar_ended(self, bar: Bar, line: LogLine) -> SpanEnd:
        """Between two bars of which each has an epoch's head it is in no step, also where the last ones were not drawn."""
        self._evaluated, newest, end = True, self.newest, super()._bar_ended(bar, line)
        self._unsaid = self._place
        between = newest is not None and newest.nearly_full and self._heads.steps(self._before, newest.total)
        return replace(end, apart=True) if between else end

    def frame(self, bar: Bar, line: LogLine) -> Sequence[Event]:
        """A bar right below a heading is an evaluation's, also where it is as long as the training's."""
        newest = self.newest
        self._aside.see(bar, newest)
        if newest is not None and bar.total == newest.total and not bar.outer:
            self._told.again |= bar.n <= newest.n or bar.elapsed_s < newest.elapsed_s
        if self._validations.evaluates(bar):
            return self._evaluation_bar(bar, line)
        if self._sample.headed.evaluates(bar) and self.newest is not None:
            return [*(self._last_step(line) or []), *self._evaluation_bar(bar._replace(title=self._heading), line)]
        return [] if self._is_second(bar) else self._unheaded(bar, line)

    def _lost_steps(self) -> list[Event]:
        """Those of an epoch that is over, behind the last frame that is left of its bar: nobody knows how long they took."""
        newest, over = self.newest, self._told.over
        if newest is None or over is None or newest.full or newest.title:
            return []
        if not newest.total or self._counts_epochs:
            return []
        if 2 * newest.n < newest.total:  # the next one's bar has begun: the line waited in a buffer
            self._told.fresh = False
            return []
        return self.iteration({"iteration": over * newest.total}, LogLine("", None))

    def _is_second(self, bar: Bar) -> bool:
        """As long as the training's, behind that and in front of the line that tells of their epoch: the evaluation's, or drawn again.

        Behind that line, the same bar's that is drawn late.
        """
        newest = self.newest
        if self._told.over is None or newest is None or bar.title or bar.total != newest.total:
            return False
        goes_on = bar.n >= newest.n and bar.elapsed_s >= newest.elapsed_s
        return not newest.full and goes_on if self._told.fresh else newest.full

    def _steps_back(self, bar: Bar, newest: Bar, epoch: int | None) -> bool:
        """Behind the line that tells of an epoch another bar begins, also where only its last frame is left."""
        next_one = self._told.over is not None and self._told.fresh and not bar.title and bar.total == newest.total
        again = bar.n <= newest.n or bar.elapsed_s < newest.elapsed_s
        return (next_one and again) or super()._steps_back(bar, newest, epoch)

    def _is_next_pass(self, bar: Bar, newest: Bar) -> bool:
        """Also where a bar aside ran longer between the two ends than their clocks are apart."""
        return self._aside.show_next(bar, newest) or super()._is_next_pass(bar, newest)

    def _begun_again(self, bar: Bar, line: LogLine, newest: Bar, epoch: int | None) -> Sequence[Event] | None:
        """Epochs that lines tell of one by one count the bars, of which frames or all may be lost."""
        if (over := self._told.over) is None or bar.title or not newest.total:
            return super()._begun_again(bar, line, newest, epoch)
        self._another_bar(follows=newest)
        self._before = (over if self._told.fresh else over + 1) * newest.total  # a line may wait in a buffer
        self._told.fresh = False
        return ()

    def _unheaded(self, bar: Bar, line: LogLine) -> Sequence[Event]:
        """A bar somewhere below a heading is an evaluation's where it is none of the training's length."""
        newest = self.newest
        if (
            newest is not None
            and (bar.total != newest.total or bar.n < newest.n)
            and (last := self._last_step(line))
        ):
            return [*last, *self._unheaded(bar, line)]
        bar = beyond_total(bar, newest) if newest and passes_total(bar, newest) else bar
        if self._heading and not bar.title and newest is not None and bar.total not in (None, newest.total):
            return self._evaluation_bar(bar._replace(title=self._heading), line)
        if newest is not None and bar.total == newest.total:
            self._heading = ""
            bar = self._with_uncounted(bar, newest)
        headed = self._begins(bar) and self._heads.begins()
        begun = self._another_training(line) if self._opens(bar) or headed else []
        return [*begun, *super().frame(bar, line)]

    def _opens(self, bar: Bar) -> bool:
        """Is it the first behind the log's first lines, of a training of several bars that is over?"""
        newest = self.newest
        if newest is None or not newest.nearly_full or bar.title != newest.title or bar.evaluates or bar.prepares:
            return False
        opened = self.opened and self._around is None and not (bar.inner or newest.inner)
        return self._opened_anew.begins(opened=opened, several=self._before > 0)

    def _last_step(self, line: LogLine) -> Sequence[Event]:
        """That of a bar that was erased before it was drawn."""
        last = self._values.last_step() if self.newest is not None and self.last is not None else None
        return [] if last is None or last.total != self.bar_total else super().frame(last, line)

    def _with_uncounted(self, bar: Bar, newest: Bar) -> Bar:
        """`60/100`, the losses of epoch 61, and `60/100` an epoch later: the loop was left before the bar could count it."""
        again = bar.n == newest.n and self._counts_epochs and (self._said_train or self._said_result)
        whole_s = _WHOLE * (newest.seconds_each or 0.0)
        if not again or not 0 < whole_s <= bar.elapsed_s - newest.elapsed_s:
            return bar
        return bar._replace(
            n=bar.n + 1, seconds_each=bar.elapsed_s - newest.elapsed_s
        )  # its rate is that of another count

    def end(self) -> list[Event]:
        """The log is over: the epoch whose losses its last line says was trained, though no frame counts it."""
        said, newest = self._said_train or self._said_result, self.newest
        if self._lines == self._drawn_at and (last := self._last_step(LogLine("", None))):
            return [*last]
        if not said or newest is None or not self._counts_epochs or self._epoch_said != newest.n + 1:
            return self._newest_values()
        return self.iteration({"iteration": newest.n + 1}, LogLine("", None))

    def _begins(self, bar: Bar) -> bool:
        """Is it a training's bar, and not the one of the newest frame?"""
        newest = self.newest
        if newest is None:
            return bar.trains or not (bar.evaluates or bar.prepares)
        if bar.evaluates or bar.prepares or EPOCH.search(bar.title) or bar.title != newest.title:
            return False
        return self._steps_back(bar, newest, None) if bar.total == newest.total else bar.trains and newest.trains

    def _another_training(self, line: LogLine) -> list[Event]:
        """Below the head of a first epoch that came again, and behind the log's first lines, nothing goes on."""
        if self.newest is None or self.last is None:
            return []
        over = self._evaluation_over(line)
        self._another_bar()
        self._waiting = self.last = self.total = None
        return [*over, self.run_info(line)]

    def step(self, fields: Fields, bar: Bar, line: LogLine) -> Sequence[Event]:
        """Heads say how many bars there are to be."""
        self._aside.goes_on()
        if steps := self._heads.steps(self._before, bar.total):
            fields["total"] = steps
        told = super().step(fields, bar, line)
        if Iteration in map(type, told):
            self._said_train = self._said_result = self._evaluated = False
            self._epoch_said = 0
        return told

    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            """
Loading checkpoint shards: 100%|██████████| 4/4 [00:03<00:00,  1.26it/s]
  0%|          | 0/3 [00:00<?, ?it/s]
 33%|███▎      | 1/3 [00:02<00:04,  2.00s/it, loss=2.5]
 67%|██████▋   | 2/3 [00:04<00:02,  2.00s/it, loss=2.25]
""",
            iterations=((1, 2.0, 1, 2.5), (2, 2.0, 1, 2.25)),
        ),
        Example(
            """
Epoch 1/2: 100%|██████████| 50/50 [00:10<00:00,  5.00it/s, loss=1.5]
Epoch 2/2: 100%|██████████| 50/50 [00:20<00:00,  2.50it/s, loss=1.25]
""",
            iterations=((50, 0.2, 50, 1.5), (100, 0.4, 50, 1.25)),
            variant="tqdm by epochs",
        ),
    )
