"""A source that never waits, read when somebody asks: twenty of them need no thread each.

One thread reads those of one file system, so that a drive that no longer answers holds up what lies on it, and
neither who asks nor the others.
"""

from __future__ import annotations

import os
import threading
import time
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from ..events import Batch, SourceState
from .source import MOST_WAITING, Feed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .source import Source

PATIENCE_S = 2.0
"""So long who asks waits for the answer; else it comes with the next question."""

_AT_ONCE_S = 0.1
"""Of reading for one answer."""


class Polled:
    """The batches of `source`, which gives one without events where there is nothing new.

    Like `Feed`, but that nothing is read until `drain` asks. `path` says on which file system it lies.
    """

    def __init__(self, source: Source, path: Path) -> None:
        self._title = source.title
        self._stop = threading.Event()
        self._batches: Iterator[Batch] = source.batches(self._stop)
        self._reader = _reader_for(path)
        self._answers: SimpleQueue[list[Batch]] = SimpleQueue()
        self._is_asked = False

    def drain(self, most: int = 1_000) -> list[Batch]:
        """What is new, at most `most` batches or a tenth of a second of reading; empty if nothing came in time."""
        if self._stop.is_set():
            return []
        if not self._is_asked:
            self._is_asked = True
            self._reader.do(lambda: self._answers.put(self._read(most)))
        try:
            found = self._answers.get(timeout=0.0 if self._reader.is_stuck else PATIENCE_S)
        except Empty:
            self._reader.is_stuck = True
            return []
        self._is_asked = self._reader.is_stuck = False
        return found

    def stop(self) -> None:
        """Read no more; nobody waits for a file that hangs."""
        if not self._stop.is_set():
            self._stop.set()
            self._reader.do(self._close)

    def _close(self) -> None:
        getattr(self._batches, "close", lambda: None)()

    def _read(self, most: int) -> list[Batch]:
        found: list[Batch] = []
        weight, until_s = 0, time.monotonic() + _AT_ONCE_S
        try:
            for batch in self._batches:
                if batch.events or batch.state is not None:
                    found.append(batch)
                    weight += 1 + batch.weight
                if _is_newest(batch) or weight >= MOST_WAITING:
                    break
                if len(found) >= most or time.monotonic() > until_s:
                    break
        except Exception as error:  # noqa: BLE001 - a broken source is shown, and the others live on
            note = f"{self._title}: {type(error).__name__}: {error}"
            found.append(Batch(state=SourceState.FAILED, note=note))
        return found


def _is_newest(batch: Batch) -> bool:
    """Is nothing behind it, as far as the source has looked?"""
    return batch.state in (None, SourceState.LIVE, SourceState.WAITING) and batch.history is None


def feed_of(source: Source, path: Path) -> Polled | Feed:
    """The batches of `source`, which lies at `path`: without a thread of its own where that can be."""
    if source.never_waits:
        return Polled(source, path)
    feed = Feed()
    feed.add(source)
    return feed


class _Reader:
    """A thread that does one thing after the other. A daemon: nobody waits for it at the end."""

    def __init__(self, name: str) -> None:
        self.is_stuck = False  # it did not answer in time: until it does nobody waits for it
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def do(self, job: Callable[[], None]) -> None:
        """Later, after what was asked before."""
        self._jobs.put(job)

    def _work(self) -> None:
        while True:
            self._jobs.get()()


_READERS: dict[int, _Reader] = {}


def _reader_for(path: Path) -> _Reader:
    """The one of its file system; where a path cannot be looked at, that of the unknown."""
    try:
        device = os.stat(path).st_dev  # noqa: PTH116 - the device alone
    except (OSError, ValueError):
        device = -1
    if device not in _READERS:
        _READERS[device] = _Reader(f"itermon reads device {device}")
    return _READERS[device]
