"""What every source is: an iterator of batches. A thread drains it into one bounded queue."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Protocol

from ..events import FAILED, Batch, Iterations

if TYPE_CHECKING:
    from collections.abc import Iterator


class Source(Protocol):
    """A place that events come from. `batches` yields until the source ends or `stop` is set."""

    title: str

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """Yield batches as they come; block in between, but never long after `stop` is set."""
        ...


MOST_WAITING = 6_000
"""Iterations and other events between a source and whoever draws: with one of a log's batches it has room for
another, about half a megabyte of log in all."""


class Feed:
    """The one queue between the threads of the sources and whoever draws. Bounded: a slow drawer slows us.

    While the screen is still being imported, a source that runs ahead takes the interpreter from it (first paint
    of a long log: 660 ms with 64 batches, 390 ms with 4), and what waits stays in memory (after a million lines
    90 MB with 4, 85 MB with 2). It counts events, not batches: what a living source tells in small ones would else
    wait for several ticks of the screen.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Batch]] = deque()
        self._weight = 0
        self._changed = threading.Condition()
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
        with self._changed:
            self._changed.wait_for(lambda: self._waiting, timeout_s)
        return self.drain()

    def drain(self, most: int = 1_000) -> list[Batch]:
        """Up to `most` batches that wait, oldest first; empty if none does."""
        batches: list[Batch] = []
        with self._changed:
            while self._waiting and len(batches) < most:
                weight, batch = self._waiting.popleft()
                self._weight -= weight
                batches.append(batch)
            self._changed.notify_all()
        return batches

    def stop(self) -> None:
        """Tell all sources to stop. Their threads are daemons: nobody waits for one that hangs."""
        self._stop.set()
        with self._changed:
            self._changed.notify_all()

    def _read(self, source: Source) -> None:
        try:
            for batch in source.batches(self._stop):
                if not self._put(batch):
                    return
        except Exception as error:  # noqa: BLE001 - a broken source is shown, and the others live on
            self._put(Batch(state=FAILED, note=f"{source.title}: {type(error).__name__}: {error}"))

    def _put(self, batch: Batch) -> bool:
        weight = 1 + sum(len(event) if isinstance(event, Iterations) else 1 for event in batch.events)
        with self._changed:
            self._changed.wait_for(lambda: self._stop.is_set() or self._weight < MOST_WAITING)
            if self._stop.is_set():
                return False
            self._waiting.append((weight, batch))
            self._weight += weight
            self._changed.notify_all()
        return True
