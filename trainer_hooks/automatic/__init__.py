"""Hooks for a training loop that stays as it is: one call, `itermon.watch()`, finds its parts by itself.

    optimizer.py    where an iteration ends: the optimizer's step; GradScaler's skipped steps; the learning rate
    backward.py     micro-steps: calls of `Tensor.backward`; with CUDA, the GPU's time by phase
    dataloader.py   waiting for a batch of a `DataLoader`
    evaluation.py   from `model.eval()` to `model.train()`
    saving.py       `torch.save`, `torch.distributed.checkpoint`, safetensors
    compilation.py  `torch.compile` at work, and why it compiled again
    collection.py   pauses of Python's garbage collection

Each takes hold when the trainer imports what it is about; none imports it. What runs in the trainer's calls never
raises: a fault of ours becomes a warning in the run, and the call goes on as if we were not there.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

from ..guard import guarded
from ..hooks import Hooks
from . import (
    backward,
    compilation,
    dataloader,
    evaluation,
    optimizer,
    saving,
)
from . import (
    gc_pauses as collection,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_FAMILIES = (optimizer, backward, dataloader, evaluation, saving, compilation, collection)


class Watcher:
    """What the families share: the hooks to emit to, which may not be there yet, and who trains."""

    def __init__(self, hooks: Hooks | None = None) -> None:
        self._hooks = hooks
        self._lock = threading.Lock()
        self.trainer_thread = threading.main_thread().ident
        self.iteration = 0  # the one that runs
        self.on_backward: list[Callable[[], None]] = []
        self.on_iteration: list[Callable[[], None]] = []
        self.optimizer_step_begins: Callable[[], None] = lambda: None

    @property
    def hooks(self) -> Hooks:
        """The hooks; made when the first thing happens that a trainer does, so that other processes make none.

        A worker of a `DataLoader` may save or load something too: it trains nothing.
        """
        if self._hooks is None:
            with self._lock:
                if self._hooks is None:
                    trains = not _is_loader_worker()
                    self._hooks = Hooks(framework="torch", record=trains, serve=trains)
        return self._hooks

    def begin(self, hooks: Hooks) -> None:
        """Emit to `hooks` from now on."""
        self._hooks = hooks

    @property
    def started(self) -> bool:
        """Has anything happened yet that a trainer does?"""
        return self._hooks is not None

    @property
    def is_trainer(self) -> bool:
        """Is this the thread that trains? What others do (an asynchronous save) takes no time of an iteration."""
        return threading.get_ident() == self.trainer_thread

    def guard(self, act: Callable[..., None]) -> Callable[..., None]:
        """`act`, which cannot raise: its faults are told as a warning, once each."""

        return guarded(act, lambda: self.hooks)


def _is_loader_worker() -> bool:
    worker = sys.modules.get("torch.utils.data._utils.worker")
    return getattr(worker, "_worker_info", None) is not None


_watcher: Watcher | None = None


def watch(name: str = "", *, ranks: Collection[int] = (0,), **settings: Any) -> Hooks:
    """Watch this process's training by itself. Call it once, before the loop; again, it only tells its settings.

    The loss is not among what it finds: the tensor that `backward` is called on lies on the GPU, for which nobody
    waits, and is divided and scaled by who knows what. The callbacks for Hugging Face and Lightning tell it.

    `settings` are those of `Hooks`; `block_size` and `micro_batch_size` are what it cannot find out. Returns the
    hooks, to tell more: `with hooks.evaluation():`, `hooks.config(...)`.
    """
    global _watcher  # noqa: PLW0603 - torch's hooks are per process, and so are we
    if _watcher is None:
        _watcher = Watcher(Hooks(name, framework="torch", ranks=ranks, **settings))
        install(_watcher)
    elif not _watcher.started:  # `itermon run --hooks` came first, and knew less
        _watcher.begin(Hooks(name, framework="torch", ranks=ranks, **settings))
    elif settings:
        _watcher.hooks.config(**settings)
    return _watcher.hooks


def watch_when_it_trains() -> None:
    """`watch`, for a process of which nobody knows yet whether it trains (`itermon run --hooks`)."""
    global _watcher  # noqa: PLW0603
    if _watcher is None:
        _watcher = Watcher()
        install(_watcher)


def install(watcher: Watcher) -> None:
    """Take hold of all there is to watch."""
    for family in _FAMILIES:
        family.install(watcher)
