"""What the parts of the automatic mode share: the hooks to report to, and who trains. On the training thread."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

from ..guard import guarded
from ..hooks import Hooks

if TYPE_CHECKING:
    from collections.abc import Callable


class Watcher:
    """The hooks, which may not be there yet, and what the parts tell each other.

    `iteration` is the index of the one that runs. `on_backward` and `on_iteration` are called when a backward
    begins and when an iteration has ended, `optimizer_step_begins` and `_ends` around an optimizer's step (the
    latter where that ends no iteration). `is_model` says whether a module is what the optimizers train.
    """

    def __init__(self, hooks: Hooks | None = None) -> None:
        self._hooks = hooks
        self._making = threading.Lock()
        self.trainer_thread = threading.main_thread().ident
        self.iteration = 0
        self.on_backward: list[Callable[[], None]] = []
        self.on_iteration: list[Callable[[], None]] = []
        self.optimizer_step_begins: Callable[[], None] = lambda: None
        self.optimizer_step_ends: Callable[[], None] = lambda: None
        self.is_model: Callable[[Any], bool] = lambda _module: True

    @property
    def hooks(self) -> Hooks:
        """The hooks; made when the first thing happens that a trainer does, so that other processes make none.

        A worker of a `DataLoader` may save or load something too: it trains nothing. Nobody waits while they are
        made: not a signal's handler in their midst, nor a child forked then, in which nobody would end the wait.
        """
        if self._hooks is None and self._making.acquire(blocking=False):
            try:
                trains = not _is_loader_worker()
                self._hooks = self._hooks or Hooks(framework="torch", record=trains, serve=trains)
            finally:
                self._making.release()
        return self._hooks or Hooks(record=False, serve=False)

    def begin(self, hooks: Hooks) -> None:
        """Report to `hooks` from now on."""
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
        """`act`, which cannot raise: its faults are reported as a warning, once each."""
        return guarded(act, lambda: self.hooks)


def _is_loader_worker() -> bool:
    worker = sys.modules.get("torch.utils.data._utils.worker")
    return getattr(worker, "_worker_info", None) is not None
