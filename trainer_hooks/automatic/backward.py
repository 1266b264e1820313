"""Calls of `Tensor.backward`, which end the forward pass and are a micro-step each.

In a loop of a millisecond, with cold caches, each call of ours counts: a backward appends two stamps, and asks one
question for all else. What is rarely there (a GPU, other ranks) is looked for once.
"""

from __future__ import annotations

import functools
import time
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ...events import BACKWARD, BEFORE_STEP, FORWARD, OPTIMIZER, SYNC
from ..marks import PARTS
from . import other_ranks
from .gpu_phases import gpu_phases
from .imports import when_imported
from .other_ranks import OwnGradients

if TYPE_CHECKING:
    from types import ModuleType

    from .gpu_phases import GpuPhases
    from .watcher import Watcher


def install(watcher: Watcher) -> None:
    """Wrap `torch.Tensor.backward`."""
    backwards = Backwards(watcher)
    watcher.look_again = backwards.look_again
    watcher.optimizer_step_ends = backwards.step_ends  # from a hook that is guarded

    def wrap(module: ModuleType) -> None:
        backward = module.Tensor.backward
        begins, ends = watcher.guard(backwards.begins), watcher.guard(backwards.ends)
        stamps = watcher.stamps.waiting

        @functools.wraps(backward)
        def watched(tensor: Any, *arguments: Any, **named: Any) -> Any:
            if get_ident() != watcher.trainer_thread:
                return backward(tensor, *arguments, **named)
            if backwards.have_more or watcher.on_backward:
                begins(tensor)
            stamps.append((FORWARD, time.perf_counter_ns(), 0))
            result = backward(tensor, *arguments, **named)
            stamps.append((backwards.phase, time.perf_counter_ns(), 0))
            if backwards.have_more:
                ends()
            return result

        module.Tensor.backward = watched

    when_imported("torch._tensor", watcher.guard(wrap))


class Backwards:
    """What is to be done beside the stamps: at backwards that `have_more`, steps and iterations' ends."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self.phase = BACKWARD  # that ends with the backward that runs
        self.have_more: bool
        self._looked: bool
        self._looked_for_gpu = self._ranks = False
        self._gpu: GpuPhases | None = None
        self._own_gradients = OwnGradients(watcher.guard(self._gradients_are_ready))
        self._begins_step = watcher.guard(self._step_begins)
        self._ends_iteration = watcher.guard(self._iteration_ends)
        self.look_again()

    def look_again(self) -> None:
        """There may be other ranks now, or other hooks."""
        watcher = self._watcher
        self.have_more, self._looked = True, False
        watcher.on_step = [self._begins_step]
        watcher.on_iteration = [act for act in watcher.on_iteration if act is not self._ends_iteration]
        watcher.on_iteration.insert(0, self._ends_iteration)

    def begins(self, loss: Any) -> None:
        """A backward of `loss` begins."""
        watcher = self._watcher
        for act in watcher.on_backward:
            act()
        if not watcher.loop.begun:  # no wait for a batch has shown it earlier
            watcher.loop.begin()
        if not self._looked:
            self._look(loss)
        if self._gpu is not None:
            self._gpu.stamp(FORWARD)
        if self._ranks:
            self.phase = BACKWARD
            self._own_gradients.expect(loss)

    def ends(self) -> None:
        """It is over."""
        if self._gpu is not None:
            self._gpu.stamp(self.phase)
        if self._ranks:
            self._own_gradients.forget()

    def step_ends(self) -> None:
        """A step that ends no iteration is over."""
        if self._gpu is not None:
            self._gpu.stamp(OPTIMIZER)

    def _look(self, loss: Any) -> None:
        watcher, stamps = self._watcher, self._watcher.stamps
        self._looked = True
        if not self._looked_for_gpu:
            self._looked_for_gpu = True
            self._gpu = gpu_phases()
            stamps.on_host = self._gpu is None and getattr(loss, "is_cpu", False)
        stamps.ranks = self._ranks = (stamps.on_host or self._gpu is not None) and other_ranks.are_there()
        stamps.counts = watcher.loop is watcher.hooks
        self.have_more = self._gpu is not None or self._ranks
        if watcher.is_numbered:
            watcher.hooks.put((PARTS, time.perf_counter_ns(), stamps))

    def _gradients_are_ready(self) -> None:
        """What follows in this backward is waiting for those of other ranks."""
        if self.phase != SYNC:
            self.phase = SYNC
            self._watcher.stamps.stamp(BACKWARD)
            if self._gpu is not None:
                self._gpu.stamp(BACKWARD)

    def _step_begins(self) -> None:
        watcher = self._watcher
        if not watcher.loop.begun:  # LBFGS goes forward and backward in its step
            watcher.loop.begin()
        if self._gpu is not None:
            self._gpu.stamp(BEFORE_STEP)
        elif self._looked:
            watcher.on_step = []

    def _iteration_ends(self) -> None:
        watcher = self._watcher
        if self._gpu is not None:
            self._gpu.stamp(OPTIMIZER)
            for iteration, seconds in self._gpu.turn(watcher.iteration - 1):
                if watcher.is_numbered:
                    watcher.hooks.phases(iteration, seconds)
        elif watcher.loop is not watcher.hooks:  # the iteration's end, as its callback sees it, comes later
            watcher.stamps.stamp(OPTIMIZER)
        elif self._looked:
            watcher.on_iteration = [act for act in watcher.on_iteration if act is not self._ends_iteration]
