"""An evaluation that a log tells of line by line: when it began, how long it took, what it found.

`Test: [10/100] Time 0.3 Loss 2.1` is a part of one; `Evaluation Epoch 5 - Average Loss: 3.75` is a whole one, or the end of one whose
parts came before. It is over with its last line, at the latest when the training goes on. What the middle of one shows that
broke off is no result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ....events import EVALUATION, SpanBegin, SpanEnd
from ...patterns import lazy_pattern
from ..announced_stops import announced
from ..counting.loaded import loads
from ..means.means_so_far import may_be_means
from ..sets.of_a_test import as_of_test, ends_training, loss_of_test
from ..stops.passes import Passes
from ..stops.reached import Reached
from .phases import saves, validates
from .values import LogLine, ended, finite, newest_in, number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ....events import Event
    from ..counting.standing import RowContext
    from .values import Fields


_OF_TEST = lazy_pattern(r"(?i)(?<![a-z])test(?:ing)?(?![a-z])")
_OF_VALIDATION = lazy_pattern(r"(?i)(?<![a-z])(?:vali?|valid|validation|dev)(?![a-z])")
_LONGEST = 2_000

_TOOK = lazy_pattern(
    r"(?i)(?:[\w /.-]{0,40}[/_. -])?(?:eval|val|valid|validation|evaluation|test|dev)[/_ -](?:total[/_ -])?"
    r"(?:(?P<sure>runtime|seconds|secs?|s|(?:time|duration|took)[/_ -]?[([]?(?:s|secs?|seconds)[)\]]?)|time|duration|took)"
)
"""A column with what an evaluation took: `timing/eval_total_seconds`, `eval_runtime`; of `val_time` the clock has to say that these are seconds."""

CLOCKED_S = 10.0
"""From here on a clock of whole seconds tells what an evaluation took to a tenth."""

LEAST_S = 2.0
"""Between an epoch's line and what its evaluation found: of less nobody knows whether both were printed behind that."""

LEADS = 10
"""So many times longer than from the evaluation before to the row is none: the row was printed as its epoch began to train."""

TOGETHER_S = 0.05
"""Two lines no further apart were printed one behind the other: what the second tells of was over before the first."""


_MEAN_OF_ALL = lazy_pattern(r"(?i)\bloss\b ?[:=]? {0,4}-?\d{1,9}\.\d{1,15} {0,2}\((-?\d{1,9}\.\d{1,15})\)")
_METRIC = lazy_pattern(
    r"(?i)(?<![a-z])(?<!best[ _-])(?:val(?:id(?:ation)?)?|test|eval|dev)[ _/.-]{1,2}(?:[a-z]{1,8}[ _/.-])?"
    r"(?:acc(?:uracy)?|f1|auc|m?iou|map|bleu|rouge|psnr|ssim|dice|rmse|mae|score|ppl|perplexity|wer|cer|recall|precision|top[15])"
    r"\w{0,8}['\"]?(?: ?[:=] ?| {1,3})(\d{1,5}(?:\.\d{1,9})?)"
)
"""`val acc 95.4%`, `test_f1=0.75`: what an evaluation found besides its loss."""
_EVALUATES = ("val", "test", "eval", "dev")

MOST_TOLD = 256
"""Rows of evaluations that wait with a row of the training; all those behind it of a pass through a set may come."""


class Told(NamedTuple):
    """A row of an evaluation, as it was read."""

    read: Fields
    line: LogLine
    said: RowContext
    others: dict[str, float]


class Waiting(NamedTuple):
    """A row that may be the first of another training, its step, and the evaluations that were told behind it.

    They are of its model: what the first row of a training found is not booked to the training before.
    """

    read: Fields
    line: LogLine
    step: float | None
    told: list[Told]

    def is_before(self, step: float | None, epoch: float | None) -> bool:
        """Is a row, without a step, of the next epoch of its training? Then that goes on, whatever was announced."""
        return step is None is self.step and epoch is not None and epoch == (self.read.get("epoch") or 0.0) + 1

    def holds(self, told: Told) -> bool:
        """Keep a row of an evaluation behind it, if there is room."""
        if len(self.told) < MOST_TOLD:
            self.told.append(told)
            return True
        return False


