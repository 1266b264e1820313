"""Waiting for a batch: the time inside `next()` of a `DataLoader`'s iterator, with workers and without.

A loop that makes its batches without one (nanoGPT's `get_batch`) is not seen: `with hooks.data()` reports it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from .imports import when_imported

if TYPE_CHECKING:
    from types import ModuleType

    from .watcher import Watcher


def install(watcher: Watcher) -> None:
    """Wrap the one `__next__` that all of torch's loaders share."""

    def wrap(module: ModuleType) -> None:
        following = module._BaseDataLoaderIter.__next__

        @functools.wraps(following)
        def watched(iterator: Any) -> Any:
            if not watcher.is_trainer:  # a thread that fetches ahead: nobody waits
                return following(iterator)
            with watcher.phases.data, watcher.hooks.data():
                return following(iterator)

        module._BaseDataLoaderIter.__next__ = watched

    when_imported("torch.utils.data.dataloader", watcher.guard(wrap))
