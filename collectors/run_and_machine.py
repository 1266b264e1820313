"""A run and this machine's samples as one source: for a pipe or a recording, which have one end only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .source import Feed, Source

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence

    from ..events import Batch

_WAIT_S = 0.2


class RunAndMachineSource(Source):
    """All batches of `source`, with those of `samplers` in between, until `source` ends."""

    def __init__(self, source: Source, samplers: Sequence[Source]) -> None:
        self.title = source.title
        self.text = source.text
        self._source = source
        self._samplers = samplers

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """Yield what comes, in the order in which it comes."""
        feed = Feed()
        thread = feed.add(self._source)
        for sampler in self._samplers:
            feed.add(sampler)
        try:
            while not stop.is_set():
                ended = not thread.is_alive()  # asked first: then its last batch is among what follows
                yield from feed.wait(_WAIT_S)
                if ended:
                    return
        finally:
            feed.stop()