def of_the_newest_row(event: Event, told: Told, newest: int | None) -> Event:
    """An evaluation that names no place of its own is of the newest row's model, whatever comes next on that line."""
    named = "iteration" in told.read or told.read.get("epoch") is not None
    return event if named else of_the_newest(event, newest)


def of_the_newest(event: Event, newest: int | None) -> Event:
    """The same of a line that has no place: it is shown at the `newest` iteration, not at one that may never come."""
    if newest is None or not isinstance(event, SpanEnd) or event.iteration != newest + 1:
        return event
    return replace(event, after=newest)


def epoch_told_of(read: Fields, newest: int | None) -> int | None:
    """The epoch that an evaluation names, where it is the `newest` or plainly before that, as the best one's at the end."""
    epoch = None if "iteration" in read else read.get("epoch")
    is_told = epoch is not None and newest is not None and (epoch == newest or epoch < newest - 1)
    return int(epoch) if is_told and epoch is not None else None


def at_the_end(events: Sequence[Event], newest: int | None, left: int) -> Sequence[Event]:
    """An evaluation behind the last row of an epoch whose last steps, so many are `left`, have none is of its end."""
    if not (left and events) or newest is None:
        return events
    return [
        replace(one, iteration=newest + left + 1, after=newest + left)
        if isinstance(one, SpanEnd) and one.kind == EVALUATION and _is_of(newest, one)
        else one
        for one in events
    ]


def _is_of(newest: int, one: SpanEnd) -> bool:
    """Is it of the newest row's model? So is what a line found that names no iteration."""
    return one.after == newest or (one.after is None and one.iteration == newest + 1 and bool(one.values))


