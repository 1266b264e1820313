"""Micro-steps, by calls of `Tensor.backward`; with CUDA, each also ends a phase of the GPU's time."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from .gpu_phases import BACKWARD, FORWARD, OPTIMIZER, GpuPhases, gpu_phases
from .imports import when_imported

if TYPE_CHECKING:
    from types import ModuleType

    from .watcher import Watcher


def install(watcher: Watcher) -> None:
    """Wrap `torch.Tensor.backward`."""
    micro_steps = MicroSteps(watcher)
    watcher.on_iteration.append(watcher.guard(micro_steps.iteration_ends))
    watcher.optimizer_step_begins = watcher.guard(micro_steps.step_begins)
    watcher.optimizer_step_ends = watcher.guard(micro_steps.step_ends)

    def wrap(module: ModuleType) -> None:
        backward = module.Tensor.backward
        begins, ends = watcher.guard(micro_steps.backward_begins), watcher.guard(micro_steps.backward_ends)

        @functools.wraps(backward)
        def watched(tensor: Any, *arguments: Any, **named: Any) -> Any:
            begins()
            result = backward(tensor, *arguments, **named)
            ends()
            return result

        module.Tensor.backward = watched

    when_imported("torch._tensor", watcher.guard(wrap))


class MicroSteps:
    """Counts the micro-steps of an iteration, and has the GPU stamp them."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._done = self._last = 0
        self._has_stepped = self._amid = False
        self._usual: int | None = None
        self._phases: GpuPhases | None = None
        self._looked_for_gpu = False

    def backward_begins(self) -> None:
        if not self._watcher.is_trainer:
            return
        for act in self._watcher.on_backward:
            act()
        if not self._looked_for_gpu:
            self._looked_for_gpu = True
            self._phases = gpu_phases()
        if self._phases is not None:
            self._phases.stamp(FORWARD)

    def backward_ends(self) -> None:
        if not self._watcher.is_trainer:
            return
        self._done += 1
        self._amid = self._has_stepped  # LBFGS calls it in its step, and a GAN's parts have each their own
        self._watcher.loop.micro_step(self._done, self._usual)
        if self._phases is not None:
            self._phases.stamp(BACKWARD)

    def step_begins(self) -> None:
        self._has_stepped = True
        if self._phases is not None:
            self._phases.stamp("")  # gradient clipping and the like, since the last backward: nobody's

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
            for iteration, phases in self._phases.turn(self._watcher.iteration - 1):
                if self._watcher.is_numbered:
                    self._watcher.hooks.phases(iteration, phases)
