"""What the parts of the automatic mode share: the hooks to report to, and who trains. On the training thread."""

from __future__ import annotations

import sys
import threading
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ..guard import guarded
from ..hooks import Hooks
from .host_phases import HostPhases

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from ..emitter import Emitter


class Watcher:
    """The hooks, which may not be there yet, and what the parts tell each other.

    `iteration` is the index of the one that runs. `on_backward` and `on_iteration` are called when a backward
    begins and when an iteration has ended, `optimizer_step_begins` and `_ends` around an optimizer's step (the
    latter where that ends no iteration). `is_model` says whether a module is what the `optimizers` train,
    `is_copy` whether it is made as that is, `evaluates` that a framework's trainer does, `is_numbered` that
    `iteration` is the run's own number. `phases` says where the host's time goes.
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
        self.is_copy: Callable[[Any], bool] = lambda _module: False
        self.optimizers: Callable[[], list[Any]] = list
        self.parts: list[ModuleType] = []  # that have taken hold
        self.evaluates = False
        self.is_numbered = True
        self._silent: Hooks | None = None
        self.phases = HostPhases()

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

    @property
    def loop(self) -> Hooks:
        """Where the loop is reported, iterations and evaluations: nowhere if the hooks are the script's own."""
        return self._silent or self._hooks or self.hooks

    def make(self, name: str, **settings: Any) -> None:
        """Make the hooks, now."""
        with self._making:
            self._hooks = Hooks(name, framework="torch", **settings)

    def take(self, hooks: Hooks) -> Emitter | None:
        """The script, or a callback in it, has `hooks` and tells of the loop itself: the rest goes to them.

        Returns what has taken the marks of a run that has begun and not trained yet: it is the same run.
        """
        if self._making.locked():
            return None  # our own
        before, had_loop = self._hooks, self._silent is None
        if before is not None and had_loop:
            for act in self.on_backward:  # an evaluation that seems to last is none: nobody will see its end
                act()
        self._hooks, self.is_numbered = hooks, False
        self._silent = self._silent or Hooks(record=False, serve=False)
        if before is None or not had_loop or not before.alive:
            return None
        if self.iteration:
            before.close()
            return None
        return before.emitter

    def number_from(self, iteration: int) -> None:
        """Who tells of the loop, in this thread, says which iteration is next: the GPU's phases are its."""
        self.iteration, self.is_numbered = iteration, True
        self.trainer_thread = threading.get_ident()

    @property
    def started(self) -> bool:
        """Has anything happened yet that a trainer does?"""
        return self._hooks is not None

    @property
    def is_trainer(self) -> bool:
        """Is this the thread that trains? What others do (an asynchronous save) takes no time of an iteration."""
        return get_ident() == self.trainer_thread

    def guard(self, act: Callable[..., None]) -> Callable[..., None]:
        """`act`, which cannot raise: its faults are reported as a warning, once each."""
        return guarded(act, lambda: self.hooks)


def _is_loader_worker() -> bool:
    worker = sys.modules.get("torch.utils.data._utils.worker")
    return getattr(worker, "_worker_info", None) is not None
