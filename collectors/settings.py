"""A run with the settings that the person gave: they win over those in its log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..events import Batch, Config, RunInfo
from .logs.text import LogText
from .runs.printed_lines import PrintedLines
from .source import Source

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence

    from ..events import Event

_DIRECTORIES = ("out_dir", "output_dir", "save_dir")
"""What trainers call the directory of the checkpoints."""


class ConfiguredSource(Source):
    """`source` with `settings`: first of all, and again after each setting of the source's own."""

    def __init__(self, source: Source, settings: Sequence[Config]) -> None:
        self.title = source.title
        self.text = source.text
        self.never_waits = source.never_waits
        self._source = source
        self._settings = tuple(settings)
        self._directory: str | None = None

    def checkpoints(self) -> str | None:
        """The directory of the checkpoints, if a setting so far has named it. For any thread."""
        return self._directory

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """The batches of the source."""
        if self._settings:
            self._note(self._settings)
            yield Batch(self._settings)
        printed = LogText()
        lines = PrintedLines(printed)
        for batch in self._source.batches(stop):
            if batch.restart:
                lines = PrintedLines(printed)
            if not batch.preview and (events := lines.read(batch.events)) is not batch.events:
                self.text = printed
                batch = msgspec.structs.replace(batch, events=events)  # noqa: PLW2901 - a recording read as a log
            self._note(batch.events)
            if self._settings and any(type(event) in (Config, RunInfo) for event in batch.events):
                yield msgspec.structs.replace(batch, events=[*batch.events, *self._settings])
            else:
                yield batch

    def _note(self, events: Sequence[Event]) -> None:
        for event in events:
            if type(event) is Config:
                directories = [event.extra[name] for name in _DIRECTORIES if name in event.extra]
                self._directory = directories[0] if directories else self._directory
