"""Hooks for Lightning's `Trainer`:

    from itermon.trainer_hooks.lightning import ItermonCallback

    Trainer(..., callbacks=[ItermonCallback()])

The order of its events, measured with Lightning 2.6: fetch, `on_train_batch_start`, `on_train_batch_end`, saving
(its end has no event: the trainer's `save_checkpoint` is wrapped), `on_validation_start` ... `on_validation_end`,
next fetch. An iteration ends with the batch after which `global_step` has changed; it counts once per optimizer.
"""

from __future__ import annotations

import functools
import sys
from math import inf
from typing import Any

from ..events import CHECKPOINT, EVALUATION, EndReason
from .guard import guarded_method
from .hooks import Hooks

if "pytorch_lightning" in sys.modules and "lightning" not in sys.modules:
    from pytorch_lightning import Callback
else:
    from lightning.pytorch import Callback

_PRECISIONS = {"bf16": "bf16", "16": "fp16", "32": "fp32"}  # the first that is part of the trainer's own name


class ItermonCallback(Callback):  # type: ignore[misc]  # it has types only where it is installed
    """Reports one `fit`. Every method is called by the `Trainer`, on the training thread.

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
        self._global_step: int
        self._index: int  # of the iteration that runs
        self._micro_steps: int

    @guarded_method
    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        settings = {**_of_trainer(trainer), **self._settings}
        self.hooks = Hooks(self._name, framework="lightning", **settings)
        self._global_step = int(trainer.global_step)
        self._index = self._global_step // max(1, len(trainer.optimizers))
        self._micro_steps = 0
        self._wrap_saving(trainer)
        self.hooks.begin()
        self._wait()

    @guarded_method
    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        self._have_data()

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
        self._wait()

    @guarded_method
    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        if not trainer.sanity_checking:
            self._have_data()
            self._begin_span(EVALUATION)

    @guarded_method
    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        if not trainer.sanity_checking:
            loss = trainer.callback_metrics.get("val_loss")
            known = loss is not None and getattr(loss, "is_cpu", True)
            self._end_span(EVALUATION, values={"val_loss": float(loss)} if known else {})
            self._wait()

    @guarded_method
    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        if self.hooks is not None:
            self.hooks.close()

    @guarded_method
    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        if self.hooks is not None:
            interrupted = isinstance(exception, KeyboardInterrupt)
            self.hooks.close(EndReason.INTERRUPTED if interrupted else EndReason.FAILED)

    def _begin_span(self, kind: str, detail: str = "") -> None:
        if self.hooks is not None:
            self.hooks.begin_span(kind, detail)

    def _end_span(self, kind: str, detail: str = "", values: dict[str, float] | None = None) -> None:
        if self.hooks is not None:
            self.hooks.end_span(kind, detail, values)

    def _wait(self) -> None:
        if self.hooks is not None:
            self.hooks.wait.begin()

    def _have_data(self) -> None:
        if self.hooks is not None:
            self.hooks.wait.end()

    def _wrap_saving(self, trainer: Any) -> None:
        save = trainer.save_checkpoint
        if hasattr(save, "__wrapped__"):  # a second `fit` of the same trainer
            save = save.__wrapped__

        @functools.wraps(save)
        def watched(filepath: Any, *arguments: Any, **named: Any) -> Any:
            self._have_data()
            self._begin_span(CHECKPOINT, str(filepath))
            try:
                return save(filepath, *arguments, **named)
            finally:
                self._end_span(CHECKPOINT, str(filepath))
                self._wait()

        trainer.save_checkpoint = watched


def _accumulation(trainer: Any) -> int | None:
    """`None` where the module steps its optimizers itself: then nobody knows."""
    return int(trainer.accumulate_grad_batches) if trainer.lightning_module.automatic_optimization else None


def _learning_rate(trainer: Any) -> float | None:
    rate = trainer.optimizers[0].param_groups[0].get("lr") if trainer.optimizers else None
    return rate if isinstance(rate, float) else None


def _of_trainer(trainer: Any) -> dict[str, Any]:
    ends = [int(steps) for steps in (trainer.max_steps, trainer.estimated_stepping_batches) if 0 <= steps < inf]
    precision = str(trainer.precision)  # "bf16-mixed", "16-true", "transformer-engine", ...
    return {
        "gradient_accumulation": _accumulation(trainer),
        "world_size": trainer.world_size,
        "max_iterations": min(ends, default=None),
        "precision": next((known for part, known in _PRECISIONS.items() if part in precision), None),
    }
