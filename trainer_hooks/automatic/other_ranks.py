"""Waiting for other ranks: who is late is seen only by what each rank does without waiting.

All ranks leave a backward at the same time, for in its midst DistributedDataParallel lets each wait for the last.
So it is noted when a rank's own gradients are ready: by a callback that autograd makes at the end of a backward,
queued by a hook of the loss, which runs first of all; DistributedDataParallel queues its own, which waits, later.

Collectives that the script calls itself, and the buffers that DistributedDataParallel sends before a forward pass,
are waited for in Python; what is called with `async_op=True` is in the `wait()` of what that returns, and FSDP2
waits so for its parameters. Sharded tensors (its gradients, when they are clipped) wait in `wait_tensor`.

`from torch.distributed import all_reduce` done before `watch()` escapes: then these waits look like work, all
ranks are alike, and none is named.
"""

from __future__ import annotations

import functools
import sys
import time
from typing import TYPE_CHECKING, Any

from ...events import BEFORE_FORWARD, SYNC
from .imports import when_imported, wrap_when_imported

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from .watcher import Watcher

_COLLECTIVES = (
    "all_reduce",
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_gather_single",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_single",
    "reduce_scatter_tensor",
)


def install(watcher: Watcher) -> None:
    """Wrap the collectives, and what DistributedDataParallel does before a forward pass."""

    def wrap_collectives(module: ModuleType) -> None:
        for name in _COLLECTIVES:
            collective = getattr(module, name, None)
            if collective is not None:
                _put(module, name, collective, _waited(watcher, collective))
        if begin := getattr(module, "init_process_group", None):
            _put(module, "init_process_group", begin, _followed(begin, watcher))
        work = getattr(module, "Work", None)
        if work is not None:
            work.wait = _waited(watcher, work.wait)

    def wrap_preparing(module: ModuleType) -> None:
        wrapped = module.DistributedDataParallel
        prepare = wrapped._pre_forward
        begins, synced = watcher.guard(lambda: watcher.stamps.stamp(BEFORE_FORWARD)), _waited(watcher, prepare)

        @functools.wraps(prepare)
        def watched(model: Any, *inputs: Any, **named: Any) -> Any:
            if not model.training or _compiles() or not watcher.is_trainer:
                return prepare(model, *inputs, **named)
            begins()
            return synced(model, *inputs, **named)

        wrapped._pre_forward = watched

    when_imported("torch.distributed.distributed_c10d", watcher.guard(wrap_collectives))
    waits = functools.partial(_waited, watcher)
    wrap_when_imported("torch.distributed._functional_collectives", "wait_tensor", waits, watcher.guard)
    when_imported("torch.nn.parallel.distributed", watcher.guard(wrap_preparing))


def are_there() -> bool:
    """Does this process train with others?"""
    module: Any = sys.modules.get("torch.distributed.distributed_c10d")
    group = module.GroupMember.WORLD if module is not None else None
    return group is not None and group.size() > 1


class OwnGradients:
    """Tells when this rank's own gradients are ready, and waiting for the others' begins."""

    def __init__(self, are_ready: Callable[[], None]) -> None:
        self._are_ready = are_ready
        self._handle: Any = None

    def expect(self, loss: Any) -> None:
        """A backward of `loss` begins."""
        if loss.requires_grad:
            self._handle = loss.register_hook(self._queue)

    def forget(self) -> None:
        """The backward is over; its loss may have another one."""
        if self._handle is not None:
            self._handle.remove()
            self._handle = None

    def _queue(self, _gradient: Any) -> None:
        engine: Any = sys.modules["torch.autograd"].Variable._execution_engine
        engine.queue_callback(self._are_ready)


def _put(module: ModuleType, name: str, own: Any, watched: Any) -> None:
    """In its own module, and in the package that has it too."""
    for place in (module, sys.modules.get("torch.distributed")):
        if getattr(place, name, None) is own:
            setattr(place, name, watched)


def _followed(call: Callable[..., Any], watcher: Watcher) -> Callable[..., Any]:
    """`call`, after which there may be other ranks."""

    @functools.wraps(call)
    def watched(*arguments: Any, **named: Any) -> Any:
        result = call(*arguments, **named)
        watcher.look_again()
        return result

    return watched


def _waited(watcher: Watcher, collective: Callable[..., Any]) -> Callable[..., Any]:
    """`collective`, with the time in it taken for a wait."""

    @functools.wraps(collective)
    def watched(*arguments: Any, **named: Any) -> Any:
        if _compiles() or not watcher.is_trainer:
            return collective(*arguments, **named)
        since_ns = time.perf_counter_ns()
        try:
            return collective(*arguments, **named)
        finally:
            watcher.stamps.waited(SYNC, since_ns)

    return watched


def _compiles() -> bool:
    """Does `torch.compile` read this, rather than run it? It knows the answer, and leaves the rest out."""
    torch: Any = sys.modules["torch"]
    return bool(torch.compiler.is_compiling())
