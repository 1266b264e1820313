"""What every source is: an iterator of batches. A thread drains it into one bounded queue."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import deque
from typing import TYPE_CHECKING

from ..events import Batch, SourceState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .logs.text import LogText


class Source(ABC):
    """A place that events come from: a log, a socket, a recording, a sampler of this machine.

    A source is made in one thread (nothing is opened or read then) and drained in another, which calls `batches`
    once. It never writes to what it reads, and never disturbs the trainer.
    """

    title: str
    """What a person calls it: a path, a run's name. Clean, in one line."""

    text: LogText | None = None
    """The lines of the log, for whoever shows them in another thread; `None` where there is no log."""

    never_waits: bool = False
    """Whether `batches` gives a batch without events instead of blocking: its caller comes back."""

    @abstractmethod
    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """Read until the source ends, or until `stop` is set.

        A source of a run yields `READING` while it reads the history (perhaps after a preview, see `Batch`),
        then `LIVE` (or `WAITING` while there is no iteration yet), and at last `ENDED` or `FAILED`: nothing comes
        after these. A source of samples yields batches without a state, for they say nothing of the run.

        Args:
            stop: set by another thread. The iterator then ends within half a second, without a last batch.

        Returns:
            The batches, in the order in which things happened. Between two of them it blocks.

        Raises:
            Nothing that can be foreseen: what cannot be read is a batch of state `FAILED`, whose `note` names the
            file and the reason. Any other exception is a fault of itermon, and `Feed` shows it as such.
        """


MOST_WAITING = 6_000
"""So many iterations and other events may wait between a source and the screen: two batches of a log, about half a
megabyte of it."""


class Feed:
    """The one queue between the threads of the sources and the screen. Bounded: a slow screen slows the sources.

    A source that runs ahead while the screen is still being imported takes the interpreter from it (first paint of
    a long log: 660 ms with 64 batches waiting, 390 ms with 4), and what waits takes memory (after a million lines
    90 MB with 4 batches, 85 MB with 2). The bound counts events, not batches: a living source yields small ones,
    which would otherwise wait for several ticks of the screen.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Batch]] = deque()
        self._weight = 0
        self._changed = threading.Condition()
        self._stop = threading.Event()

    def add(self, source: Source) -> threading.Thread:
        """Start to read `source` in a thread of its own, which lives as long as the source has something."""
        name = f"itermon {type(source).__name__}"
        thread = threading.Thread(target=self._read, args=(source,), name=name, daemon=True)
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
            self._put(Batch(state=SourceState.FAILED, note=f"{source.title}: {type(error).__name__}: {error}"))

    def _put(self, batch: Batch) -> bool:
        weight = 1 + batch.weight
        with self._changed:
            self._changed.wait_for(lambda: self._stop.is_set() or self._weight < MOST_WAITING)
            if self._stop.is_set():
                return False
            self._waiting.append((weight, batch))
            self._weight += weight
            self._changed.notify_all()
        return True


class StartedSource(Source):
    """What is still to come of a source that another thread has begun to read."""

    def __init__(self, title: str, batches: Iterator[Batch]) -> None:
        self.title = title
        self._batches = batches

    def batches(self, stop: threading.Event) -> Iterator[Batch]:  # noqa: ARG002 - they know when to stop
        return self._batches
