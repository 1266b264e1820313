"""Micro-steps, by calls of `Tensor.backward`; each also ends a phase of the GPU's time, or of the CPU's."""

from __future__ import annotations

import functools
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ...events import BACKWARD, BEFORE_STEP, FORWARD, OPTIMIZER, SYNC
from ..marks import PHASES
from . import other_ranks
from .gpu_phases import GpuPhases, gpu_phases
from .host_phases import phases_of
from .imports import when_imported
from .other_ranks import OwnGradients

if TYPE_CHECKING:
    from types import ModuleType

    from .host_phases import HostPhases
    from .watcher import Watcher


def install(watcher: Watcher) -> None:
    """Wrap `torch.Tensor.backward`."""
    micro_steps = MicroSteps(watcher)
    watcher.on_iteration.append(watcher.guard(micro_steps.iteration_ends))
    watcher.optimizer_step_begins = micro_steps.step_begins  # from a hook that is guarded
    watcher.optimizer_step_ends = watcher.guard(micro_steps.step_ends)

    def wrap(module: ModuleType) -> None:
        backward = module.Tensor.backward
        begins, ends = watcher.guard(micro_steps.backward_begins), watcher.guard(micro_steps.backward_ends)

        @functools.wraps(backward)
        def watched(tensor: Any, *arguments: Any, **named: Any) -> Any:
            begins(tensor)
            result = backward(tensor, *arguments, **named)
            ends()
            return result

        module.Tensor.backward = watched

    when_imported("torch._tensor", watcher.guard(wrap))


class MicroSteps:
    """Counts the micro-steps of an iteration, and stamps its phases, by the GPU's clock where there is one."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._done = self._last = 0
        self._has_stepped = self._amid = False
        self._usual: int | None = None
        self._phases: GpuPhases | HostPhases | None = None
        self._looked_for_gpu = False
        self._ranks = False
        self._own_gradients = OwnGradients(watcher.guard(self._gradients_are_ready))
        self._ready = False

    def backward_begins(self, loss: Any) -> None:
        watcher = self._watcher
        if get_ident() != watcher.trainer_thread:
            return
        if not watcher.loop.begun:  # no wait for a batch has shown it earlier
            watcher.loop.begin()
        for act in watcher.on_backward:
            act()
        if not self._looked_for_gpu:
            self._looked_for_gpu = True
            on_host = getattr(loss, "is_cpu", False)  # another device works on while the host's clock is read
            self._phases = gpu_phases() or (watcher.phases if on_host else None)
        if self._phases is None:
            return
        self._phases.stamp(FORWARD)
        self._ready = False
        if self._ranks or other_ranks.are_there():
            self._ranks = True
            self._own_gradients.expect(loss)

    def backward_ends(self) -> None:
        watcher = self._watcher
        if get_ident() != watcher.trainer_thread:
            return
        self._done += 1
        self._amid = self._has_stepped  # LBFGS calls it in its step, and a GAN's parts have each their own
        watcher.loop.micro_step(self._done, self._usual)
        if self._phases is not None:
            self._phases.stamp(SYNC if self._ready else BACKWARD)
            if self._ranks:
                self._own_gradients.forget()

    def _gradients_are_ready(self) -> None:
        """What follows in this backward is waiting for those of other ranks."""
        if self._phases is not None and not self._ready:
            self._ready = True
            self._phases.stamp(BACKWARD)

    def step_begins(self) -> None:
        self._has_stepped = True
        if not self._watcher.loop.begun:  # LBFGS goes forward and backward in its step
            self._watcher.loop.begin()
        if self._phases is not None:
            self._phases.stamp(BEFORE_STEP)  # gradient clipping and the like, since the last backward

    def step_ends(self) -> None:
        """Another optimizer's part of the iteration: the iteration goes on."""
        if self._phases is not None:
            self._phases.stamp(OPTIMIZER)

    def iteration_ends(self) -> None:
        if self._amid:  # no accumulation of one gradient
            self._done, self._usual = 0, None
        elif self._done and self._done == self._last != self._usual:  # twice the same: the rule, not an exception
            self._usual = self._done
            self._watcher.loop.config(gradient_accumulation=self._done)
        self._last, self._done = self._done, 0
        self._has_stepped = self._amid = False
        if self._phases is not None:
            self._phases.stamp(OPTIMIZER)
            self._tell_phases(self._phases, self._watcher.iteration - 1)

    def _tell_phases(self, phases: GpuPhases | HostPhases, ended: int) -> None:
        if isinstance(phases, GpuPhases):
            for iteration, seconds in phases.turn(ended):
                if self._watcher.is_numbered:
                    self._watcher.hooks.phases(iteration, seconds)
        elif (stamps := phases.turn()) is not None and self._watcher.is_numbered:
            made_of = ended, stamps, self._ranks
            self._watcher.hooks.put((PHASES, stamps[-1][1], phases_of, made_of))
