"""What a hooked trainer printed, as its recording has it (`Output`): read as a log, and joined to its iterations.

Each line stands behind the iteration that had ended when it was printed. So a loss belongs there, in whatever
unit its line counts: epochs, micro-steps, from 0 or from 1. A total is taken from the lines only once their
numbers have grown as the iterations did: by one, or by an epoch of always as many.

Where the hooks say that they find no iteration (an optimizer that is not torch's), the lines' own are the run's.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import (
    EVALUATION,
    NO_ITERATION,
    ClockKind,
    Collective,
    Config,
    End,
    Iteration,
    Iterations,
    Message,
    Output,
    PrintedLoss,
    Progress,
    RankState,
    RunInfo,
    SpanEnd,
    holds,
)
from ..log_formats.parsing.rows import GUESSED
from ..logs.line_index import LineIndex
from ..logs.reader import LogReader
from ..logs.text import LogText
from .event_reader import EventReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...events import Event

_MOST_PLACES = 100_000  # of lines that a reader may still be thinking about
_LEAST_APART = 4  # iterations between two lines that show in what unit they count
_LATE = 0.1  # a bar counts some of its iterations later: no other unit is as near to iterations as this
NO_LINES = "there is no line here: hooks record what a trainer prints, and this one printed nothing"
_MOST_EARLY = 10_000  # of lines before it is known that the hooks find no iteration
_SOMETHING = Message("")
_COUNTED = ("max_iterations", "evaluation_interval", "checkpoint_interval")


class RunReader(EventReader):
    """Reads the stream of one trainer: its events, and what its lines say; `text` shows these lines."""

    def __init__(self, text: LogText | None = None) -> None:
        super().__init__()
        self._printed = PrintedLines(text)

    def feed(self, data: bytes) -> list[Event]:
        """See `EventReader`."""
        return list(self._printed.read(super().feed(data)))


class PrintedLines:
    """Reads the events of one trainer, in their order. The `text` of its lines is written anew."""

    def __init__(self, text: LogText | None = None) -> None:
        self._text = text or LogText()
        self._text.begin()
        self._unshown: list[bytes] = []
        self._found = _Found(self._text.index)
        self._reader: LogReader | None = None
        self._newest: int | None = None  # the hooks' newest iteration
        self._indexed: int | None = None  # the newest iteration whose line is known
        self._lines = 0
        self._begins: list[int] = []  # the numbers of lines,
        self._after: list[int | None] = []  # and the iteration that each of them came after
        self._before_its_step = False  # is a loss printed before the step that it belongs to?
        self._has_loss = False
        self._unit = _Unit()
        self._counted: Config | None = None  # the newest total, until the unit is known
        self._info: RunInfo | None = None  # what the hooks say of the run,
        self._lines_info: RunInfo | None = None  # and what its lines do
        self._early: deque[Iteration | SpanEnd] = deque(maxlen=_MOST_EARLY)  # before the hooks' first iteration
        self._are_iterations = False  # the lines' are the run's

    def read(self, events: Sequence[Event]) -> Sequence[Event]:
        """The `events` without those of lines, but with what these say."""
        kinds = set(map(type, events))
        if self._reader is None and not {Output, Message} & kinds:
            self._note_newest(events)
            return events
        found: list[Event] = []
        for event in events:
            if isinstance(event, Output):
                found += self._read(event)
                continue
            if self._are_iterations and isinstance(event, Progress):
                continue  # micro-steps without end
            if isinstance(event, Iteration | Iterations):
                self._note_newest((event,))
            elif isinstance(event, RunInfo):
                self._info = event
            elif isinstance(event, Message) and event.text.startswith(NO_ITERATION) and self._newest is None:
                found += (event, *self._take_over())
                continue
            elif isinstance(event, End) and self._reader is not None:
                found += self._events_of(self._reader.end(b""), event.at_s)
            found.append(event)
        self._text.read(b"".join(self._unshown), None)
        self._unshown.clear()
        return found

    def _note_newest(self, events: Sequence[Event]) -> None:
        for event in reversed(events):
            if isinstance(event, RunInfo):
                self._info = event
            if isinstance(event, Iteration | Iterations):
                self._are_iterations = False
                self._early.clear()
            if isinstance(event, Iteration):
                self._newest = event.index
                return
            if isinstance(event, Iterations) and len(event):
                self._newest = event.index[-1]
                return

    def _take_over(self) -> list[Event]:
        """The hooks find no iteration: those of the lines are the run's, from the first on."""
        self._are_iterations = True
        found = [event for early in self._early for event in self._of_a_line(early)]
        self._early.clear()
        if self._info is None:
            return found
        includes = () if self._lines_info is None else self._lines_info.time_includes
        return [replace(self._info, clock=ClockKind.ARRIVAL, time_includes=includes), *found]

    def _of_a_line(self, event: Iteration | SpanEnd) -> list[Event]:
        if isinstance(event, Iteration):
            self._indexed = event.index
            return [event]
        return [printed_evaluation(0 if self._indexed is None else self._indexed + 1, event)]

    def _read(self, output: Output) -> list[Event]:
        if self._reader is None:
            self._reader = LogReader(clock=ClockKind.ARRIVAL, secondary=True, index=self._found)
        if not output.lines:
            return []
        self._begins.append(self._lines + 1)
        self._after.append(self._newest)
        if len(self._begins) > 2 * _MOST_PLACES:
            del self._begins[:_MOST_PLACES], self._after[:_MOST_PLACES]
        if self._newest is not None and self._newest != self._indexed:
            self._indexed = self._newest
            self._text.index.add_line(self._lines + 1, (Iteration(self._newest),))
        self._lines += len(output.lines)
        data = "".join(line + "\n" for line in output.lines).encode(errors="replace")
        self._unshown.append(data)
        return self._events_of(self._reader.feed(data, output.at_s), output.at_s)

    def _events_of(self, events: Sequence[Event], at_s: float | None) -> list[Event]:
        """What the lines said: `events` of the reader, whose iterations and evaluations are in `_found`."""
        found: list[Event] = []
        for event in events:
            if isinstance(event, Message):
                if event.text.startswith(GUESSED):
                    continue  # no option corrects a recording, and the hooks know the iterations
                found.append(replace(event, at_s=event.at_s or at_s, iteration=self._newest, line=None))
            elif isinstance(event, Collective | RankState):
                found.append(replace(event, line=None) if isinstance(event, Collective) else event)
            elif isinstance(event, RunInfo):
                self._lines_info = event
            elif isinstance(event, Config) and self._are_iterations:
                found.append(event)
            elif isinstance(event, Config):
                found.append(replace(event, **dict.fromkeys(_COUNTED)))
                if any(getattr(event, name) is not None for name in _COUNTED):
                    self._counted = event
        for line, event in self._found.take():
            if self._are_iterations:
                found += self._of_a_line(event)
                continue
            if self._newest is None:
                self._early.append(event)
            found += self._loss(event, self._place_of(line))
        if self._counted is not None and self._unit.iterations:
            found.append(_in_iterations(self._counted, self._unit.iterations))
            self._counted = None
        return found

    def _place_of(self, line: int) -> int | None:
        place = bisect_right(self._begins, line) - 1
        return self._after[place] if place >= 0 else None

    def _loss(self, event: Iteration | SpanEnd, after: int | None) -> list[Event]:
        """What a line says that came after iteration `after`."""
        if isinstance(event, SpanEnd):
            next_one = 0 if after is None else after + 1
            return [printed_evaluation(next_one, event)]
        self._unit.add(event.index, -1 if after is None else after)
        has_loss, scalars = event.loss is not None or bool(event.bad_loss), printed_scalars(event)
        if not has_loss and not scalars:
            return []
        if has_loss and not self._has_loss:
            self._has_loss, self._before_its_step = True, after is None
        iteration = (-1 if after is None else after) + self._before_its_step
        return [PrintedLoss(max(iteration, 0), loss=event.loss, bad_loss=event.bad_loss, scalars=scalars)]


