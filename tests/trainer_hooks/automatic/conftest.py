"""Hooks without a thread, and modules that stand in for torch's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from itermon.events import Event, Iteration, SpanEnd
from itermon.trainer_hooks.automatic.watcher import Watcher
from itermon.trainer_hooks.hooks import as_config
from itermon.trainer_hooks.mark_queue import MarkQueue
from itermon.trainer_hooks.spans import Wait
from itermon.trainer_hooks.timeline import Timeline


class Recorder(MarkQueue):
    """Hooks without a thread: `events` are what a run would hold by now."""

    def __init__(self) -> None:
        super().__init__()
        self._timeline = Timeline()
        self._events: list[Event] = []
        self.wait = Wait(self)
        self.begin()

    def data(self) -> Wait:
        return self.wait

    def config(self, **settings: Any) -> None:
        self.emit(as_config(settings))

    @property
    def events(self) -> list[Event]:
        for mark in self.take(1 << 16)[0]:
            self._timeline.add(mark)
        self._events += self._timeline.take()
        return self._events


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def watcher(recorder: Recorder) -> Watcher:
    return Watcher(recorder)  # type: ignore[arg-type]


def iterations(recorder: Recorder) -> list[int]:
    return [event.index for event in recorder.events if isinstance(event, Iteration)]


def spans(recorder: Recorder, kind: str) -> list[SpanEnd]:
    return [event for event in recorder.events if isinstance(event, SpanEnd) and event.kind == kind]


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModuleType]:
    """Put a module that has `contents` into `sys.modules`, as if the trainer had imported it."""

    def put(name: str, **contents: Any) -> ModuleType:
        module = ModuleType(name)
        vars(module).update(contents)
        monkeypatch.setitem(sys.modules, name, module)
        return module

    return put
