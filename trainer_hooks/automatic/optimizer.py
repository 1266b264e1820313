"""Where an iteration ends: after the optimizer's step, as nanoGPT's own clock has it.

Two optimizers that take turns in one iteration (Muon and AdamW) are one iteration: the first one seen counts. A
step that `GradScaler` skips for an overflow calls no hook; it is an iteration all the same.
"""

from __future__ import annotations

import functools
import threading
import weakref
from typing import TYPE_CHECKING, Any

from .imports import when_imported

if TYPE_CHECKING:
    from types import ModuleType

    from .watcher import Watcher

_MOST_FOREIGN = 50  # steps of others without one of the first: then the first has had its day (a second phase)


def install(watcher: Watcher) -> None:
    """Register with torch for every optimizer's steps."""
    boundaries = Boundaries(watcher)

    def hook(module: ModuleType) -> None:
        module.register_optimizer_step_pre_hook(watcher.guard(boundaries.begins))
        module.register_optimizer_step_post_hook(watcher.guard(boundaries.stepped))

    when_imported("torch.optim.optimizer", watcher.guard(hook))
    when_imported("torch.amp.grad_scaler", watcher.guard(boundaries.wrap_scaler))


class Boundaries:
    """Decides which step of which optimizer ends an iteration."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._first: weakref.ref[Any] | None = None
        self._foreign: int  # steps of others since the newest of the first
        self._stepped = False

    def begins(self, optimizer: Any, _arguments: Any, _named: Any) -> None:
        """A step begins: on the GPU, backward is over."""
        if self._counts(optimizer):
            self._watcher.optimizer_step_begins()

    def stepped(self, optimizer: Any, _arguments: Any, _named: Any) -> None:
        """A step is done."""
        if not self._counts(optimizer):
            self._foreign += 1
            return
        self._foreign = 0
        self._watcher.trainer_thread = threading.get_ident()
        if self._first is None or self._first() is not optimizer:
            self._first = weakref.ref(optimizer)
            self._resume(optimizer)
        self._stepped = True
        self._end(optimizer)

    def wrap_scaler(self, module: ModuleType) -> None:
        """Make a step that `GradScaler` skips end an iteration too."""
        step = module.GradScaler.step
        skipped = self._watcher.guard(self._skipped)

        @functools.wraps(step)
        def watched(scaler: Any, optimizer: Any, *arguments: Any, **named: Any) -> Any:
            self._stepped = False
            result = step(scaler, optimizer, *arguments, **named)
            if not self._stepped:
                skipped(optimizer)
            return result

        module.GradScaler.step = watched

    def _skipped(self, optimizer: Any) -> None:
        if self._first is not None and self._first() is optimizer:
            self._end(optimizer)

    def _counts(self, optimizer: Any) -> bool:
        first = self._first() if self._first is not None else None
        return first is None or first is optimizer or self._foreign >= _MOST_FOREIGN

    def _end(self, optimizer: Any) -> None:
        watcher = self._watcher
        rate = optimizer.param_groups[0].get("lr") if optimizer.param_groups else None
        watcher.hooks.iteration(watcher.iteration, learning_rate=rate if rate.__class__ is float else None)
        watcher.iteration += 1
        for act in watcher.on_iteration:
            act()

    def _resume(self, optimizer: Any) -> None:
        """A resumed run's optimizer knows how many steps it has made (Adam's `step`, which lies on the CPU)."""
        if self._watcher.iteration:
            return
        for state in optimizer.state.values():
            step = state.get("step")
            if step is not None and getattr(step, "is_cpu", True):
                self._watcher.iteration = max(0, int(step) - 1)
            return
