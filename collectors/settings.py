"""What the person says of the run, which wins over what its log says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..events import Batch, Config, RunInfo
from .source import Source

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence

    from ..events import Event

_DIRECTORIES = ("out_dir", "output_dir", "save_dir")
"""What trainers call the directory of the checkpoints."""


class ConfiguredSource(Source):
    """`source`, with `settings` said first, and again after all that the source says of its config."""

    def __init__(self, source: Source, settings: Sequence[Config]) -> None:
        self.title = source.title
        self.text = source.text
        self._source = source
        self._settings = tuple(settings)
        self._said_directory: str | None = None

    def checkpoints(self) -> str | None:
        """Where the run's settings, as far as they were said, put the checkpoints. For any thread."""
        return self._said_directory

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """The batches of the source."""
        if self._settings:
            self._note(self._settings)
            yield Batch(self._settings)
        for batch in self._source.batches(stop):
            self._note(batch.events)
            if self._settings and any(type(event) in (Config, RunInfo) for event in batch.events):
                yield msgspec.structs.replace(batch, events=[*batch.events, *self._settings])
            else:
                yield batch

    def _note(self, events: Sequence[Event]) -> None:
        for event in events:
            if type(event) is Config:
                said = [event.extra[name] for name in _DIRECTORIES if name in event.extra]
                self._said_directory = said[0] if said else self._said_directory
