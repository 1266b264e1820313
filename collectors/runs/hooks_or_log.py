"""A hooked run whose hooks may see no iteration: then what its trainer prints is the run, until they do.

An optimizer of a user's own calls no hook, and neither does a loop without torch; waits for data, saves and
evaluations are reported all the same, and would hide a log that says everything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import Batch, Iteration, Iterations, SourceState
from ..source import Feed, Source
from .hooks_with_log import HooksWithLogSource

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Generator, Iterator

    from ..logs.log_source import LogSource
    from ..logs.text import LogText

_WAIT_S = 0.1
_LEAVE_S = 2.0  # a source hears that it is to stop within half a second


class HooksOrLogSource(Source):
    """The hooks with what is printed beside them; where the log counts iterations and the hooks do not, the log.

    Args:
        hooks: makes the source of the hooks: each reads them from their beginning.
        output: makes that of the log: `secondary=True` beside the hooks, `False` alone.
        text: of the log, the same for each.
    """

    def __init__(
        self, hooks: Callable[[], Source], output: Callable[..., LogSource], text: LogText | None = None
    ) -> None:
        self._hooks = hooks
        self._output = output
        self._both = self._made()
        self.title = self._both.title
        self.text: LogText = text or self._both.text

    def _made(self) -> HooksWithLogSource:
        return HooksWithLogSource(self._hooks(), self._output(secondary=True))

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """The batches of both; those of the log alone, anew from its beginning, while the hooks count nothing."""
        yield from self._both.batches(stop)
        if not self._both.only_log_counts or stop.is_set():
            return
        self._both.leave(_LEAVE_S)  # its text is read anew
        yield Batch(state=SourceState.READING, restart=True)
        measured = yield from self._log_alone(stop)
        if measured:
            yield Batch(state=SourceState.READING, restart=True)
            yield from self._made().batches(stop)

    def _log_alone(self, stop: threading.Event) -> Generator[Batch, None, bool]:
        """The log, to its end or until the hooks count: that is what it returns."""
        log, hooks = Feed(), Feed()
        hooks.add(self._hooks())
        reading = log.add(self._output(secondary=False))
        try:
            while not stop.is_set():
                for batch in log.wait(_WAIT_S):
                    yield batch
                    if batch.state in (SourceState.ENDED, SourceState.FAILED):
                        return False
                if any(counts(batch) for batch in hooks.drain()):
                    return True
        finally:
            log.stop()
            hooks.stop()
            reading.join(_LEAVE_S)
        return False


def counts(batch: Batch) -> bool:
    """Does it hold an iteration?"""
    return any(isinstance(event, Iteration | Iterations) for event in batch.events)
