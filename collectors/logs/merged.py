"""Several files of one run as one source: its log, and the file with its warnings and errors."""

from __future__ import annotations

import time
from collections import Counter, deque
from math import isclose
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ...events import (
    Batch,
    Collective,
    Config,
    Iteration,
    Iterations,
    Message,
    RankState,
    RunInfo,
    SourceState,
    SpanBegin,
    SpanEnd,
    Strength,
    expand,
)
from ..clean import clean
from ..source import Feed, Source, StartedSource
from .doubt import DESCRIBE_IT, NO_FORMAT
from .finding import find_log
from .log_source import LogSource
from .text import LogText

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from ...events import Event

    _Kept = Message | SpanBegin | SpanEnd | Config | Collective | RankState

_WAIT_S = 0.2
_LOOK_S = 1.0  # 20 ms for each file, for all formats


class MergedSource(Source):
    """The log `main`, which has the iterations, and of `others` the messages, evaluations and settings.

    In the history they stand where their time stamp or iteration belongs, those that have neither at its end;
    after that, in the order they come. Iterations of `others` (a progress bar's) are the same ones once more.
    """

    def __init__(self, main: LogSource, others: Sequence[LogSource]) -> None:
        self.title = " + ".join(source.title for source in (main, *others))
        self.text = main.text
        self._main = main
        self._others = [_SecondarySource(source) for source in others]

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """The batches of `main`, with the events of the others in them, and between them once all are live."""
        main = self._main.batches(stop)
        places: _Places | None = None
        for batch in main:
            if batch.preview:  # the first screen waits for no other file
                yield batch
                continue
            if batch.restart:  # what was placed is void with the rest
                places = None if places is None else places.again()
            if places is None:
                log = _counts_of(batch.events)
                places = _Places([event for other in self._others for event in other.history(stop, log)])
                places.losses = [loss for other in self._others for loss in other.losses]
            events = places.put_in(batch.events)
            if batch.state == SourceState.READING:
                yield msgspec.structs.replace(batch, events=events)
                continue
            yield msgspec.structs.replace(batch, events=[*events, *places.left()])
            if batch.state not in (SourceState.ENDED, SourceState.FAILED):
                yield from self._live(main, stop)
            return

    def _live(self, main: Iterator[Batch], stop: threading.Event) -> Iterator[Batch]:
        feed = Feed()
        threads = [feed.add(source) for source in (StartedSource(self._main.title, main), *self._others)]
        try:
            while not stop.is_set():
                over = not any(thread.is_alive() for thread in threads)  # asked first: then their last is read
                yield from feed.wait(_WAIT_S)
                if over:
                    return
        finally:
            feed.stop()


