"""One run of what was printed and what was logged: one of the two has its iterations, the other adds to them.

What was printed has the trainer's own times, evaluations and checkpoints, where its format is known; what was
logged has each step's figures, and its time. Both are read; what they count decides which has the iterations.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ....events import (
    CHECKPOINT,
    Config,
    End,
    EndReason,
    Event,
    Iteration,
    Iterations,
    Message,
    PrintedLoss,
    RunInfo,
    SpanBegin,
    SpanEnd,
)
from ...clean import clean
from ...log_formats.base import Specificity
from ...runs.printed_lines import printed_scalars
from ..settings import config_of
from . import records
from .first_records import FirstRecords
from .history import History
from .printed import PrintedOutput
from .telemetry import Gauges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...log_formats.base import LogFormat
    from ...logs.text import LogText

SURE_ITERATIONS = 2_000
"""After so many of either it is settled which of the two has the iterations."""

_MOST_WAITING = 10_000
_COUNTED = ("max_iterations", "evaluation_interval", "checkpoint_interval")
_INTERRUPTED = 255  # W&B's code for a script that Ctrl-C ended


class Main(Enum):
    """What has the iterations of a run."""

    PRINTED = "printed"
    LOGGED = "logged"


class Joined:
    """Takes in what the records say, in their order; `take` gives the events."""

    def __init__(self, formats: Sequence[LogFormat] | None, text: LogText) -> None:
        self.main: Main | None = None
        """Once it is decided."""

        self.newest_s: float | None = None
        """When the newest record was written that has a time."""

        self.has_ended = False
        self.is_void = False
        """Were events given that turned out to be read wrongly?"""

        self.gauges = Gauges()
        self._formats = formats
        self._text = text
        self._first: FirstRecords | None = FirstRecords()
        self._portions: list[records.Printed] = []
        self._counted = {Main.PRINTED: 0, Main.LOGGED: 0}
        self._events: list[tuple[Main | None, Event]] = []
        self._config: dict[str, Any] = {}
        self._has_changed = False  # the config, since it was given
        self._begun = records.Begun("", "", None, is_resumed=False, settings={})
        self._info: RunInfo | None = None
        self._has_losses = False
        self._messages: set[str] = set()

    def add(self, said: records.Said) -> None:
        """Take in what a record says."""
        if self._first is None:
            if isinstance(said, records.Printed):
                self._portions.append(said)
            else:
                self._read_portions()
                self._read(said)
        elif self._first.add(said):
            self._look()

    def _look(self) -> None:
        """Find out from the first records how all are to be read, and read them."""
        if self._first is not None:
            first, self._first = self._first, None
            self._printed = PrintedOutput(first.printed, self._formats, self._text)
            self._history = History(first.rows, self._formats)
            for said in first.said:
                self.add(said)
        self._read_portions()

    def _read_portions(self) -> None:
        """What was printed since anything else was said: read at once, it takes half as long."""
        if self._portions:
            portions, self._portions = self._portions, []
            for said in portions:
                self._time(said.at_s)
            self._put_printed(self._printed.add(portions))

    def _read(self, said: records.Said) -> None:
        match said:
            case records.Row():
                self._time(said.values.get("_timestamp"))
                self._put(Main.LOGGED, self._history.add(said))
            case records.Measured():
                self._time(said.at_s)
                self._events += ((None, sample) for sample in self.gauges.samples(said))
            case records.Settings(values):
                self._config |= values
                self._has_changed = True
            case records.Begun():
                self._begun = said
                self._config |= said.settings
                self._has_changed = True
                self._time(said.at_s)
            case records.Machine(gpus):
                self.gauges.gpus = gpus
            case records.Exited():
                self._end(said)

    @property
    def better(self) -> Main:
        """Which of the two has the iterations, as far as they have been counted."""
        printed, logged = self._counted[Main.PRINTED], self._counted[Main.LOGGED]
        known = self._printed.format is not None and self._printed.format.specificity is Specificity.FRAMEWORK
        return Main.PRINTED if printed * (2 if known else 0.5) >= logged and printed else Main.LOGGED

    def take(self, *, now: bool = False) -> list[Event]:
        """The events since the last call; none as long as it is not decided which has the iterations.

        Args:
            now: no more comes for a while: what is there decides.
        """
        if now:
            self._look()
        if self._first is None:
            self._read_portions()
            self._put_printed(self._printed.settle())
            self._printed.show()
        most = max(self._counted.values())
        if self.main is None and most and (now or most >= SURE_ITERATIONS):
            self.main = self.better
        if self.main is None and not now:
            return []
        taken, self._events = self._events, []
        if self.main is None:  # what may be either's is kept, the rest may be known
            self._events = [one for one in taken if _waits(*one)][-_MOST_WAITING:]
            taken = [one for one in taken if not _waits(*one)]
        return [found for of, event in taken for found in self._given(of, event)]

    def end(self) -> list[Event]:
        """The last events of a file that nobody writes to any more."""
        self._look()
        if not self.has_ended:
            self._put_printed(self._printed.end())
        return self.take(now=True)

    def _time(self, at_s: float | None) -> None:
        if at_s is not None:
            self.newest_s = max(at_s, self.newest_s or 0.0)

    def _put(self, of: Main, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, Iteration | Iterations):
                self._counted[of] += len(event) if isinstance(event, Iterations) else 1
            self._events.append((of, event))

    def _put_printed(self, events: Sequence[Event]) -> None:
        """What was printed. Where all of it is read once more, what was made of it so far is void."""
        if self._printed.is_anew:
            self._events = [one for one in self._events if one[0] is not Main.PRINTED]
            self._counted[Main.PRINTED] = 0
            self.is_void = self.main is Main.PRINTED
        self._put(Main.PRINTED, events)

    def _end(self, said: records.Exited) -> None:
        """The script's end: its code, and the words of its last lines."""
        last = None
        for event in self._printed.end():
            if isinstance(event, End):
                last = event
            else:
                self._put(Main.PRINTED, [event])
        code = said.code if -255 <= said.code <= 255 else None
        reason = EndReason.FINISHED if code == 0 else EndReason.FAILED
        if code == _INTERRUPTED or (code and last and last.reason == EndReason.INTERRUPTED):
            reason = EndReason.INTERRUPTED
        detail = last.detail if last is not None and code else ""
        self._events.append((None, End(reason, self.newest_s, detail, exit_code=code)))
        self.has_ended = True

    def _given(self, of: Main | None, event: Event) -> list[Event]:
        """What is made of an event in the run: those of the other witness only add to it."""
        if isinstance(event, Message):
            other = of is Main.LOGGED and of is not self.main  # how rows are read that count nothing
            return [] if other else self._message(event)
        if of is None:
            return [event]
        if isinstance(event, Config):
            return [event if of is self.main else replace(event, **dict.fromkeys(_COUNTED))]
        if of is not self.main:
            return self._added(event)
        before: list[Event] = []
        if isinstance(event, RunInfo):
            self._info = self._completed(event)
            self._has_changed = True  # they hold for another process of the run, too
            return [self._info, *self._settings()]
        if isinstance(event, Iteration | Iterations):
            if self._info is None:
                self._info = self._completed(self._history.run_info())
                before = [self._info, *self._settings()]
            last = event[-1] if isinstance(event, Iterations) else event
            self._has_losses = self._has_losses or last.loss == last.loss is not None
        return [*before, *self._settings(), event]

    def _message(self, event: Message) -> list[Event]:
        """Once each: lines may be read twice until their format is known."""
        if event.text in self._messages or len(self._messages) > 10_000:
            return []
        self._messages.add(event.text)
        return [event]

    def _added(self, event: Event) -> list[Event]:
        """What the other witness knows of the iterations."""
        if self.main is Main.LOGGED:
            is_saved = isinstance(event, SpanBegin | SpanEnd) and event.kind == CHECKPOINT
            return [replace(event, iteration=None)] if is_saved else []
        if not isinstance(event, Iteration) or not self._history.has_own_steps:
            return []
        scalars = printed_scalars(event)
        loss, bad = (None, "") if self._has_losses else (event.loss, event.bad_loss)
        if not scalars and loss is None and not bad:
            return []
        return [PrintedLoss(event.index, loss, bad, scalars=scalars)]

    def _settings(self) -> list[Config]:
        """The run's config, once, and again where it has changed."""
        if not self._has_changed:
            return []
        self._has_changed = False
        config = config_of(self._config, "W&B config", counts_steps=self._history.has_own_steps)
        if config is not None and not self._history.has_own_steps:
            config = replace(config, **dict.fromkeys(_COUNTED))  # nobody knows how many calls there will be
        return [] if config is None else [config]

    def _completed(self, info: RunInfo) -> RunInfo:
        """What W&B knows of the run, whatever its witness."""
        is_logged = self.main is Main.LOGGED
        return replace(
            info,
            name=clean(self._begun.name) or info.name,
            host=clean(self._begun.host),
            source_format="W&B history" if is_logged else f"W&B run, {info.source_format}",
            framework="" if is_logged else info.framework,
            started_at_s=self._begun.at_s,
            gpu_names=tuple(clean(name) for name, _ in self.gauges.gpus),
            resumed=info.resumed is not False and (self._begun.is_resumed or info.resumed),
        )


def _waits(of: Main | None, event: Event) -> bool:
    return of is not None and not isinstance(event, Message)
