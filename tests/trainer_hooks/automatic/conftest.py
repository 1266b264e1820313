"""Modules that stand in for torch's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from itermon.events import Iteration, SpanEnd
from itermon.trainer_hooks.automatic.watcher import Watcher

from ..conftest import Recorder


@pytest.fixture
def recorder() -> Recorder:
    recorder = Recorder()
    recorder.begin()
    return recorder


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
