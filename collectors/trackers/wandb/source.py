"""A run of W&B as a source: its file, read to its end or as it grows, without `wandb`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ....events import Batch, EndOfFile, Message, Severity, SourceState
from ....words import plural
from ...clean import clean
from ...files.watch import POLL_S, Watch
from ...logs.text import LogText
from ...source import Source
from .blocks import Blocks
from .growing import GrowingFile
from .joined import Joined
from .metadata import metadata_of
from .records import Records

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from ....events import Event
    from ...log_formats.base import LogFormat
    from .joined import Main

_NO_LINES = "there is no line here: nothing that the script printed was recorded"


class WandbSource(Source):
    """The run in the `.wandb` file at `path`; with `follow`, what is still written to it too."""

    def __init__(
        self,
        path: Path,
        *,
        follow: bool = True,
        formats: Sequence[LogFormat] | None = None,
        clock: Callable[[], float] = time.time,
        poll_s: float = POLL_S,
    ) -> None:
        self.path = path
        self.title = clean(str(path))
        self.text: LogText = LogText(why_none=_NO_LINES)
        self._follow = follow
        self._formats = formats
        self._clock = clock
        self._poll_s = poll_s
        self._begin(None)

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """The history, and then what is new, until the script's end or `stop`; without `follow`, until the end."""
        file = GrowingFile(self.path, patient=self._follow)
        try:
            yield from self._history(file, stop)
            if self._follow and not self._joined.has_ended:
                yield from self._live(file, stop)
            elif not stop.is_set():
                yield self._ending()
        except OSError as error:
            yield Batch(state=SourceState.FAILED, note=f"{self.title}: {error.strerror or error}")
        finally:
            file.close()

    def _begin(self, main: Main | None) -> None:
        """Read from the beginning: nothing is known, but perhaps what has the iterations."""
        self.text.begin()
        self._blocks = Blocks()
        self._joined = Joined(self._formats, self.text)
        self._joined.main = main
        found = metadata_of(self.path)
        self._joined.gauges.gpus, self._joined.gauges.cores = found
        self._records = Records(self._joined.gauges.wanted)

    def _history(self, file: GrowingFile, stop: threading.Event) -> Iterator[Batch]:
        while not stop.is_set() and ((data := file.read()) or not file.caught_up):
            self._read(data)
            if events := self._joined.take():
                yield Batch(events, state=SourceState.READING, history=file.offset / max(file.size, 1))

    def _live(self, file: GrowingFile, stop: threading.Event) -> Iterator[Batch]:
        """Batches of what is new; one without events where only the state or its note changes."""
        watch = Watch(self.path)
        restarts, reported, switched = file.restarts, None, False
        try:
            while not stop.is_set():
                self._read(file.read())
                events = self._joined.take(now=file.caught_up)
                is_other = self._joined.main not in (None, self._joined.better) and not switched
                if is_other or self._joined.is_void or file.restarts != restarts:
                    switched, restarts = switched or is_other, file.restarts
                    self._begin(self._joined.better if is_other else None)
                    file.begin_anew()
                    yield Batch(state=SourceState.READING, restart=True)
                    yield from self._history(file, stop)
                    continue
                if self._joined.has_ended:
                    yield self._ending(events)
                    return
                note = self._problem(file.trouble)
                state = SourceState.LIVE if self._joined.main and not file.trouble else SourceState.WAITING
                if events or (state, note) != reported:
                    reported = state, note
                    yield Batch(events, state=state, note=note)
                elif file.caught_up:
                    watch.wait(self._poll_s)
        finally:
            watch.close()

    def _read(self, data: bytes) -> None:
        for record in self._blocks.feed(data):
            said = self._records.read(record)
            if said is not None:
                self._joined.add(said)

    def _ending(self, before: Sequence[Event] = ()) -> Batch:
        """The last batch: with a word on what could not be read."""
        events = [*before, *self._joined.end()]
        damage = self._damage()
        if torn := self._blocks.torn_bytes:
            cut = f"its last {plural(torn, 'byte')} are no whole record: its writer was cut off, or still writes"
            events.append(Message(clean(f"{self.path.name}: {cut}"), Severity.WARNING))
        if damage:
            events.append(Message(clean(f"{self.path.name}: {damage}"), Severity.WARNING))
        if not self._joined.has_ended:
            events.append(EndOfFile(self._joined.newest_s, self._clock(), self.text.last_lines()))
        if damage:
            return Batch(events, state=SourceState.FAILED, note=f"{self.title}: {damage}")
        return Batch(events, state=SourceState.ENDED, note=self._problem(""))

    def _damage(self) -> str:
        """What of the file is not believed."""
        parts = [
            f"{plural(self._blocks.damaged, 'block')} with a wrong checksum" if self._blocks.damaged else "",
            f"{plural(self._blocks.too_long, 'record')} beyond any size" if self._blocks.too_long else "",
        ]
        found = " and ".join(part for part in parts if part)
        return f"{found}: what was written there is left out" if found else ""

    def _problem(self, trouble: str) -> str:
        """Why there is no iteration, or none now; empty if there are some."""
        if trouble:
            return f"{self.title}: {trouble}: waiting until it can be read"
        if self._joined.main is not None:
            return ""
        return f"{self.title}: no iteration in it, neither printed nor logged" + (
            " so far: waiting" if self._follow and not self._joined.has_ended else ""
        )
