"""A run that goes on: what it writes is taken in as it comes, step by step, and its line told now and then."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from ...analysis.run import Run
from ...collectors.logs.log_source import LogSource
from ...collectors.runs.recording import RecordingSource
from ...collectors.settings import ConfiguredSource
from ...collectors.source import Feed
from ...events import SourceState
from ...reports.run_line import RunLine, run_line, with_work

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...collectors.source import Source
    from ...events import Batch, Config
    from .attempts import Joined

_STEP_S = 0.05
"""Of reading at a time: a list of twenty living runs stands before the last of them is read to its end."""

_LINE_S = 4.0
_EACH_S = 1.0
"""Between two lines of one run, and between those of any two: what is known of a run takes 3 ms to work out."""

_OVER = (SourceState.ENDED, SourceState.FAILED)


class Followed:
    """What is known of one run that goes on.

    Args:
        source: of the run; one that never waits is read in the thread that asks, another in one of its own.
        settings: what the person says of it.
        attempts: of the same training, before this one.
    """

    def __init__(self, source: Source, settings: Sequence[Config], attempts: Joined | None = None) -> None:
        never_waits = isinstance(source, RecordingSource | LogSource)
        configured = ConfiguredSource(source, settings)
        self._stop = threading.Event()
        self._feed = None if never_waits else Feed()
        self._batches: Iterator[Batch] = iter(()) if self._feed else configured.batches(self._stop)
        if self._feed:
            self._feed.add(configured)
        self._run, self._attempts = Run(), attempts
        if attempts:
            attempts.begin()
        self._line, self._line_at_s = RunLine(), float("-inf")
        self.caught_up = False
        """Has its history been read?"""

        self.over = False
        """Has it ended, or can it not be read? Then it may be read once, as a whole."""

    def step(self) -> None:
        """Take in what is new, for as long as a step may take."""
        if self._feed:
            for batch in self._feed.drain():
                self._take(batch)
            return
        until_s = time.monotonic() + _STEP_S
        for batch in self._batches:
            self._take(batch)
            idle = not batch.events and batch.state in (None, SourceState.LIVE, SourceState.WAITING)
            if idle or time.monotonic() > until_s:
                return

    def line(self, now_s: float, followed: int = 1) -> RunLine:
        """Its line, of a moment ago at most; a longer one where so many runs are `followed`."""
        due = now_s - self._line_at_s >= max(_LINE_S, _EACH_S * followed) or not self.caught_up
        if due:
            self._line, self._line_at_s = run_line(self._run.findings(now_s)), now_s
            if self._attempts:
                self._line = with_work(self._line, self._attempts.count, self._attempts.work())
        return self._line

    def close(self) -> None:
        """Nobody looks any more."""
        self._stop.set()
        if self._feed:
            self._feed.stop()
        else:
            getattr(self._batches, "close", lambda: None)()

    def _take(self, batch: Batch) -> None:
        if batch.restart:
            self._run = Run()
            self._attempts = None  # not the file any more that went on where they stopped
        if self._attempts:
            self._attempts.take(batch)
        if not batch.preview:
            self._run.apply(batch.events)
        if batch.state is not None and not batch.preview:
            self.caught_up = batch.state != SourceState.READING
            self.over = batch.state in _OVER
