"""What every source is: an iterator of batches. A thread drains it into one bounded queue."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Protocol

from ..events import FAILED, Batch

if TYPE_CHECKING:
    from collections.abc import Iterator


class Source(Protocol):
    """A place that events come from. `batches` yields until the source ends or `stop` is set."""

    title: str

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """Yield batches as they come; block in between, but never long after `stop` is set."""
        ...


class Feed:
    """The one queue between the threads of the sources and whoever draws. Bounded: a slow drawer slows us.

    Two batches, about half a megabyte of log: while the screen is still being imported, a source that runs ahead
    takes the interpreter from it (first paint of a long log: 660 ms with 64, 390 ms with 4), and what waits stays
    in memory (after a million lines 90 MB with 4, 85 MB with 2).
    """

    def __init__(self, *, most: int = 2) -> None:
        self._queue: queue.Queue[Batch] = queue.Queue(most)
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def add(self, source: Source) -> threading.Thread:
        """Start to read `source` in a thread of its own, which lives as long as the source has something."""
        name = f"itermon {type(source).__name__}"
        thread = threading.Thread(target=self._read, args=(source,), name=name, daemon=True)
        self._threads.append(thread)
        thread.start()
        return thread

    def wait(self, timeout_s: float) -> list[Batch]:
        """The next batch as soon as there is one, and those behind it; empty if none comes in time."""
        try:
            first = self._queue.get(timeout=timeout_s)
        except queue.Empty:
            return []
        return [first, *self.drain()]

    def drain(self, most: int = 16) -> list[Batch]:
        """Up to `most` batches that wait, oldest first; empty if none does."""
        batches: list[Batch] = []
        while len(batches) < most:
            try:
                batches.append(self._queue.get_nowait())
            except queue.Empty:
                break
        return batches

    def stop(self) -> None:
        """Tell all sources to stop. Their threads are daemons: nobody waits for one that hangs."""
        self._stop.set()

    def _read(self, source: Source) -> None:
        try:
            for batch in source.batches(self._stop):
                if not self._put(batch):
                    return
        except Exception as error:  # noqa: BLE001 - a broken source is shown, and the others live on
            self._put(Batch(state=FAILED, note=f"{source.title}: {type(error).__name__}: {error}"))

    def _put(self, batch: Batch) -> bool:
        while not self._stop.is_set():
            try:
                self._queue.put(batch, timeout=0.2)
            except queue.Full:
                continue
            return True
        return False
