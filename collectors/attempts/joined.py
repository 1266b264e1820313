"""The attempts of one training as one source, read one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ...events import SourceState
from ..source import Source

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence

    from ...events import Batch


class AttemptsSource(Source):
    """The `attempts`, oldest first: only the newest may still go on. Each begins as another process."""

    def __init__(self, attempts: Sequence[Source]) -> None:
        self._attempts = attempts
        self.title = attempts[-1].title
        self.text = attempts[-1].text

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """All of each; the end of an earlier one is none of the training."""
        *earlier, newest = self._attempts
        for attempt in earlier:
            for batch in attempt.batches(stop):
                if not batch.preview:
                    yield msgspec.structs.replace(batch, state=SourceState.READING, restart=False)
            if stop.is_set():
                return
        yield from (batch for batch in newest.batches(stop) if not batch.preview)
