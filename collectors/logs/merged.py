"""Several files of one run as one source: its log, and the file with its warnings and errors."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

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
                log = next((event.source_format for event in batch.events if isinstance(event, RunInfo)), "")
                places = _Places([event for other in self._others for event in other.history(stop, log)])
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
        self._log = self._format = ""  # what the log is, and this file
        self._counts = False  # it has iterations of its own

    def history(self, stop: threading.Event, log: str = "") -> list[_Kept]:
        """What stands in the file already. `log`: the format of the run's log, where that is known."""
        self._batches, self._log = self._source.batches(stop), log
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
        for event in events:
            if isinstance(event, RunInfo):
                self._format = event.source_format
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
        if not self._counts or not self._log or self._format == self._log:
            return [event]
        if isinstance(event, Config):
            return [msgspec.structs.replace(event, max_iterations=None)]
        if event.iteration is None:
            return [event]
        return [] if event.at_s is None else [msgspec.structs.replace(event, iteration=None)]


class _Places:
    """Events of other files on their way into the history, each before the iteration that it belongs to."""

    def __init__(self, events: Sequence[_Kept]) -> None:
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
        return _Places(self._all)

    def left(self) -> list[Event]:
        """What found no place."""
        return [*(event for _, event in (*self._by_iteration, *self._by_time)), *self._rest]


def _moment(dated: tuple[float, _Kept]) -> tuple[float, bool]:
    """When it happened. What begins comes after the iterations of the same stamp: its work is to be done."""
    at_s, event = dated
    return at_s, isinstance(event, SpanBegin)
