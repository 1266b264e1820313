"""Takes the events of a run in: what is kept of it."""

from __future__ import annotations

from bisect import bisect_left
from itertools import groupby
from typing import TYPE_CHECKING, Protocol

from ..events import (
    Alive,
    ClockKind,
    Collective,
    Config,
    Counted,
    Dropped,
    End,
    EndOfFile,
    EndReason,
    GpuSample,
    HostSample,
    Iteration,
    Iterations,
    Launch,
    Message,
    OtherRows,
    Phases,
    PrintedLoss,
    Progress,
    RankState,
    RunInfo,
    Severity,
    SpanBegin,
    SpanEnd,
    Stack,
    Total,
)
from .causes.cases import Record
from .causes.labels import Labels
from .causes.repeats import Repeats
from .causes.stacks import Stacks
from .filling.filling import Fillings
from .outlook.predictions import Predictions
from .ranks.collectives import Collectives
from .ranks.hangs import RankStates
from .ranks.stragglers import MOST_RANKS, Ranks
from .record.columns import Columns
from .record.evaluations import Evaluations
from .record.gpu_phases import GpuPhases
from .record.messages import Messages
from .record.newest import Newest
from .record.printed_losses import PrintedLosses
from .record.processes import Launches, Silences, at_jumps, by_process, of_rank
from .record.pyramid import Pyramid
from .record.scalars import Scalars, of_evaluation
from .record.settings import Settings
from .record.spans import Spans
from .record.telemetry import MOST_GPUS, Telemetry
from .timing.timing import Timing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..events import Event
    from .record.processes import Part

_AT_ONCE = 64  # iterations of several ranks that are taken in before their labels may become final


class Watcher(Protocol):
    """Looks at a run while its events are taken in, as `incidents.past.Past` does."""

    def stops(self, run: Intake, events: list[Iteration] | Iterations) -> list[int]:
        """Before which of `events` to ask `hear` and `look`."""

    def hear(self, run: Intake, at_s: float | None, *, ends: bool = False) -> None:
        """Something of that time is about to be taken in: it may be what `ends` something."""

    def look(self, run: Intake) -> None:
        """At its figures."""