class Validation:
    """The evaluation at hand, if there is one."""

    def __init__(self) -> None:
        self._began: tuple[LogLine, float | None] | None = (
            None  # its first line, and the iteration it comes before
        )
        self._last: LogLine | None = None
        self._row: LogLine | None = None  # the newest of the training
        self._closing: LogLine | None = None  # the newest that closes an epoch behind it, and nothing else since
        self._values: dict[str, float] = {}
        self._shown = 0.0, 0.0  # how far the newest line of its middle has come, and its loss
        self._of_one = False  # are such losses of one batch each, and none of all?
        self._passes = Passes()
        self._reached = Reached()
        self._first_s = 0.0  # what its first line tells of: it was done when that line was written
        self._has_its_own = False  # has a set for it been named, that is no test's?
        self._is_over = False  # has a line said so of the training, and no row come since?
        self._found: LogLine | None = None  # the newest line that told of one, behind the newest row
        self._trained_s: float | None = None  # from the one before that row to the row
        self._leads = False  # are rows printed in front of what they tell of: behind them an epoch trains?
        self._metrics: tuple[object, ...] = ()  # what the newest row of the training shows of an evaluation
        self.told = False
        """Has one been told of as a whole since the newest row of the training?"""

    def called(self, of: str, row: Iterable[str] = ()) -> str:
        """What the loss of the set `of` is: where there is a validation, in the newest `row` of the training too, a test's is none of its losses."""
        is_test = of.lower() in ("test", "testing")
        named = (name for name in row if validates(name) and "test" not in name.lower())
        self._has_its_own = self._has_its_own or not is_test or any(named)
        return "test_loss" if is_test and (self._has_its_own or self._is_over) else "val_loss"

    @staticmethod
    def mean_in(text: str) -> float | None:
        """Of `Validation Loss 0.338 (0.318)`, the last batch's and the mean of all, the mean: that is what was found."""
        found = _MEAN_OF_ALL.search(text[:_LONGEST])
        return None if found is None else number(found[1])

    def loss_of(self, read: Fields, text: str) -> float | None:
        """The loss of an evaluation's row: the mean so far, where one stands behind that of a batch."""
        mean = self.mean_in(text)
        return read.get("val_loss", read.get("loss")) if mean is None else mean

    def called_in(self, text: str, of: str = "val", row: Iterable[str] = ()) -> str:
        """The same of a line: `Epoch 8: test loss 0.5`, `Evaluation on the test set: loss 0.5`."""
        is_test = "est" in text and _OF_TEST.search(text[:_LONGEST]) and not _OF_VALIDATION.search(text[:_LONGEST])
        return self.called("test" if is_test else of, row)

    @staticmethod
    def named(name: str, loss: float | None, others: dict[str, float]) -> dict[str, float]:
        """What an evaluation found, its loss by its `name`: beside a test's all is the test's."""
        found = as_of_test(others) if name == "test_loss" else others
        return found if loss is None else {name: loss} | found

    def new_in(self, row: Fields, name: str, loss: float) -> dict[str, float]:
        """The loss of a line without a place: beside a test's, one that was told of before is of the best model, once more."""
        test = loss_of_test(row) if self.told and name == "val_loss" else None
        return {name: loss} if test is None else {"test_loss": test}

    def in_row(self, read: Fields, text: str) -> Fields | None:
        """What a row of the training shows of an evaluation that was made for it: its loss, or that another metric is new."""
        index, val_loss = read["iteration"], finite(read.get("val_loss"))
        if val_loss is not None:
            return {self.called_in(text): val_loss, "iteration": index}
        others = (read.get("scalars") or {}).items()
        metrics: tuple[object, ...] = tuple(
            value for name, value in others if validates(name) and _METRIC.search(f"{name[:80]}: 1")
        )
        if not metrics and any(map(text.__contains__, _EVALUATES)):
            metrics = tuple(_METRIC.findall(newest_in(text[:_LONGEST])))
        before, self._metrics = self._metrics, metrics or self._metrics
        return {"iteration": index} if metrics and metrics != before else None

    def learn(self, other: Validation) -> None:
        """Take over what another reader found out of more lines."""
        self._has_its_own = self._has_its_own or other._has_its_own
        self._leads = self._leads or other._leads
        self._passes.learn(other._passes)

    @staticmethod
    def middle(step: float, length: float | None, each_s: float | None, *, doubted: bool) -> Fields:
        """What a line of its middle shows; `doubted`: its time may be the mean of all batches so far."""
        return {"iteration": step, "length": length, "duration_s": each_s, "may_be_so_far": doubted}

    def part(self, fields: Fields, line: LogLine, index: float | None, values: dict[str, float]) -> list[Event]:
        """A line of its middle. `fields` may have `iteration` (its own), `length`, and `duration_s` or `spent_s`."""
        events: list[Event] = []
        if self._began is None:
            self._began, self._reached = (line, index), Reached()
            self._passes.begin()
            self._first_s = (fields.get("duration_s") or 0.0) * max(1.0, fields.get("iteration") or 0.0)
            self._first_s = fields.get("first_s", self._first_s)
            events.append(SpanBegin(EVALUATION, line.at_s, None if index is None else int(index)))
        self._last, self._values = line, values
        before, self._shown = self._shown, (fields.get("iteration") or 0.0, values.get("val_loss", 0.0))
        self._of_one = self._of_one or not may_be_means(before, self._shown)
        self._reached = self._reached.at(fields.get("iteration"), fields.get("length"))
        self._passes.add(fields)
        length = fields.get("length")
        if length is not None and fields.get("iteration", 0.0) >= length:
            return [*events, *self.over()]
        return events

    def whole(
        self, line: LogLine, index: float | None, values: dict[str, float], duration_s: float | None = None
    ) -> list[Event]:
        """A line that sums one up; none where it tells of a loaded model, and what was found of that long ago."""
        if loads(line.text):
            return []
        self._last, self._values, self.told = line, values or self._values, True
        duration_s = self._printed_s(line, values) or self._since_closing(line) or duration_s
        began, self._began = self._began, None
        if began is not None:
            duration_s = duration_s if duration_s is not None else self._duration_s(began[0], line)
            index = began[1] if index is None else index
        if duration_s is not None and (since_s := self._since_row(line)) is not None:
            duration_s = min(duration_s, since_s)
        return [ended(EVALUATION, line.at_s, index, duration_s, values=self._values)]

    def behind_row(
        self, line: LogLine, index: float | None, values: dict[str, float], newest: int | None
    ) -> list[Event]:
        """A line that sums one up. Of the `newest` row itself, all since that, or since the one before, was the evaluation.

        By the clock it lies in the time of the next row.
        """
        row, since_s = self._row, None
        if index is not None and index == newest and self._began is None and row is not None:
            since_s = (line.at_s or 0.0) - (row.at_s or 0.0) if row.stamped and line.stamped else None
            long_s = LEADS * self._trained_s if self._trained_s is not None else None
            self._leads = self._leads or (long_s is not None and (since_s or 0.0) > max(LEAST_S, long_s))
        self._found = line
        if since_s is None or since_s <= TOGETHER_S or self._leads:
            return self.whole(line, index, values)
        events, self._row = self.whole(line, (newest or 0) + 1, values, since_s), line
        return [replace(event, after=newest) if isinstance(event, SpanEnd) else event for event in events]

    def closed(self, read: Fields, line: LogLine, index: int | None, newest: int | None) -> list[Event]:
        """A row without a number between those that count, with the losses of both: an evaluation was, since the newest of them."""
        loss = finite(read.get("val_loss"))
        if loss is None and line.stamped and "loss" in read and self._began is None:
            self._closing = line
        if newest is None or self.told or loss is None or "loss" not in read or "iteration" in read:
            return []
        return [of_the_newest(one, newest) for one in self.whole(line, index, {"val_loss": loss})]

    def hear(self, text: str) -> None:
        """A line that is no row: behind a save, or a load, the evaluation began nobody knows when."""
        self._is_over = self._is_over or ends_training(text)
        if self._closing is not None:
            said = announced(text)
            tells_else = saves(text) or (said is not None and said[0] != EVALUATION)
            self._closing = None if tells_else else self._closing

    def _since_closing(self, line: LogLine) -> float | None:
        """`Epoch 3/5 - Train Loss: 0.5`, minutes, and `Validation - Loss: 0.75`: the one ran all the while."""
        closing, self._closing = self._closing, None
        if closing is None or not line.stamped or closing.at_s is None or line.at_s is None:
            return None
        since_s = line.at_s - closing.at_s
        return since_s if since_s >= LEAST_S else None

    def over(self, row: LogLine | None = None, took_s: float | None = None) -> list[Event]:
        """The training goes on, with `row`; or a line says what all of it `took_s`."""
        events, self._closing = [], None if row is not None else self._closing
        if self._began is not None and self._last is not None:
            if self._of_one or not self._reached.is_end:
                self._values = {}
            events = self.whole(self._last, self._began[1], {}, took_s)
        if row is not None and row is not self._row:
            found, self._found = self._found, None
            apart_s = (row.at_s or 0.0) - (found.at_s or 0.0) if found and found.stamped and row.stamped else -1.0
            self._trained_s = apart_s if apart_s >= 0 else None
        self._row, self.told, self._is_over = row, self.told and row is None, self._is_over and row is None
        return events

    def _since_row(self, line: LogLine) -> float | None:
        """The longest that an evaluation can have taken: since the newest row of the training, by their stamps."""
        row = self._row
        if row is None or not (row.stamped and line.stamped) or row.at_s is None or line.at_s is None:
            return None
        tick_s = 1.0 if row.at_s % 1 == line.at_s % 1 == 0 else 0.0  # whole seconds hide up to one
        return max(0.0, line.at_s - row.at_s) + tick_s

    def _printed_s(self, line: LogLine, values: dict[str, float]) -> float | None:
        """What one of its values says that it took, if that was not more than the clock allows."""
        named = (
            (_TOOK.fullmatch(name[:100]), value) for name, value in values.items() if "s" in name or "time" in name
        )
        found = next(((one["sure"], value) for one, value in named if one and value > 0), None)
        if found is None:
            return None
        since_s = self._since_row(line)
        fits = found[0] is not None if since_s is None else found[1] <= since_s + TOGETHER_S
        return found[1] if fits else None

    def _duration_s(self, began: LogLine, line: LogLine) -> float | None:
        """By the lines' clock where that is fine enough: a batch's printed time may be a mean, or not that of others."""
        spent_s = None if self._reached.is_of_few else self._passes.seconds()
        clocked_s = 0.0
        if began.stamped and line.stamped and began.at_s is not None and line.at_s is not None:
            clocked_s = max(0.0, line.at_s - began.at_s)
        if spent_s and (self._passes.is_printed or clocked_s < CLOCKED_S):
            return spent_s
        coarse = began.at_s is not None and line.at_s is not None and began.at_s % 1 == line.at_s % 1 == 0
        if coarse and clocked_s < LEAST_S:  # of whole seconds it may be none or two
            return self._first_s or None
        return clocked_s + self._first_s if clocked_s else None
