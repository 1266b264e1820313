"""A run: events go in, findings come out. The one object that screens and reports hold."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import groupby, pairwise
from operator import gt
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from ..events import (
    EVALUATION,
    Config,
    Dropped,
    End,
    GpuSample,
    HostSample,
    Iteration,
    Iterations,
    Message,
    Phases,
    Printed,
    Progress,
    RunInfo,
    SpanBegin,
    SpanEnd,
)
from . import snapshot as compose
from .audit.rates import add_rates
from .causes.labels import Labels
from .causes.repeats import Repeats
from .findings import (
    EtaScore,
    Findings,
    LedgerRow,
    RunMessage,
    Spike,
)
from .outlook.eta import SCORED_AT
from .ranks.stragglers import Ranks
from .record.columns import Columns
from .record.gpu_phases import GpuPhases
from .record.newest import Newest
from .record.printed_losses import PrintedLosses
from .record.pyramid import Pyramid, rounded
from .record.spans import Spans
from .record.telemetry import Telemetry
from .timing.timing import Timing
from .verdict.verdict import judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..events import Event

_MOST_MESSAGES = 200
_TOGETHER = 64  # iterations of several ranks that are taken in at once


class Column(msgspec.Struct, frozen=True, gc=False):
    """Some neighbouring iterations, for one column of a chart: nothing that sticks out is lost in it."""

    first: int  # positions, both included
    last: int
    first_index: int
    last_index: int
    low_s: float | None
    high_s: float | None
    median_s: float | None
    spikes: int = 0
    causes: tuple[str, ...] = ()  # of the slowest iteration in it first
    loss: float | None = None  # mean


class Run:
    """Everything known of a run so far.

    `apply` takes events in the order they happened, in batches of any size: the findings do not depend on how
    the events were batched. `findings` is cheap enough for every frame.
    """

    def __init__(self) -> None:
        self.columns = Columns()
        self.info = RunInfo()
        self.config = Config()
        self.config_origins: dict[str, str] = {}
        self.newest = Newest()
        self.telemetry = Telemetry()
        self.spans = Spans()
        self.starts: list[int] = []  # the first position of each process
        self.marks: list[int] = []  # positions that spans were joined to
        self.messages: dict[str, RunMessage] = {}
        self.dropped = 0
        self.ended = ""
        self.last_words = ""  # how it has ended if nothing follows, by what it said last
        self.first_at_s: float | None = None
        self.last_at_s: float | None = None
        self.micro: Progress | None = None
        self.predictions: list[EtaScore] = []
        self.best: tuple[int, float] | None = None  # (iteration, validation loss)
        self.timing = Timing(self.columns, self.spans)
        self.ranks = Ranks(self.columns)
        self.gpu_phases = GpuPhases()
        self.labels = Labels(self.columns, self.spans, self.starts, self.telemetry, self.ranks)
        self.repeats = Repeats(self.columns)
        self._pyramid = Pyramid(self.columns)
        self._printed = PrintedLosses(self.columns, self._pyramid)
        self._young: tuple[int, Timing] | None = None
        self._another_process = False
        self._validations: list[tuple[int, float]] = []

    def apply(self, events: Sequence[Event]) -> None:
        """Take in `events`, oldest first."""
        for kind, group in groupby(events, type):
            if kind is Iteration:
                self._iterations(list(group))  # type: ignore[arg-type]
                continue
            for event in group:
                if isinstance(event, Iterations):
                    self._iterations(event)
                else:
                    self._apply(event)

    def findings(self, now_s: float | None = None, *, spikes: int | None = 50) -> Findings:
        """What is known at `now_s` (Unix time; `None`: at the last event), with the newest `spikes` spikes."""
        measured = compose.findings(self, now_s, spikes)
        known = add_rates(measured, self.info, self.of_this_process())
        return replace(known, verdict=judge(known, self.info))

    def of_this_process(self) -> list[Iteration]:
        """The newest iterations, without those before the trainer began again: its settings may differ."""
        return self.newest.last(len(self.columns) - self.starts[-1]) if self.starts else []

    def ledger(self, first: int, last: int) -> tuple[LedgerRow, ...]:
        """Wall time by cause of positions `first`..`last` (inclusive), to 100 %."""
        last = min(last, len(self.columns) - 1)
        return compose.window(self, first, last) if 0 <= first <= last else ()

    def chart(self, first: int, last: int, columns: int) -> list[Column]:
        """Positions `first`..`last` (inclusive) as at most `columns` columns of equal numbers of iterations."""
        last = min(last, len(self.columns) - 1)
        if last < first or columns < 1:
            return []
        step = rounded(-(-(last - first + 1) // columns))
        timing = self.current()
        return [self._column(timing, p, min(p + step - 1, last)) for p in range(first, last + 1, step)]

    def spike(self, position: int) -> Spike | None:
        """The causes of the iteration at `position`, whether it was slow or not; `None` if there is none."""
        if not 0 <= position < len(self.columns):
            return None
        spike = self.labels.spike(self.current(), position)
        return None if spike is None else self.beside(spike)

    def next_spike(self, position: int | None, direction: int) -> Spike | None:
        """The spike nearest to `position`, later (+1) or earlier (-1); from `None`, the newest."""
        timing = self.current()
        positions = timing.slow.position
        if position is None:
            place, direction = len(positions) - 1, -1
        else:
            place = bisect_right(positions, position) if direction > 0 else bisect_left(positions, position) - 1
        while 0 <= place < len(positions):
            spike = self.labels.at(timing, place)
            if spike is not None:
                return self.beside(spike)
            place += direction
        return None

    def beside(self, spike: Spike) -> Spike:
        """The spike with what the GPU and the machine did in its seconds, as far as that is known."""
        if self.starts and spike.position >= self.starts[-1]:
            spike = msgspec.structs.replace(spike, gpu_phases=self.gpu_phases.of(spike.index))
        return self.telemetry.beside(spike)

    def validations(self) -> Sequence[tuple[int, float]]:
        """(iteration, validation loss) of every evaluation, oldest first."""
        return self._validations

    def current(self) -> Timing:
        """What is slow, as of now: before the level is fixed, from the few iterations there are."""
        if self.timing.baseline is not None:
            return self.timing
        if self._young is None or self._young[0] != len(self.columns):
            young = self.timing.early(self.starts, self.marks, self.info.clock)
            self._young = (len(self.columns), young)
        return self._young[1]

    def _column(self, timing: Timing, first: int, last: int) -> Column:
        low_s, high_s, median_s, loss = self._pyramid.stretch(first, last)
        positions = timing.slow.position
        start, stop = bisect_left(positions, first), bisect_right(positions, last)
        return Column(
            first=first,
            last=last,
            first_index=self.columns.index[first],
            last_index=self.columns.index[last],
            low_s=low_s,
            high_s=high_s,
            median_s=median_s,
            spikes=stop - start,
            causes=self.labels.kinds(timing, start, stop) if start < stop else (),
            loss=loss,
        )

    def _iterations(self, events: list[Iteration] | Iterations) -> None:
        if isinstance(events, Iterations) or all(event.rank is None for event in events):
            if self.newest.rank is None:
                self._of_one_process(events)
            return
        for start in range(0, len(events), _TOGETHER):  # labels become final when all ranks were heard
            part = events[start : start + _TOGETHER]
            self._of_one_process(self._of_one_rank(part))
            self.ranks.add(part, self.starts[-1] if self.starts else 0)
            self.ranks.settle(self.timing)

    def _of_one_process(self, events: list[Iteration] | Iterations) -> None:
        if not events:
            return
        if isinstance(events, Iterations):
            self._process(events, events.index)
            return
        indices = [e.index for e in events]
        if not any(map(gt, indices, indices[1:])):
            self._process(events, indices)
            return
        backwards = [n for n in range(1, len(indices)) if indices[n] < indices[n - 1]]
        for start, stop in pairwise([0, *backwards, len(indices)]):
            self._process(events[start:stop], indices[start:stop])

    def _of_one_rank(self, events: list[Iteration]) -> list[Iteration]:
        """Without the other ranks of the same iterations: they pass at the same pace."""
        ranks = {e.rank for e in events}
        mine = self.newest.rank if len(self.columns) else events[0].rank
        if ranks == {mine}:
            return events
        return [e for e in events if e.rank == mine]

    def _process(self, events: list[Iteration] | Iterations, indices: Sequence[int]) -> None:
        """Iterations of one process, their indices ascending."""
        start = len(self.columns)
        last = self.columns.index[-1] if start else None
        if last is None or indices[0] < last or self._another_process:
            if last is not None:
                self.spans.leave(indices[0])
            self.starts.append(start)
            self.gpu_phases.clear()
            self.repeats.begin(indices[0], resumed=self.info.resumed)
            self._another_process = False
        for stop in self._milestones(indices):
            if stop:
                self._take(events[:stop], indices[:stop])
            events, indices = events[stop:], indices[stop:]
            self._predict()
        if events:
            self._take(events, indices)

    def _take(self, events: list[Iteration] | Iterations, indices: Sequence[int]) -> None:
        start = len(self.columns)
        self.columns.extend(events)
        self.marks += self.spans.join(indices, start, self.info.time_includes, self.columns.over)
        self.newest.add(events)
        self._printed.join(self.starts[-1])
        self.ended = self.last_words = ""
        self.micro = None
        self._see(events[-1].at_s)
        self.timing.advance(self.starts, self.marks, self.info.clock)
        self.labels.settle(self.timing)

    def _milestones(self, indices: Sequence[int]) -> list[int]:
        """Where to stop in between and put down the ETA: lengths of the parts."""
        most = self.config.max_iterations
        parts: list[int] = []
        if not most or indices[-1] < SCORED_AT[0] * most:
            return parts
        done = 0
        for fraction in SCORED_AT[len(self.predictions) :]:
            offset = bisect_left(indices, fraction * most)
            if offset == len(indices):
                break
            parts.append(offset + 1 - done)
            done = offset + 1
        return parts

    def _predict(self) -> None:
        """Put down what the whole run would take, by what is known now."""
        fraction = SCORED_AT[len(self.predictions)]
        total_s = compose.predicted_total_s(self)
        self.predictions.append(EtaScore(fraction=fraction, predicted_total_s=total_s))

    def _see(self, at_s: float | None) -> None:
        if at_s is not None:
            self.first_at_s = at_s if self.first_at_s is None else self.first_at_s
            self.last_at_s = at_s if self.last_at_s is None else max(self.last_at_s, at_s)

    def _apply(self, event: Event) -> None:
        match event:
            case RunInfo():
                self._introduce(event)
            case Config():
                known = {f: v for f in event.__struct_fields__ if (v := getattr(event, f)) not in (None, "", {})}
                self.config = msgspec.structs.replace(self.config, **known)
                self.config_origins |= dict.fromkeys(known.keys() - {"origin"}, event.origin)
            case GpuSample() | HostSample():
                self.telemetry.add(event)
            case End():
                self.ended = event.reason
                self._see(event.at_s)
            case SpanBegin():
                self.spans.begin(event)
                self._see(event.at_s)
            case SpanEnd():
                self._end_span(event)
            case Progress():
                self.micro = event
                self._see(event.at_s)
            case Printed():
                self._read(event)
            case Phases():
                self._add_phases(event)
            case Message():
                self._say(event)
            case Dropped():
                self.dropped += event.count
            case _:
                return

    def _introduce(self, info: RunInfo) -> None:
        self.info = info
        if self.starts and not self._another_process:
            self._another_process = True
            self.spans.abandon()

    def _add_phases(self, event: Phases) -> None:
        self.ranks.add_phases(event)
        if event.rank == self.newest.rank:
            self.gpu_phases.add(event)

    def _end_span(self, event: SpanEnd) -> None:
        self.spans.end(event)
        self._see(event.at_s)
        if event.kind == EVALUATION and event.iteration is not None:
            self._validate(event.iteration, event.values.get("val_loss"))

    def _read(self, event: Printed) -> None:
        self._printed.add(event, self.starts[-1] if self.starts else 0)
        if not self._validations or self._validations[-1][0] != event.iteration:  # no hook said it
            self._validate(event.iteration, event.validation_loss)

    def _validate(self, iteration: int, loss: float | None) -> None:
        if loss is None:
            return
        self._validations.append((iteration, loss))
        if self.best is None or loss < self.best[1]:
            self.best = (iteration, loss)

    def _say(self, event: Message) -> None:
        if event.about:
            self.telemetry.explain(event)
            return
        self.last_words = event.ending or self.last_words
        before = self.messages.pop(event.text, None)
        count = before.count + 1 if before else 1
        self.messages[event.text] = RunMessage(event.text, event.level, count, event.at_s, event.line)
        if len(self.messages) > _MOST_MESSAGES:
            del self.messages[next(iter(self.messages))]