class Intake:
    """What is kept of a run: it depends on the events and their order, never on how they were batched.

    `predict` gives the seconds that the whole run will take, by what is known (nan: the level is not). It is asked
    at fixed shares of the run, in the middle of a batch too; `past` looks at it in between.
    """

    def __init__(self, predict: Callable[[Intake], float], past: Watcher) -> None:
        self._predict, self.past = predict, past
        self.version = 0  # what was taken in so far: while it stands still, so does all that follows from events
        self.columns, self.info = Columns(), RunInfo()
        self.settings, self.newest = Settings(), Newest()
        self.telemetry, self.fillings, self.spans = Telemetry(), Fillings(), Spans()
        self.bad_losses_before = 0  # the newest process
        self.starts: list[int] = []  # the first position of each process
        self.totals: dict[int, Total] = {}  # what processes say they took, by the number of each, its newest
        self.messages = Messages()
        self.launches = Launches(self.messages, self.settings, self.columns.launched)
        self.dropped = self.heard_at = 0  # events; the position at `last_at_s`: what came since has no time
        self.ended = self.exit = ""  # why; and how, where somebody saw it: "exit code 1", "SIGKILL (signal 9)"
        self.end_of_file: EndOfFile | None = None
        self.last_at_s: float | None = None
        self.heard_s: float | None = None  # ... or of a line since then that says no more
        self.micro_step: Progress | None = None
        self.predictions, self.evaluations = Predictions(), Evaluations()
        self.timing, self.silences = Timing(self.columns, self.spans, self.starts), Silences(self.columns)
        self.ranks, self.rank_states, self.collectives = Ranks(self.columns), RankStates(), Collectives()
        self.gpu_phases, self.stacks, self.repeats = GpuPhases(), Stacks(), Repeats(self.columns)
        others = self.repeats.jumps, self.telemetry, self.ranks, self.settings, self.stacks
        record = Record(self.columns, self.spans, self.starts, self.repeats.trainings, *others)
        self.final_labels = Labels(self.timing, record)  # without the guesses of a beginning: counts only grow
        self.pyramid, self.scalars = Pyramid(self.columns), Scalars(self.columns)
        self._printed = PrintedLosses(self.columns, self.pyramid, self.scalars, self.spans)
        self._early: tuple[int, Labels] | None = None  # and of how many iterations they are
        self._own_messages: set[str] = set()
        self.another_process = False  # has begun: its first iteration is still to come

    def apply(self, events: Sequence[Event]) -> None:
        """Take in `events`, oldest first."""
        self.version += len(events)
        for kind, group in groupby(events, type):
            if kind is Iteration:
                self._add_iterations(list(group))  # type: ignore[arg-type]
                continue
            for event in group:
                if isinstance(event, Iterations):
                    self._add_iterations(event)
                else:
                    if isinstance(event, SpanBegin | SpanEnd | Progress | End | Alive):
                        self.past.hear(self, event.at_s, ends=isinstance(event, SpanEnd))
                    self._add(event)

    @property
    def labels(self) -> Labels:
        """What is slow and why, as of now: before the level is fixed, by the few iterations there are."""
        if self.timing.baseline is not None:
            return self.final_labels.up_to_date()
        if self._early is None or self._early[0] != len(self.columns):
            self._early = (len(self.columns), self.final_labels.early(self.timing.early(self.info.clock)))
        return self._early[1]

    @property
    def process_start(self) -> int:
        """The first position of the newest process."""
        return self.starts[-1] if self.starts else 0

    @property
    def training_start(self) -> int:
        """The first position of the newest training, which may have been restarted since."""
        return self.repeats.trainings[-1] if self.repeats.trainings else 0

    def newest_iterations(self) -> list[Iteration]:
        """The newest iterations, without those before the trainer began again: its settings may differ."""
        return self.newest.last(len(self.columns) - self.process_start)

    def _add_iterations(self, events: list[Iteration] | Iterations) -> None:
        if isinstance(events, Iterations) or all(event.rank is None for event in events):
            if self.newest.rank is None:
                self._add_of_one_rank(events)
            return
        for start in range(0, len(events), _AT_ONCE):
            part = events[start : start + _AT_ONCE]
            shown = self.newest.rank if len(self.columns) else part[0].rank
            self._add_of_one_rank(of_rank(part, shown))
            self.ranks.add(part, self.process_start)
            self.ranks.settle(self.timing)
        if self.ranks.left_out:
            self.say(f"more than {MOST_RANKS:,} ranks: the others are left out of the search for stragglers")

    def _add_of_one_rank(self, events: list[Iteration] | Iterations) -> None:
        for part in by_process(events) if events else ():
            for one, jumped in at_jumps(part, self.columns.index, self.process_start):
                self._add_of_one_process(one, jumped=jumped)

    def _add_of_one_process(self, part: Part, *, jumped: bool) -> None:
        """Iterations whose indices ascend; `jumped`: from those before them it is too far."""
        events, indices = part
        self.another_process = not len(self.columns) or self.another_process or indices[0] < self.columns.index[-1]
        if not self.launches.go_on(len(self.columns)) and (self.another_process or not jumped):
            self.past.hear(self, events[0].at_s)
        if self.another_process or jumped:
            over = 1 if isinstance(events, Iterations) else events[0].averaged_over
            self._begin_process(indices[0], over, jumped=not self.another_process)
        for stop in self.predictions.due(indices, self.settings.config.max_iterations):
            if stop:
                self._append(events[:stop], indices[:stop])
            events, indices = events[stop:], indices[stop:]
            self.predictions.add(self._predict(self))
            if len(events):
                self.past.hear(self, events[0].at_s)
        if events:
            self._append(events, indices)

    def _begin_process(self, index: int, averaged_over: int, *, jumped: bool) -> None:
        if seen := len(self.columns):
            self.spans.leave(index)
        self.starts.append(seen)
        self.columns.begin_process()
        self.bad_losses_before = self.columns.not_finite
        self.gpu_phases.clear()
        self.launches.begin_process(seen, jumped=jumped)
        self.stacks.clear()
        self.fillings.clear()
        self.evaluations.begin(first=not seen)
        if self.repeats.begin(index, averaged_over, resumed=self.info.resumed, jumped=jumped) and seen:
            self._begin_training(index)
        self.another_process = False

    def _begin_training(self, index: int) -> None:
        """What is said of the run now is of this training, whatever was measured of the one before."""
        self.timing.begin_training(self.info.clock)
        self.spans.begin_training()
        self.evaluations.begin_training(index, self.columns.index[-1])
        self.scalars.begin_training()
        self.columns.begin_training()

    def _append(self, events: list[Iteration] | Iterations, indices: Sequence[int]) -> None:
        done = 0
        for stop in self.past.stops(self, events):
            if stop > done:
                self._append_part(events[done:stop], indices[done:stop])
                self.past.hear(self, events[stop].at_s)
            self.past.look(self)
            done = stop
        self._append_part(events[done:] if done else events, indices[done:])

    def _append_part(self, events: list[Iteration] | Iterations, indices: Sequence[int]) -> None:
        start = len(self.columns)
        for event in self.evaluations.before_first(indices[0]):
            self._add_results(event)
        self.columns.extend(events)
        if isinstance(events, list):
            self.scalars.extend(events, start)
        self.spans.read(self.columns, self.info)
        self.spans.join(indices, start, self.info.time_includes, self.columns.averaged_at)
        self.newest.add(events)
        self._printed.join(self.process_start)
        self.ended, self.exit, self.end_of_file = "", "", None
        self.messages.go_on(events)
        self.settings.go_on(indices)
        self.collectives.go_on()
        self.micro_step = None
        stamped = reversed(events) if isinstance(events, list) else ()
        self._note_time(next((event.at_s for event in stamped if event.at_s is not None), None))
        self.timing.advance(self.info.clock)
        self.final_labels.settle()

    def _note_time(self, at_s: float | None) -> None:
        if at_s is not None:
            self.heard_s = self.last_at_s = at_s if self.last_at_s is None else max(self.last_at_s, at_s)
            self.heard_at = len(self.columns)

    def _add(self, event: Event) -> None:
        match event:
            case RunInfo() | Launch():
                self._add_process(event)
            case Config():
                self.settings.add(event)
            case GpuSample() | HostSample():
                self._add_sample(event)
            case End() | EndOfFile():
                self._end(event)
            case Total():
                self.totals[max(0, len(self.starts) - 1)] = event
            case SpanBegin():
                self.spans.begin(event)
                self._note_time(event.at_s)
            case SpanEnd():
                self._end_span(event)
            case Progress():
                self.micro_step = event
                self._note_time(event.at_s)
            case PrintedLoss():
                self._printed.add(event, self.process_start)
                self.evaluations.add_printed(event.iteration, event.validation_loss, event.of_set)
            case Message():
                self.telemetry.explain(event) if event.about else self.messages.add(event)
            case Dropped():
                self.dropped += event.count
            case _:
                self._add_other(event)

    def _end_span(self, event: SpanEnd) -> None:
        if not event.is_said_again:
            self.spans.end(event)
        if len(self.columns):
            self.fillings.stop(event, self.columns.index[-1])
        self._add_results(event, begins=self.another_process and bool(self.columns))
        self._note_time(event.at_s)

    def _add_results(self, event: SpanEnd, *, begins: bool = False) -> None:
        """What an evaluation found, at its iteration. `begins`: that of a process is still to come."""
        if self.evaluations.add_span(event, begins=begins) and event.shown_at is not None:
            place = bisect_left(self.columns.index, event.shown_at, self.process_start)
            found = {of_evaluation(name, event.of_set): value for name, value in event.values.items()}
            self.scalars.add(found, place, again=event.is_of_epoch, said_at=event.shown_at)

    def _end(self, event: End | EndOfFile) -> None:
        if isinstance(event, EndOfFile):
            self.end_of_file = event
            return
        if event.reason == EndReason.FINISHED != self.messages.ending:
            self.messages.go_on()  # what it said before that was no end
        seen = event.exit_code is not None or event.reason == EndReason.LOST
        self.ended, self.exit = event.reason, event.detail if seen else ""
        self._note_time(event.at_s)

    def _add_sample(self, event: GpuSample | HostSample) -> None:
        if len(self.columns):
            self.fillings.add(event, self.columns.index[-1], self.settings.config.iterations_per_epoch)
        if not self.telemetry.add(event):
            self.say(f"more than {MOST_GPUS:,} GPUs: the samples of the others are left out")

    def say(self, text: str) -> None:
        """A message of ours, once."""
        if text not in self._own_messages:
            self._own_messages.add(text)
            self.messages.add(Message(text, level=Severity.WARNING))

    def _add_process(self, event: RunInfo | Launch) -> None:
        begins = bool(self.starts) and not self.another_process
        self.another_process = self.another_process or begins
        if isinstance(event, Launch):
            self.launches.begin(event, lambda: self.past.hear(self, event.at_s))
            self._note_time(event.at_s)
        else:
            self.info, self.spans.by_hooks = event, event.clock == ClockKind.HOOK
        if begins:
            self.spans.abandon()
            self.rank_states.forget_stacks()

    def _add_other(self, event: Event) -> None:
        """What else a log counts; what one rank of several does, and where it stands when it hangs."""
        if isinstance(event, Counted | OtherRows):
            self.launches.note(event)
        elif isinstance(event, Alive):  # a line that says no more than that its writer lives
            self.heard_s = max(event.at_s, self.last_at_s or 0.0)
        elif isinstance(event, Phases):
            self.ranks.add_phases(event)
            if event.rank == self.newest.rank:
                self.gpu_phases.add(event)
        elif isinstance(event, Collective):
            self.collectives.add(event, self.last_at_s)
        elif isinstance(event, RankState):
            self.rank_states.add(event)
        elif isinstance(event, Stack):
            self.rank_states.add_stack(event)
            if event.rank == self.newest.rank:
                self.stacks.add(event)
