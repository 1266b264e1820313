"""Hooks for Lightning's `Trainer`:

    from itermon.trainer_hooks.lightning import ItermonCallback

    Trainer(..., callbacks=[ItermonCallback()])

The order of its events, measured with Lightning 2.6: fetch, `on_train_batch_start`, `on_train_batch_end`, saving,
validation, next fetch. Around these other callbacks have their turn, so the trainer's own methods are watched
(`automatic.trainers`), after the training too. An iteration ends with the batch after which `global_step` has
changed; it counts once per optimizer.
"""

from __future__ import annotations

import sys
from math import inf
from typing import Any

from ..events import EndReason
from . import one_run
from .automatic import watch_for_callback
from .automatic.device import of_device
from .guard import guarded_method
from .hooks import Hooks

if "pytorch_lightning" in sys.modules and "lightning" not in sys.modules:
    from pytorch_lightning import Callback
else:
    from lightning.pytorch import Callback

_PRECISIONS = {"bf16": "bf16", "16": "fp16", "32": "fp32"}  # the first that is part of the trainer's own name


class ItermonCallback(Callback):  # type: ignore[misc]  # it has types only where it is installed
    """Reports one `fit`, and what follows it. Every method is called by the `Trainer`, on the training thread.

    Args:
        name: of the run; without one `$ITERMON_NAME`, or the script's name.
        settings: those of `Hooks`, in its units; they win over what is read from the trainer.

    Raises:
        Nothing, nor does any method: a fault becomes a warning in the run.
    """

    def __init__(self, name: str = "", **settings: Any) -> None:
        self.hooks: Hooks | None = None
        self._name = name
        self._settings = settings
        self._trains = False
        self._global_step: int
        self._index: int  # of the iteration that runs
        self._micro_steps: int

    @guarded_method
    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        settings = {**_of_trainer(trainer), **self._settings}
        if self.hooks is not None and self._trains:
            self.hooks.close(EndReason.FAILED)  # a training before this one that came to no end
        self.hooks, self._trains = Hooks(self._name, framework="lightning", **settings), True
        self._global_step = int(trainer.global_step)
        self._index = self._global_step // max(1, len(trainer.optimizers))
        self._micro_steps = 0
        watch_for_callback(self.hooks, self._index)
        self.hooks.begin()

    @guarded_method
    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        self._micro_steps += 1
        if self.hooks is not None:
            self.hooks.micro_step(self._micro_steps, _accumulation(trainer))
        if int(trainer.global_step) != self._global_step:
            self._global_step = int(trainer.global_step)
            self._micro_steps = 0
            loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
            if self.hooks is not None:
                self.hooks.iteration(self._index, loss=loss, learning_rate=_learning_rate(trainer))
            self._index += 1

    @guarded_method
    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self._trains = False
        if self.hooks is not None:
            one_run.is_over(self.hooks)

    @guarded_method
    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        if self.hooks is not None:
            interrupted = isinstance(exception, KeyboardInterrupt)
            self.hooks.close(EndReason.INTERRUPTED if interrupted else EndReason.FAILED)


def _accumulation(trainer: Any) -> int | None:
    """`None` where the module steps its optimizers itself: then nobody knows."""
    return int(trainer.accumulate_grad_batches) if trainer.lightning_module.automatic_optimization else None


def _in_an_epoch(trainer: Any) -> int | None:
    """Where it knows the number of its batches, and each iteration takes equally many."""
    batches, each = getattr(trainer, "num_training_batches", None), _accumulation(trainer)
    return -(-batches // each) if isinstance(batches, int) and batches > 0 and each else None


def _learning_rate(trainer: Any) -> float | None:
    rate = trainer.optimizers[0].param_groups[0].get("lr") if trainer.optimizers else None
    return rate if isinstance(rate, float) else None


def _of_trainer(trainer: Any) -> dict[str, Any]:
    ends = [int(steps) for steps in (trainer.max_steps, trainer.estimated_stepping_batches) if 0 <= steps < inf]
    precision = str(trainer.precision)  # "bf16-mixed", "16-true", "transformer-engine", ...
    device = getattr(getattr(trainer, "strategy", None), "root_device", None)
    return {
        **of_device(device),
        "gradient_accumulation": _accumulation(trainer),
        "world_size": trainer.world_size,
        "max_iterations": min(ends, default=None),
        "iterations_per_epoch": _in_an_epoch(trainer),
        "precision": next((known for part, known in _PRECISIONS.items() if part in precision), None),
    }