def printed_scalars(event: Iteration) -> dict[str, float] | None:
    """What a line says of an iteration besides its loss, by name; the hooks may know some of it better."""
    fields = {name: getattr(event, name) for name in ("learning_rate", "gradient_norm", "tokens_per_s")}
    return {name: value for name, value in fields.items() if value is not None} | (event.scalars or {}) or None


def printed_evaluation(iteration: int, event: SpanEnd) -> PrintedLoss:
    """What a line says of an evaluation."""
    others = {name: value for name, value in event.values.items() if name != "val_loss"}
    return PrintedLoss(
        iteration, validation_loss=event.values["val_loss"], scalars=others or None, of_set=event.of_set
    )


def _in_iterations(counted: Config, each: int) -> Config:
    """What of a setting counts, in the hooks' iterations: of epochs, the total alone."""
    if each == 1:
        return Config(counted.origin, **{name: getattr(counted, name) for name in _COUNTED})
    total = (counted.max_iterations or 0) * each
    return Config(counted.origin, max_iterations=total if holds("max_iterations", total) and total else None)


class _Unit:
    """What the numbers in the lines count: `iterations` of the hooks each, from about the same beginning.

    1 is iterations themselves, more an epoch of always as many; `None`: that is not known (yet).
    """

    def __init__(self) -> None:
        self._first = self._last = (0, 0)
        self._begun = False
        self._apart = 0  # iterations from one number to the next,
        self._alike = 0  # and how many times in a row
        self.iterations: int | None = None

    def add(self, printed: int, after: int) -> None:
        """A line with the number `printed` came after the iteration `after` (-1: before the first)."""
        if not self._begun or printed < self._last[0] or after < self._last[1]:
            self._first = self._last = (printed, after)
            self._begun, self._alike, self.iterations = True, 0, None
            return
        if printed == self._last[0]:
            return
        apart = after - self._last[1] if printed == self._last[0] + 1 else 0
        self._alike = self._alike + 1 if apart == self._apart else 1
        self._apart, self._last = apart, (printed, after)
        if self._is_iterations(printed, after):
            self.iterations = 1
        elif apart > 1 and self._alike > 1 and after + 1 in (printed * apart, (printed + 1) * apart):
            self.iterations = apart
        else:
            self.iterations = None

    def _is_iterations(self, printed: int, after: int) -> bool:
        first, first_after = self._first
        apart = after - first_after
        alike = abs(printed - first - apart) <= max(1, apart * _LATE)
        return alike and apart >= _LEAST_APART and abs(first - first_after) <= max(2, first_after * _LATE)


