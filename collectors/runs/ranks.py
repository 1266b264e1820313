"""Several ranks of one run (recordings, or living trainers) as one source: it shows which rank is late."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from heapq import merge
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import (
    STOPS,
    Batch,
    Collective,
    Dropped,
    End,
    EndReason,
    Event,
    Iteration,
    Message,
    Phases,
    RankState,
    RunInfo,
    Severity,
    SourceState,
    SpanBegin,
    SpanEnd,
    Stack,
    expand,
)
from ..source import Feed, Source

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence


_WAIT_S = 0.2
_AT_ONCE = 4096
_MOST_WAITS = 10  # for what the others report after the lowest has ended: perhaps why


class RanksSource(Source):
    """The lowest rank of `sources` gives the run; the others add their iterations, phases, stacks and messages.

    In the history the iterations of all ranks stand side by side, as the analysis compares what is near; what is
    new comes as it comes.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self.title = f"{sources[0].title} and {len(sources) - 1} more"
        self.text = sources[0].text
        self._sources = sources

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """The batches of all ranks, with the state of the lowest."""
        with ThreadPoolExecutor(
            len(self._sources)
        ) as pool:  # a connection through two hosts takes 5 s: side by side
            found = pool.map(lambda source: _RankSource(source, stop), self._sources)
            ranks = sorted(found, key=lambda rank: rank.number)
        failed = next((rank.newest for rank in ranks if rank.newest.state == SourceState.FAILED), None)
        if failed is not None:
            yield failed
            return
        # One that hangs need not keep us from the others: it is they who wait for it.
        silent = [rank for rank in ranks if rank.newest.state == SourceState.WAITING]
        ranks = [rank for rank in ranks if rank not in silent] or silent[:1]
        for rank, next_one in pairwise(ranks):
            if rank.number == next_one.number:
                both = f"{rank.title} and {next_one.title} are both of rank {rank.number}"
                yield Batch(state=SourceState.FAILED, note=f"{both}. To compare two runs: itermon compare A B")
                return
        if silent:
            yield Batch(
                [Message(rank.newest.note, level=Severity.WARNING) for rank in silent], state=SourceState.READING
            )
        lowest = ranks[0]
        lowest.is_lowest = True
        events = merge(*(rank.history() for rank in ranks), key=lambda pair: pair[0])
        while part := [event for _, event in islice(events, _AT_ONCE)]:
            yield Batch(part, state=SourceState.READING)
        yield Batch(state=lowest.newest.state, note=lowest.newest.note)
        if lowest.newest.state not in (SourceState.ENDED, SourceState.FAILED):
            yield from _live(ranks, stop)


def _live(ranks: Sequence[_RankSource], stop: threading.Event) -> Iterator[Batch]:
    """What is new of all ranks: in one batch what has come meanwhile, however many ranks there are.

    A screen takes a few batches at each of its ticks: one by one, those of three ranks came seconds late.
    """
    feed = Feed()
    threads = [feed.add(rank) for rank in ranks]
    end, waits = None, 0
    try:
        while not stop.is_set() and (end is None or waits < _MOST_WAITS):
            lives = any(thread.is_alive() for thread in threads)  # asked first: then no more comes
            batches = feed.wait(_WAIT_S)
            if batches:
                newest = next((b for b in reversed(batches) if b.state is not None), Batch())
                end = newest if newest.state in (SourceState.ENDED, SourceState.FAILED) else end
                events = [event for batch in batches for event in batch.events]
                yield replace(newest, events=events, state=None if end else newest.state)
            waits += end is not None
            if not lives and not batches:
                break
    finally:
        feed.stop()
    if end is not None:
        yield Batch(state=end.state, note=end.note)


class _RankSource(Source):
    """One rank's source. Reads until it is known which rank it is."""

    def __init__(self, source: Source, stop: threading.Event) -> None:
        self.title = source.title
        self.is_lowest = False
        self.newest = Batch(state=SourceState.READING)
        self._batches = source.batches(stop)
        self._unplayed: list[Event] = []
        runs: list[RunInfo] = []
        while not runs and self._read():
            runs = [event for event in self._unplayed if isinstance(event, RunInfo)]
        self.number = next((run.rank or 0 for run in runs), 0)

    def history(self) -> Iterator[tuple[int, Event]]:
        """What there is already: each event with the iteration that it comes after."""
        index = 0
        while self._unplayed or self._read():
            events, self._unplayed = self._unplayed, []
            for event in self._own(events):
                index = event.index if isinstance(event, Iteration) else index
                yield index, event

    def batches(self, stop: threading.Event) -> Iterator[Batch]:  # noqa: ARG002 - they know when to stop
        """What is new."""
        for batch in self._batches:
            events = self._own(batch.events)
            if self.is_lowest:
                yield replace(batch, events=events, restart=False)  # the other ranks' are as they were
            elif batch.state == SourceState.FAILED:
                yield Batch([*events, Message(f"rank {self.number}: {batch.note}", level=Severity.ERROR)])
            elif events:
                yield Batch(events)

    def _read(self) -> bool:
        """Take in one more batch of the history, if there is one."""
        if self.newest.state != SourceState.READING:
            return False
        batch = next(self._batches, Batch(state=SourceState.ENDED))
        if not batch.preview:
            self.newest = replace(batch, state=batch.state or self.newest.state)
            self._unplayed = [*batch.events] if batch.restart else [*self._unplayed, *batch.events]
        return True

    def _own(self, events: Sequence[Event]) -> list[Event]:
        """What counts of this rank: its own iterations and stacks; of the lowest, all that concerns the run."""
        kept: list[Event] = []
        for event in expand(events):
            if isinstance(event, Iteration | Phases | Stack):
                # Another machine's stream may hold several ranks already, and says which is whose.
                kept.append(replace(event, rank=self.number) if event.rank is None else event)
                continue
            if (state := self._state(event)) is not None:
                kept.append(state)
            if self.is_lowest:
                kept.append(event)
            elif isinstance(event, Message):
                said = event.text if event.text.startswith("rank ") else f"rank {self.number}: {event.text}"
                kept.append(replace(event, text=said))
            elif isinstance(event, End) and event.reason != EndReason.FINISHED:
                text = f"rank {self.number}: {event.reason}" + (event.detail and f": {event.detail}")
                kept.append(Message(text, level=Severity.ERROR, at_s=event.at_s))
            elif isinstance(event, Dropped | Collective | RankState):
                kept.append(event)
        return kept

    def _state(self, event: Event) -> RankState | None:
        """What an event says of this rank's process: which it is, the stop that it is in, how it ended."""
        match event:
            case RunInfo():
                return RankState(self.number, pid=event.pid, host=event.host)
            case SpanBegin() if event.kind in STOPS:
                return RankState(self.number, event.at_s, doing=event.kind)
            case SpanEnd() if event.kind in STOPS:
                return RankState(self.number, event.at_s)
            case End():
                ended = f"{event.reason}: {event.detail}" if event.detail else str(event.reason)
                return RankState(self.number, event.at_s, ended=ended, exit_code=event.exit_code)
        return None
