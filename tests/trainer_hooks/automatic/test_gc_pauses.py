"""Pauses of Python's garbage collection."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

from itermon.events import (
    GC,
    SpanEnd,
)
from itermon.trainer_hooks.automatic import (
    gc_pauses,
)

if TYPE_CHECKING:
    import pytest

    from itermon.trainer_hooks.automatic.watcher import Watcher

    from .conftest import Recorder


def test_long_collections_of_garbage_are_reported(
    watcher: Watcher, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    callbacks: list[Any] = []
    monkeypatch.setattr(gc, "callbacks", callbacks)
    now_ns = 0
    monkeypatch.setattr(gc_pauses.time, "perf_counter_ns", lambda: now_ns)
    gc_pauses.install(watcher)
    (collected,) = callbacks
    for generation, duration_ns in [(2, 5_000_000), (0, 5_000_000), (1, 1_000_000), (1, 999_999)]:
        collected("start", {"generation": generation})
        now_ns += duration_ns
        collected("stop", {"generation": generation, "collected": 9000})
    ends = [event for event in recorder.events if isinstance(event, SpanEnd)]
    assert [(end.kind, end.duration_s, end.detail) for end in ends] == [
        (GC, 0.005, "generation 2, 9,000 objects freed"),
        (GC, 0.001, "generation 1, 9,000 objects freed"),
    ]
