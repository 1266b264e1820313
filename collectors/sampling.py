"""A sampler in a thread of its own, watched: a call that hangs is named, and nobody waits for it."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING, Protocol

from ..events import Batch, Message, Severity
from .source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..events import Event

HANG_S = 2.0
"""A call that takes longer is reported. The slowest that is normal, 20 ms, is a hundredth of it."""


class Sampler(Protocol):
    """What `SamplingSource` runs."""

    def sample(self) -> Sequence[Event]:
        """One pass: ask everything once. Runs in the sampling thread."""
        ...

    def hung(self, longer_than_s: float) -> Sequence[Event]:
        """What to report where a call has been under way for longer; else nothing. Runs in another thread."""
        ...

    def close(self) -> None:
        """Give everything back. Runs in the sampling thread, after the last pass."""
        ...


class SamplingSource(Source):
    """A `Source` over a sampler: a pass every `interval_s`, and a report of a call that does not come back.

    A batch never has a state: what the machine does says nothing of where the run stands.
    """

    def __init__(self, title: str, sampler: Sampler, *, interval_s: float = 1.0, hang_s: float = HANG_S) -> None:
        self.title = title
        self._sampler = sampler
        self._interval_s = interval_s
        self._hang_s = hang_s

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """Yield the events of each pass, and once an interval those about a call that hangs."""
        # Bounded: where nobody takes the samples, the sampling pauses. They would be old news.
        passes: queue.Queue[Sequence[Event]] = queue.Queue(2)
        thread = threading.Thread(target=self._work, args=(passes, stop), name=self.title, daemon=True)
        thread.start()
        while not stop.is_set():
            try:
                events = passes.get(timeout=self._interval_s)
            except queue.Empty:
                if not thread.is_alive():
                    return
                events = self._sampler.hung(self._hang_s)
            if events:
                yield Batch(events)

    def _work(self, passes: queue.Queue[Sequence[Event]], stop: threading.Event) -> None:
        try:
            while not stop.is_set():
                _put(passes, self._sampler.sample(), stop)
                stop.wait(self._interval_s)
            self._sampler.close()
        except Exception as error:  # noqa: BLE001 - a flaw of ours ends this sampler, never the screen
            text = f"{self.title} stopped: {type(error).__name__}: {error} (a flaw of itermon: please report it)"
            _put(passes, [Message(text, level=Severity.ERROR, at_s=time.time())], stop)


def _put(passes: queue.Queue[Sequence[Event]], events: Sequence[Event], stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            passes.put(events, timeout=0.5)
        except queue.Full:
            continue
        return
