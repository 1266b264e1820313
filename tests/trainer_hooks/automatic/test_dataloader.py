"""Waiting for a batch, with a stand-in for torch's loader."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from itermon.events import DATA, OPTIMIZER, Iteration, Phases
from itermon.trainer_hooks.automatic import dataloader, trainers
from itermon.trainer_hooks.marks import WAITED

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.watcher import Watcher

    from ..conftest import Clock
    from .conftest import Recorder


class Loader:
    def __iter__(self) -> None: ...


def waits(recorder: Recorder) -> list[tuple[int, int]]:
    return [(mark[2], mark[1]) for mark in recorder.take(100)[0] if mark[0] == WAITED]


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Of a clock that goes on by one each time that it is read."""
    readings = count(1)
    monkeypatch.setattr(time, "perf_counter_ns", lambda: next(readings))
    return readings


def test_a_wait_holds_what_we_do_in_it(
    watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType], readings: Iterator[int]
) -> None:
    class _BaseDataLoaderIter:
        def __next__(self) -> int:
            return next(readings)

    module("torch.utils.data.dataloader", _BaseDataLoaderIter=_BaseDataLoaderIter, DataLoader=Loader)
    dataloader.install(watcher)
    before, batch, after = next(readings), next(_BaseDataLoaderIter()), next(readings)
    assert before < batch < after
    assert waits(recorder) == [(before + 1, after - 1)], "its first and its last reading"


def test_it_holds_too_what_is_asked_before_the_fetch(
    watcher: Watcher,
    recorder: Recorder,
    module: Callable[..., ModuleType],
    readings: Iterator[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether gradients are on, and whose batch it is: with cold caches that was 6 µs of each wait, unseen."""
    torch = ModuleType("torch")
    torch.is_grad_enabled = lambda: bool(next(readings))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)

    class _BaseDataLoaderIter:
        def __next__(self) -> int:
            return next(readings)

    module("torch.utils.data.dataloader", _BaseDataLoaderIter=_BaseDataLoaderIter, DataLoader=Loader)
    dataloader.install(watcher)
    before, _, after = next(readings), next(_BaseDataLoaderIter()), next(readings)
    assert waits(recorder) == [(before + 1, after - 1)]


def test_iter_is_waited_for_once_there_is_an_optimizer(
    watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType], readings: Iterator[int]
) -> None:
    class DataLoader:
        def __iter__(self) -> Iterator[int]:
            next(readings)
            return iter([1])

    iterator = type("_BaseDataLoaderIter", (), {"__next__": next})
    module("torch.utils.data.dataloader", _BaseDataLoaderIter=iterator, DataLoader=DataLoader)
    dataloader.install(watcher)
    assert list(DataLoader()) == [1]
    assert waits(recorder) == [], "the loop is still being prepared"
    watcher.optimizers = lambda: ["SGD"]
    assert list(DataLoader()) == [1]
    assert len(waits(recorder)) == 1


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

    module("torch.utils.data.dataloader", _BaseDataLoaderIter=_BaseDataLoaderIter, DataLoader=Loader)
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


def test_a_wait_inside_another_is_the_outer_ones(
    watcher: Watcher, recorder: Recorder, module: Callable[..., ModuleType], clock: Clock
) -> None:
    """Hugging Face's trainer fetches the batches of a step in one call, and each of them from a loader."""

    class _BaseDataLoaderIter:
        def __next__(self) -> int:
            clock.passes(1.0)
            return 7

    class Trainer:
        def get_batch_samples(self, batches: Iterator[int]) -> list[int]:
            clock.passes(0.25)
            fetched = [next(batches), next(batches)]
            clock.passes(0.5)
            return fetched

    module("torch.utils.data.dataloader", _BaseDataLoaderIter=_BaseDataLoaderIter, DataLoader=Loader)
    module("transformers.trainer", Trainer=Trainer)
    dataloader.install(watcher)
    trainers.install(watcher)
    watcher.stamps.on_host = True
    watcher.stamps.of(0, clock.now_ns, [])
    batches: Any = _BaseDataLoaderIter()
    assert Trainer().get_batch_samples(batches) == [7, 7]
    with recorder.data():
        next(batches)
    assert [(end - since) / 1e9 for since, end in waits(recorder)] == [2.75, 1.0]
    clock.passes(1.0)
    (phases,) = [event for event in watcher.stamps.of(1, clock.now_ns, []) if isinstance(event, Phases)]
    assert phases.phases == {DATA: 3.75, OPTIMIZER: 1.0}
