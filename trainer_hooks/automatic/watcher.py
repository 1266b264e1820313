"""What the parts of the automatic mode share: the hooks to report to, and who trains. On the training thread."""

from __future__ import annotations

import sys
import threading
import time
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ..guard import guarded
from ..hooks import Hooks
from ..marks import PARTS
from .stamps import Stamps

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from ..emitter import Emitter


class _Later:
    """Stands where the hooks will: what is first asked of it makes them, so that other processes make none."""

    begun = False  # who asks whether the loop has begun makes none

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def __getattr__(self, name: str) -> Any:
        return getattr(self._watcher.made(), name)


class Watcher:
    """The hooks, which may not be there yet, and what the parts tell each other.

    `hooks` are made when the first thing happens that a trainer does. `loop` is where the loop is reported,
    iterations and evaluations: nowhere if the hooks are the script's own. Both are plain attributes: each
    iteration asks for them a dozen times.

    `iteration` is the index of the one that runs. `on_backward` and `on_step` are called when a backward or an
    optimizer's step begins, `on_iteration` when an iteration has ended, `optimizer_step_ends` after a step that
    ends none, `look_again` when there may be other ranks. `is_model` says whether a module is what the
    `optimizers` train, `is_copy` whether it is made as that is, `evaluates` that
    somebody else knows of an evaluation, `is_in_eval` that the model says it, `compiles` that something was
    compiled, `is_numbered` that `iteration` is the run's own number. Of the `stamps` the phases are made.
    """

    def __init__(self, hooks: Hooks | None = None) -> None:
        later: Any = _Later(self)
        self.hooks: Hooks = hooks or later
        self.loop = self.hooks
        self._making = threading.Lock()
        self.trainer_thread = threading.main_thread().ident
        self.iteration = 0
        self.on_backward: list[Callable[[], None]] = []
        self.on_iteration: list[Callable[[], None]] = []
        self.on_step: list[Callable[[], None]] = []
        self.optimizer_step_ends: Callable[[], None] = lambda: None
        self.look_again: Callable[[], None] = lambda: None
        self.is_model: Callable[[Any], bool] = lambda _module: True
        self.is_copy: Callable[[Any], bool] = lambda _module: False
        self.optimizers: Callable[[], list[Any]] = list
        self.parts: list[ModuleType] = []  # that have taken hold
        self.evaluates = self.is_in_eval = self.compiles = False
        self.saved_ns = 0  # when the newest save began
        self.is_numbered = True
        self.stamps = Stamps()

    def made(self) -> Hooks:
        """The hooks, made if they are not.

        A worker of a `DataLoader` may save or load something too: it trains nothing. Nobody waits while they are
        made: not a signal's handler in their midst, nor a child forked then, in which nobody would end the wait.
        """
        if not self.started and self._making.acquire(blocking=False):
            try:
                trains = not _is_loader_worker()
                made = Hooks(framework="torch", record=trains, serve=trains)
                if not self.started:
                    self.hooks = self.loop = made
            finally:
                self._making.release()
        return self.hooks if self.started else Hooks(record=False, serve=False)

    def make(self, name: str, **settings: Any) -> None:
        """Make the hooks, now."""
        with self._making:
            self.hooks = self.loop = Hooks(name, framework="torch", **settings)

    def take(self, hooks: Hooks) -> Emitter | None:
        """The script, or a callback in it, has `hooks` and tells of the loop itself: the rest goes to them.

        Returns what has taken the marks of a run that has begun and not trained yet: it is the same run.
        """
        if self._making.locked():
            return None  # our own
        before, had_loop = self.hooks if self.started else None, self.loop is self.hooks
        if before is not None and had_loop:
            for act in self.on_backward:  # an evaluation that seems to last is none: nobody will see its end
                act()
        self.hooks, self.is_numbered = hooks, False
        if before is not None:
            before.put((PARTS, time.perf_counter_ns(), None))
        if had_loop:
            self.loop = Hooks(record=False, serve=False)
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
        self.look_again()

    @property
    def started(self) -> bool:
        """Has anything happened yet that a trainer does?"""
        return not isinstance(self.hooks, _Later)

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
