"""Waiting for a batch: the time inside `iter()` and `next()` of a `DataLoader`, with workers and without.

`iter()` starts the workers, and is the training's wait once there is an optimizer: before that, the loop is still
being prepared. A loop that makes its batches without a loader (nanoGPT's `get_batch`) is not seen: `with
hooks.data()` reports it.
"""

from __future__ import annotations

import functools
import sys
import time
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ...events import DATA
from .imports import when_imported
from .without_eval import NOBODYS, WithoutEval

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from .watcher import Watcher


def install(watcher: Watcher) -> None:
    """Wrap the one `__next__` that all of torch's loaders share, and what makes their iterators."""

    def wrap(module: ModuleType) -> None:
        shared = module._BaseDataLoaderIter
        with_gradients = getattr(sys.modules.get("torch"), "is_grad_enabled", lambda: True)
        evaluation = WithoutEval(watcher, with_gradients)
        shared.__next__ = _evaluating(shared.__next__, watcher, evaluation, with_gradients)
        module.DataLoader.__iter__ = _making(module.DataLoader.__iter__, watcher, evaluation)

    when_imported("torch.utils.data.dataloader", watcher.guard(wrap))


def _evaluating(
    fetch: Callable[[Any], Any], watcher: Watcher, evaluation: WithoutEval, with_gradients: Callable[[], bool]
) -> Callable[[Any], Any]:
    """`fetch`, of which `without_eval` hears where gradients are off, or nothing is learnt from the batches."""
    fetches, fetched = watcher.guard(evaluation.fetches), watcher.guard(evaluation.fetched)
    fetches_again, stamps = watcher.guard(evaluation.fetches_again), watcher.stamps
    waited_for = _waited_for(fetch, watcher)

    @functools.wraps(fetch)
    def watched(of: Any) -> Any:
        since_ns = time.perf_counter_ns()  # before all that we do: of a short wait, that is some percent
        if get_ident() != watcher.trainer_thread:  # a thread that fetches ahead: nobody waits
            return fetch(of)
        if not with_gradients():
            fetches(of, since_ns)
        elif evaluation.loader is not None:
            if not (evaluation.each_batch and evaluation.loader is of):
                evaluation.learns()
        elif evaluation.newest[0] == id(of) and (first_ns := stamps.newest_wait_ns()):
            fetches_again(of, first_ns)
        if evaluation.loader is None:
            made, evaluation.made = evaluation.made, NOBODYS
            evaluation.newest = made if made[0] == id(of) else (id(of), 0)
            return waited_for(of, since_ns)
        try:
            return waited_for(of, since_ns)
        finally:
            fetched(of)

    return watched


def _making(make: Callable[[Any], Any], watcher: Watcher, evaluation: WithoutEval) -> Callable[[Any], Any]:
    """`make` an iterator, and say so."""
    waited_for = _waited_for(make, watcher)

    @functools.wraps(make)
    def watched(of: Any) -> Any:
        since_ns = time.perf_counter_ns()
        if get_ident() != watcher.trainer_thread:
            return make(of)
        result = waited_for(of, since_ns) if watcher.optimizers() else make(of)
        evaluation.made = id(result), since_ns
        return result

    return watched


def _waited_for(fetch: Callable[[Any], Any], watcher: Watcher) -> Callable[[Any, int], Any]:
    """`fetch` on the thread that trains, which waits for it since a given time."""

    def waited_for(of: Any, since_ns: int) -> Any:
        wait = watcher.hooks.wait
        wait.begin(since_ns)
        try:
            return fetch(of)
        finally:
            watcher.stamps.waited(DATA, since_ns)
            wait.end()

    return waited_for
