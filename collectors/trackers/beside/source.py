"""A log with what a tracker kept of the same run, as one source: only where it is proven that they are one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ....events import Batch, SourceState
from ....words import plural
from ...source import Feed, Source, StartedSource
from .filling import Filling
from .kept import Kept, iterations_of
from .proof import same_run

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence

    from ....events import Iteration

MOST_HELD = 50_000
"""Events of a history that are held back until it is known whether there is more to say of them."""

_MOST_COMPARED = 2_000
_WAIT_S = 0.2
_OVER = (SourceState.ENDED, SourceState.FAILED)


class WithTracker(Source):
    """The batches of `log`, and in them what the first of `runs` has that is proven to be the same run.

    `written_s` is when the log was last written to, where that is known.
    """

    def __init__(self, log: Source, runs: Sequence[Source], *, written_s: float | None) -> None:
        self.title = log.title
        self.text = log.text
        self._log = log
        self._runs = runs
        self._written_s = written_s
        self._iterations: list[Iteration] = []
        self._filling: Filling | None = None
        self._instead = ""  # what to open, where the log itself has no iteration

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """A preview at once; the rest when the runs beside the log have been looked into."""
        batches = self._log.batches(stop)
        held: list[Batch] = []
        for batch in batches:
            if batch.preview:
                yield batch
                continue
            held.append(batch)
            if batch.state not in (None, SourceState.READING) or sum(b.weight for b in held) >= MOST_HELD:
                break
        self._note(held)
        run, kept = self._same_of(stop)
        if kept is not None and kept.iterations:
            self._instead = f"; beside it {kept.title} has {plural(len(kept.iterations), 'iteration')}"
        joined = self._filling
        if joined is not None:
            yield Batch([joined.said()], state=SourceState.READING)
        state = None
        for batch in _then(held, batches):
            state = batch.state
            yield self._with(batch)
            if state not in (None, SourceState.READING):
                break
        if state not in (None, *_OVER) and kept is not None:
            yield from self._live(batches, run, kept, stop)
        elif state not in (None, *_OVER):
            yield from batches

    def _note(self, batches: Sequence[Batch]) -> None:
        """Keep the log's first iterations, to compare."""
        events = [event for batch in batches for event in batch.events]
        self._iterations += iterations_of(events, _MOST_COMPARED - len(self._iterations))

    def _same_of(self, stop: threading.Event) -> tuple[Iterator[Batch], Kept | None]:
        """The run that is the log's, read as far as it is written; where none is proven yet, the likeliest."""
        likeliest: tuple[Iterator[Batch], Kept | None] = iter(()), None
        for source in self._runs:
            kept = Kept(source.title)
            batches = source.batches(stop)
            for batch in batches:
                _take(kept, batch)
                if batch.state not in (None, SourceState.READING):
                    break
            self._filling = self._proven(kept)
            if self._filling is not None:
                return batches, kept
            if likeliest[1] is None:
                likeliest = batches, kept
        return likeliest

    def _proven(self, kept: Kept) -> Filling | None:
        same = same_run(
            self._iterations,
            kept.iterations,
            begun_s=kept.oldest_s,
            newest_s=kept.newest_s,
            written_s=self._written_s,
        )
        return Filling(kept, same) if same is not None else None

    def _with(self, batch: Batch) -> Batch:
        """A batch of the log, with what the run beside it has of its events."""
        filling = self._filling
        if filling is None:
            has_none = self._instead and batch.note and not self._iterations
            return msgspec.structs.replace(batch, note=batch.note + self._instead) if has_none else batch
        events = list(filling.put_in(batch.events))
        if batch.state not in (None, SourceState.READING):
            events += filling.new()
        return msgspec.structs.replace(batch, events=events)

    def _live(
        self, log: Iterator[Batch], run: Iterator[Batch], kept: Kept, stop: threading.Event
    ) -> Iterator[Batch]:
        """Both as they grow. A log that is too young to be compared may be proven later."""
        lines, records = Feed(), Feed()
        reading = lines.add(StartedSource(self.title, log))
        records.add(StartedSource(kept.title, run))
        try:
            while not stop.is_set():
                over = not reading.is_alive()  # asked first: then its last is read
                came = lines.wait(_WAIT_S)
                self._note(came)
                for batch in records.drain():
                    _take(kept, batch)
                if self._filling is None and self._is_young(came):
                    self._filling = self._proven(kept)
                    if self._filling is not None:
                        yield Batch([self._filling.said()])
                if self._filling is not None and (new := self._filling.new()):
                    yield Batch(new)
                yield from map(self._with, came)
                if over:
                    return
        finally:
            lines.stop()
            records.stop()

    def _is_young(self, came: Sequence[Batch]) -> bool:
        return bool(came) and len(self._iterations) < _MOST_COMPARED


def _take(kept: Kept, batch: Batch) -> None:
    if batch.restart:
        kept.begin()
    if not batch.preview:
        kept.add(batch.events)


def _then(held: Sequence[Batch], more: Iterator[Batch]) -> Iterator[Batch]:
    yield from held
    if held and held[-1].state in (None, SourceState.READING):
        yield from more