class UndecidedSource(Source):
    """Several files of one run of which none is a known log yet: which is, shows when its first lines are there.

    Until then only their messages are reported. `merged` opens them as one source, given the log and its text.
    """

    def __init__(
        self,
        files: Sequence[Path],
        merged: Callable[[Path, LogText], MergedSource],
        *,
        poll_s: float = _LOOK_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.title = " + ".join(clean(str(file)) for file in files)
        self.text: LogText = LogText()
        self._files = files
        self._merged = merged
        self._poll_s = poll_s
        self._clock = clock

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """Messages, until there is a log: then everything anew."""
        sources = [_SecondarySource(LogSource(file, secondary=True, clock=self._clock)) for file in self._files]
        messages = [event for one in sources for event in one.history(stop)]
        yield Batch(
            messages,
            state=SourceState.WAITING,
            note=f"{self.title}: {NO_FORMAT} so far: waiting{DESCRIBE_IT}",
        )
        feed = Feed()
        for one in sources:
            feed.add(one)
        found = None
        try:
            while found is None and not stop.is_set():
                yield from feed.wait(self._poll_s)
                found = find_log(self._files)
        finally:
            feed.stop()
        if found is not None:
            yield Batch(state=SourceState.READING, restart=True)
            yield from self._merged(found.path, self.text).batches(stop)


class _SecondarySource(Source):
    """Another file than the log: its batches have no state, and no iterations."""

    def __init__(self, source: LogSource) -> None:
        self.title = source.title
        self._name = clean(source.path.name)
        self._source = source
        self._batches: Iterator[Batch] = iter(())
        self._reported: set[Message] = set()  # a file whose format is found late is read once more
        self._log = self._own = _Counts()  # what the log counts, and this file
        self._counts = False  # it has iterations of its own
        self.losses: list[float] = []  # of its evaluations that have no place among the log's iterations

    def history(self, stop: threading.Event, log: _Counts | None = None) -> list[_Kept]:
        """What stands in the file already. `log`: what the run's log counts, where that is known."""
        self._batches, self._log = self._source.batches(stop), log or _Counts()
        events: list[Event] = []
        for batch in self._batches:
            events += [] if batch.preview else batch.events
            if batch.state != SourceState.READING:
                break
        return self._kept(events)

    def batches(self, stop: threading.Event) -> Iterator[Batch]:  # noqa: ARG002 - they know when to stop
        """What comes after the history."""
        for batch in self._batches:
            if events := self._kept(batch.events):
                yield Batch(events)

    def _kept(self, events: Sequence[Event]) -> list[_Kept]:
        kept: list[_Kept] = []
        self._own = _counts_of(events, self._own)
        counted = [at for at, event in enumerate(events) if isinstance(event, Iteration | Iterations)]
        newest = counted[-1] if counted else -1
        self._counts = self._counts or bool(counted)
        for at, event in enumerate(events):
            if isinstance(event, Message):
                if event in self._reported:
                    continue
                self._reported.add(event)
                ending = event.ending if at > newest else None  # its own file went on after it
                kept.append(msgspec.structs.replace(event, text=f"{self._name}: {event.text}", ending=ending))
            elif isinstance(event, SpanBegin | SpanEnd | Config):
                kept += self._placed(event)
            elif isinstance(event, Collective):
                kept.append(msgspec.structs.replace(event, line=None))  # it counts another file's lines
            elif isinstance(event, RankState):
                kept.append(event)
        return kept

    def _placed(self, event: SpanBegin | SpanEnd | Config) -> list[_Kept]:
        """Without a number that may count something else than the log does: epochs, where that counts steps."""
        if not self._counts or not self._own.differs(self._log):
            return [event]
        if isinstance(event, Config):
            return [msgspec.structs.replace(event, max_iterations=None)]
        if event.iteration is None:
            return [event]
        counts_alone = False  # that it was, and no more, is known of it
        if isinstance(event, SpanEnd):
            self.losses += [event.values["val_loss"]] if "val_loss" in event.values else []
            counts_alone = event.strength == Strength.GUESS and not event.void and event.duration_s is None
        known = event.at_s is not None or counts_alone
        return [msgspec.structs.replace(event, iteration=None)] if known else []


class _Counts(NamedTuple):
    """What a file counts: two of one format may count steps and epochs, each up to its own total."""

    format: str = ""
    total: int | None = None

    def differs(self, log: _Counts) -> bool:
        """Is it known to be something else than what the `log` counts?"""
        totals = None not in (self.total, log.total) and self.total != log.total
        return bool(log.format) and (self.format != log.format or totals)


def _counts_of(events: Sequence[Event], before: _Counts | None = None) -> _Counts:
    known = before or _Counts()
    for event in events:
        if isinstance(event, RunInfo):
            known = known._replace(format=event.source_format)
        elif isinstance(event, Config) and event.max_iterations is not None:
            known = known._replace(total=event.max_iterations)
    return known


_ENDS = (SpanBegin, SpanEnd)
AGREE = 0.01
"""Losses of two files are of one evaluation where they differ by no more: a bar rounds."""

CONTRADICTED = "two files tell other validation losses of the same evaluations: none is shown"


class _Places:
    """Events of other files on their way into the history, each before the iteration that it belongs to.

    What has neither a number nor a time that the log has, too, may be what the log itself tells of: of a kind that
    both tell of, it counts only where it comes more often.
    """

    def __init__(self, events: Sequence[_Kept]) -> None:
        self.losses: list[float] = []  # that other files tell of evaluations without a place
        self._told: Counter[tuple[type[Event], str]] = Counter()  # by the log itself
        self._dated = False  # have its iterations a clock?
        self._contradicted: bool | None = None  # the log's validation losses, by `losses`
        self._all = events
        self._settings = [event for event in events if isinstance(event, Config)]
        others = [event for event in events if not isinstance(event, Config)]
        numbered = [(at, event) for event in others if (at := getattr(event, "iteration", None)) is not None]
        unnumbered = [event for event in others if getattr(event, "iteration", None) is None]
        dated = [(event.at_s, event) for event in unnumbered if event.at_s is not None]
        self._by_iteration = deque(numbered)
        self._by_time = deque(sorted(dated, key=_moment))
        self._rest = [event for event in unnumbered if event.at_s is None]

    def put_in(self, events: Sequence[Event]) -> Sequence[Event]:
        """`events` with those whose time or iteration comes in them."""
        events = self._looked_at(events)
        if not (self._settings or self._by_iteration or self._by_time):
            return events
        placed: list[Event] = [*self._settings]
        self._settings = []
        for event in expand(events):
            if isinstance(event, Iteration):
                while self._by_iteration and self._by_iteration[0][0] <= event.index:
                    placed.append(self._by_iteration.popleft()[1])
                while (
                    self._by_time and event.at_s is not None and _moment(self._by_time[0]) <= (event.at_s, False)
                ):
                    placed.append(self._by_time.popleft()[1])
            placed.append(event)
        return placed

    def again(self) -> _Places:
        """All of them, not placed yet."""
        again = _Places(self._all)
        again.losses = self.losses
        return again

    def left(self) -> list[Event]:
        """What found no place."""
        dated = [event for _, event in self._by_time]
        placed = [event for _, event in self._by_iteration] + (dated if self._dated else [])
        return [*placed, *self._more_often([*([] if self._dated else dated), *self._rest])]

    def _more_often(self, events: Sequence[_Kept]) -> Iterator[_Kept]:
        """`events` without as many of each kind as the log tells of itself."""
        same = {
            (one, kind): max(self._told[both, kind] for both in _ENDS) for _, kind in self._told for one in _ENDS
        }
        for event in events:
            if isinstance(event, SpanBegin | SpanEnd) and same.get((type(event), event.kind), 0):
                same[type(event), event.kind] -= 1
            else:
                yield event

    def _looked_at(self, events: Sequence[Event]) -> Sequence[Event]:
        """`events` of the log: what it tells of is counted, and what other files contradict is left out."""
        for event in events:
            if isinstance(event, SpanBegin | SpanEnd):
                self._told[type(event), event.kind] += not (isinstance(event, SpanEnd) and event.void)
            elif isinstance(event, Iteration | Iterations):
                first = event[0] if isinstance(event, Iterations) else event
                self._dated = self._dated or first.at_s is not None
        return [one for event in events for one in self._agreeing(event)] if self.losses else events

    def _agreeing(self, event: Event) -> list[Event]:
        if not isinstance(event, SpanEnd) or "val_loss" not in event.values:
            return [event]
        loss, first = event.values["val_loss"], self._contradicted is None
        if first:
            self._contradicted = not any(isclose(loss, one, rel_tol=AGREE) for one in self.losses)
        if not self._contradicted:
            return [event]
        rest = {name: value for name, value in event.values.items() if name != "val_loss"}
        return [*([Message(CONTRADICTED)] if first else []), msgspec.structs.replace(event, values=rest)]


def _moment(dated: tuple[float, _Kept]) -> tuple[float, bool]:
    """When it happened. What begins comes after the iterations of the same stamp: its work is to be done."""
    at_s, event = dated
    return at_s, isinstance(event, SpanBegin)
