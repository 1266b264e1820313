"""One rank of a run that has no recording, followed by what comes of it: a log that grows, a trainer's socket."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from msgspec.structs import replace

from ..events import End, EndOfFile, Iteration, Iterations, RunInfo, SourceState
from .counted import Counted
from .recordings import Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..events import Batch, Event

_MUCH = 1_000
"""Events that come at once: more wait behind them."""

_OVER = (SourceState.ENDED, SourceState.FAILED)


class Feed(Protocol):
    """Where the batches of a source come from."""

    def drain(self, most: int = 1_000) -> list[Batch]:
        """Up to `most` batches that wait; empty if none does."""

    def stop(self) -> None:
        """Read no more."""


class Live(NamedTuple):
    """A run that lives, as far as is known without reading it.

    key: tells it from all others, over restarts: a run id, or a log's path.
    name: of its run.
    open: begins to read it.
    number: is put behind the name where another run has it.
    run_id, pid: of its trainer, where that is known.
    seen_at_s: when it was last written to, where that is known (Unix time).
    begins: whether to begin to read it; one that is silent for a while is gone on with.
    """

    key: str
    name: str
    open: Callable[[], Feed]
    number: int
    run_id: str = ""
    pid: int | None = None
    seen_at_s: float | None = None
    begins: bool = True


class Streamed(Counted):
    """Follows a run by its source.

    What is counted begins where the source does: a log from its beginning, so that a restarted exporter goes on
    exactly where the last one was; a trainer that does not record, from the oldest that it still keeps.
    """

    def __init__(self, live: Live) -> None:
        super().__init__(live.key)
        self.live = live
        self._feed = live.open()
        self._info = RunInfo()
        self._first: int | None = None
        self._goes_on = self._is_read = self._is_reading = False

    @property
    def recording(self) -> Recording:  # type: ignore[override]
        """What it is, as a recording would say it."""
        live, rank = self.live, self._info.rank or 0
        info = self._info if self._info.host else replace(self._info, host=os.uname().nodename)
        name = live.name.removesuffix(f"-rank{rank}")
        return Recording(live.run_id, Path(live.key), name, rank, live.number, info, self._first)

    @property
    def trainer_pid(self) -> int | None:
        """Of a log nobody knows which of its writer's processes computes."""
        return self.live.pid

    def read(self) -> bool:
        """Take in what is new; `False` where there is more than can be read at a time."""
        weight = 0
        batches = self._feed.drain()
        for batch in batches:
            weight += 1 + batch.weight
            if batch.restart:
                self._begin_anew()
            if not batch.preview:
                self._note(batch.events)
                self._take(batch.events)
            if batch.state is not None:
                self._is_reading = batch.state == SourceState.READING
                self._is_read = not self._is_reading and batch.history is None
                self._end(over=batch.state in _OVER)
        self.caught_up = self.caught_up or (self._is_read and weight < _MUCH)
        return weight < _MUCH and not (batches and self._is_reading)

    def close(self) -> None:
        """Read no more."""
        self._feed.stop()

    def _begin_anew(self) -> None:
        """All before was another file: its counters begin at 0, as Prometheus expects it of a restart."""
        super().__init__(self.known_as)
        self._info, self._first, self._goes_on, self.is_over = RunInfo(), None, False, False

    def _note(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, RunInfo):
                self.restarts += self._goes_on
                self._info, self._goes_on = event, False
            elif isinstance(event, Iteration | Iterations):
                one = event[0] if isinstance(event, Iterations) else event
                self._first = one.index if self._first is None else self._first
                self.is_over, self._goes_on = False, True  # another process goes on with the log
            elif isinstance(event, End) or (isinstance(event, EndOfFile) and event.writer_gone):
                self.is_over = True

    def _end(self, *, over: bool) -> None:
        """At its end what is not final counts too."""
        if over:
            self.run.end_process(over=True)
            self.is_over = True
