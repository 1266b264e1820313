"""A store of a tracker as a source: what it has, then what is logged to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....events import Batch, EndOfFile, Message, RunInfo, SourceState
from ...clean import clean
from ...source import Source
from ..settings import config_of
from ..step_rows import StepRows
from .gpus import SYSTEM, Gauges
from .store import Store, StoreError

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence

    from ....events import Event
    from ...log_formats.base import LogFormat
    from .store import Logged

POLL_S = 2.0
"""Trackers write every half second at most (trackio), or with each step."""


class StoreSource(Source):
    """The run in `store`; with `follow`, what is still logged to it too, until it says how it ended."""

    def __init__(
        self,
        store: Store,
        *,
        follow: bool = True,
        formats: Sequence[LogFormat] | None = None,
        poll_s: float = POLL_S,
    ) -> None:
        self.title = store.title
        self._store = store
        self._follow = follow
        self._formats = formats
        self._poll_s = poll_s
        self._rows: StepRows | None = None
        self._gauges = Gauges()
        self._newest_s: float | None = None

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """What the store has, then what is logged to it."""
        while not stop.is_set():
            try:
                yield from self._new(stop)
                ended = self._end()
            except StoreError as error:
                if not self._follow:
                    yield Batch(self._last(), state=SourceState.FAILED, note=f"{self.title}: {error}")
                    return
                note = f"{self.title}: {error}: waiting until it can be read"
                yield Batch(state=SourceState.WAITING, note=note)
                stop.wait(self._poll_s)
                continue
            if ended is not None:
                yield Batch(ended, state=SourceState.ENDED)
                return
            has_steps = self._rows is not None and self._rows.step is not None
            yield Batch(state=SourceState.LIVE if has_steps else SourceState.WAITING)
            stop.wait(self._poll_s)

    def _new(self, stop: threading.Event) -> Iterator[Batch]:
        """All that was logged since the last time. Its last step is whole only once another begins."""
        if self._rows is None:
            yield Batch(self._begin(), state=SourceState.READING)
        while not stop.is_set() and self._rows is not None and (logged := self._store.new()):
            events: list[Event] = []
            for one in logged:
                self._newest_s = one.at_s if one.at_s is not None else self._newest_s
                events += self._taken(self._rows, one)
            yield Batch(events, state=SourceState.READING)

    def _taken(self, rows: StepRows, one: Logged) -> Sequence[Event]:
        """The machine's figures have a step too, which counts their samples."""
        if one.step is None or any(name.startswith(SYSTEM) for name in one.values):
            return self._gauges.add(one.at_s, one.values)
        return rows.add(one.at_s, one.step, one.values)

    def _begin(self) -> list[Event]:
        begun = self._store.begun()
        run = RunInfo(name=begun.name, source_format=self._store.tracker, framework=self._store.tracker)
        self._rows = StepRows(self._formats, run)
        config = config_of(begun.settings, f"{self._store.tracker} parameters", counts_steps=True)
        events: list[Event] = [config] if config is not None else []
        if self._store.of > 1:
            which = f"{clean(begun.name)} is one of {self._store.of} runs in it; another: --run NAME"
            events.append(Message(f"{self.title}: {which}"))
        return events

    def _end(self) -> list[Event] | None:
        """The last events, if nothing more is to come."""
        end = self._store.end()
        if end is not None:
            return [*self._last(), end]
        return [*self._last(), EndOfFile(self._newest_s)] if not self._follow else None

    def _last(self) -> list[Event]:
        rows = self._rows.finish() if self._rows is not None else []
        return [*rows, *self._gauges.finish()]
