"""Takes hold of the calls that make optimizers, load them and step them.

A step that `GradScaler` skips calls no hook of torch's. Nor does DeepSpeed's engine for a step of its own, within
which it steps its optimizer several times (ZeRO: once a group of parameters, or less). An optimizer that is no
`torch.optim.Optimizer` calls none either, and nobody else knows when it steps.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

from ..imports import when_imported, wrap_when_imported
from .boundaries import Boundaries

if TYPE_CHECKING:
    from types import ModuleType

    from ..watcher import Watcher


def install(watcher: Watcher) -> None:
    """Register with torch for every optimizer's steps."""
    boundaries = Boundaries(watcher, all_seen="torch.optim.optimizer" not in sys.modules)
    watcher.is_model, watcher.is_copy = boundaries.is_model, boundaries.is_copy
    watcher.optimizers = boundaries.at_work
    calls = Calls(watcher, boundaries)

    def hook(module: ModuleType) -> None:
        calls.wrap_making(module.Optimizer)
        calls.wrap_loading(module.Optimizer)
        calls.wrap_first_zeroing(module.Optimizer)
        module.register_optimizer_step_pre_hook(watcher.guard(boundaries.begins))
        module.register_optimizer_step_post_hook(watcher.guard(boundaries.stepped))

    when_imported("torch.optim.optimizer", watcher.guard(hook))
    wrap_when_imported("torch", "load", calls.wrap_reading, watcher.guard)
    when_imported("torch.amp.grad_scaler", watcher.guard(calls.wrap_scaler))
    when_imported("deepspeed.runtime.engine", watcher.guard(calls.wrap_engine))


class Calls:
    """Wraps methods of torch's and DeepSpeed's classes: what they return and raise stays as it is."""

    def __init__(self, watcher: Watcher, boundaries: Boundaries) -> None:
        self._guard, self._boundaries = watcher.guard, boundaries

    def wrap_making(self, optimizer_class: Any) -> None:
        """Know the optimizers before they step: of one that is alone, the first step ends an iteration."""
        make = optimizer_class.__init__
        made = self._guard(self._boundaries.made)

        @functools.wraps(make)
        def watched(optimizer: Any, *arguments: Any, **named: Any) -> None:
            make(optimizer, *arguments, **named)
            made(optimizer)

        optimizer_class.__init__ = watched

    def wrap_loading(self, optimizer_class: Any) -> None:
        """Know what a resumed one has made before."""
        load = getattr(optimizer_class, "load_state_dict", None)
        if load is None:
            return
        loaded = self._guard(self._boundaries.counts.loaded)

        @functools.wraps(load)
        def watched(optimizer: Any, *arguments: Any, **named: Any) -> Any:
            result = load(optimizer, *arguments, **named)
            loaded(optimizer, arguments[0] if arguments else named.get("state_dict"))
            return result

        optimizer_class.load_state_dict = watched

    def wrap_reading(self, load: Any) -> Any:
        """`torch.load`: know what a checkpoint says of the steps behind it."""
        read = self._guard(self._boundaries.counts.read)

        @functools.wraps(load)
        def watched(*arguments: Any, **named: Any) -> Any:
            result = load(*arguments, **named)
            read(result)
            return result

        return watched

    def wrap_first_zeroing(self, optimizer_class: Any) -> None:
        """Hear the first `zero_grad`, and no more of them."""
        zero = getattr(optimizer_class, "zero_grad", None)
        if zero is None:
            return
        begins = self._guard(self._boundaries.loop_begins)

        @functools.wraps(zero)
        def watched(optimizer: Any, *arguments: Any, **named: Any) -> Any:
            if getattr(optimizer_class, "zero_grad", None) is watched:
                optimizer_class.zero_grad = zero  # what others are is nothing to us
            begins()
            return zero(optimizer, *arguments, **named)

        optimizer_class.zero_grad = watched

    def wrap_scaler(self, module: ModuleType) -> None:
        """Hear of steps that `GradScaler` skips."""
        step = module.GradScaler.step
        begins = self._guard(self._boundaries.scaler_begins)
        ends = self._guard(self._boundaries.scaler_stepped)

        @functools.wraps(step)
        def watched(scaler: Any, optimizer: Any, *arguments: Any, **named: Any) -> Any:
            begins()
            result = step(scaler, optimizer, *arguments, **named)
            ends(optimizer)
            return result

        module.GradScaler.step = watched

    def wrap_engine(self, module: ModuleType) -> None:
        """Make the step of DeepSpeed's engine one step, whatever it steps inside, or skips for an overflow."""
        take = module.DeepSpeedEngine._take_model_step  # only at the end of an accumulation; a pipeline's too
        boundaries = self._boundaries
        begins, stepped = self._guard(boundaries.engine_begins), self._guard(boundaries.engine_stepped)
        failed = self._guard(boundaries.engine_failed)

        @functools.wraps(take)
        def watched(engine: Any, *arguments: Any, **named: Any) -> Any:
            begins(engine)
            try:
                result = take(engine, *arguments, **named)
            except BaseException:
                failed(engine)
                raise
            stepped(engine)
            return result

        module.DeepSpeedEngine._take_model_step = watched
