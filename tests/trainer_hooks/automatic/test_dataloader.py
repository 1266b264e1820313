"""Waiting for a batch, with a stand-in for torch's loader."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from itermon.events import (
    Iteration,
)
from itermon.trainer_hooks.automatic import (
    dataloader,
)

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.watcher import Watcher

    from .conftest import Recorder


def test_the_time_inside_next_is_a_wait_and_another_threads_is_not(
    watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ns = 0
    monkeypatch.setattr(time, "perf_counter_ns", lambda: now_ns)

    class _BaseDataLoaderIter:
        left = 2

        def __next__(self) -> int:
            nonlocal now_ns
            now_ns += 1_000_000
            if not self.left:
                raise StopIteration
            self.left -= 1
            return self.left

    module("torch.utils.data.dataloader", _BaseDataLoaderIter=_BaseDataLoaderIter)
    dataloader.install(watcher)
    iterator = _BaseDataLoaderIter()
    assert next(iterator) == 1
    thread = threading.Thread(target=next, args=[iterator])
    thread.start()
    thread.join()
    recorder.iteration(0)
    with pytest.raises(StopIteration):
        next(iterator)
    recorder.iteration(1)
    waits = [event.data_wait_s for event in recorder.events if isinstance(event, Iteration)]
    assert waits == [0.001, 0.001]
