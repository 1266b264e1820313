"""Waiting for a batch: the time inside `iter()` and `next()` of a `DataLoader`, with workers and without.

`iter()` starts the workers, and is the training's wait once there is an optimizer: before that, the loop is still
being prepared. A loop that makes its batches without a loader (nanoGPT's `get_batch`) is not seen: `with
hooks.data()` reports it.
"""

from __future__ import annotations

import functools
import time
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ...events import DATA
from .imports import when_imported

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from .watcher import Watcher


def install(watcher: Watcher) -> None:
    """Wrap the one `__next__` that all of torch's loaders share, and what makes their iterators."""

    def wrap(module: ModuleType) -> None:
        shared = module._BaseDataLoaderIter
        shared.__next__ = _waited_for(shared.__next__, watcher, always=True)
        module.DataLoader.__iter__ = _waited_for(module.DataLoader.__iter__, watcher, always=False)

    when_imported("torch.utils.data.dataloader", watcher.guard(wrap))


def _waited_for(fetch: Callable[[Any], Any], watcher: Watcher, *, always: bool) -> Callable[[Any], Any]:
    @functools.wraps(fetch)
    def watched(of: Any) -> Any:
        since_ns = time.perf_counter_ns()  # before all that we do: of a short wait, that is some percent
        if get_ident() != watcher.trainer_thread:  # a thread that fetches ahead: nobody waits
            return fetch(of)
        if not (always or watcher.optimizers()):
            return fetch(of)
        wait = watcher.hooks.wait
        wait.begin(since_ns)
        try:
            return fetch(of)
        finally:
            watcher.stamps.waited(DATA, since_ns)
            wait.end()

    return watched
