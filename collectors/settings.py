"""What the person says of the run, which wins over what its log says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..events import Batch, Config, RunInfo

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence

    from .log_text import LogText
    from .source import Source


class WithSettings:
    """`source`, with `settings` said first, and again after all that the source says of its config."""

    def __init__(self, source: Source, settings: Sequence[Config]) -> None:
        self.title = source.title
        self.text: LogText | None = getattr(source, "text", None)
        """The lines of the log, where the source is one."""

        self._source = source
        self._settings = tuple(settings)

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """The batches of the source."""
        if self._settings:
            yield Batch(self._settings)
        for batch in self._source.batches(stop):
            if self._settings and any(type(event) in (Config, RunInfo) for event in batch.events):
                yield msgspec.structs.replace(batch, events=[*batch.events, *self._settings])
            else:
                yield batch