class _Found(LineIndex):
    """Keeps what the parser finds with its line: the reader itself gives it later, when it knows the format.

    Args:
        shown: of the text: hears which lines say something beside iterations, by their place alone.
    """

    def __init__(self, shown: LineIndex) -> None:
        super().__init__()
        self._shown = shown
        self._events: list[tuple[int, Iteration | SpanEnd]] = []

    def add_line(self, line: int, events: Sequence[Event], text: str = "") -> None:  # noqa: ARG002 - the same as there
        """See `LineIndex`."""
        if any(not isinstance(event, Iteration) for event in events):
            self._shown.add_line(line, (_SOMETHING,))
        for event in events:
            if isinstance(event, Iteration) or (
                isinstance(event, SpanEnd) and event.kind == EVALUATION and "val_loss" in event.values
            ):
                self._events.append((line, event))

    def add_block(self, line: int, events: Sequence[Event] | Iterations, lines: int | None = None) -> None:  # noqa: ARG002 - the same as there
        """See `LineIndex`."""
        for number, event in enumerate(events, line):
            self.add_line(number, (event,))

    def read_again(self) -> None:
        """See `LineIndex`. What the text shows of iterations is the hooks', and stays."""
        super().read_again()
        self._shown.forget_others()

    def take(self) -> list[tuple[int, Iteration | SpanEnd]]:
        """What was found since the last call."""
        found, self._events = self._events, []
        return found
