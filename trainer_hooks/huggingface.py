"""Hooks for the Hugging Face `Trainer`:

    from itermon.trainer_hooks.huggingface import ItermonCallback

    Trainer(..., callbacks=[ItermonCallback()])

The order of its events, measured with transformers 5: fetch of all micro-batches, `on_step_begin`, per micro-step
`on_substep_end`, `on_pre_optimizer_step`, `on_step_end`, `on_log`, `on_evaluate`, `on_save`, next fetch. So an
iteration lasts from one `on_step_end` to the next. Evaluation and saving have no event at their beginning; what
comes next is known before, from the trainer's own `control`.
"""

from __future__ import annotations

import time
from typing import Any

from transformers import TrainerCallback

from ..events import CHECKPOINT, DATA, EVALUATION, EndReason
from .guard import guarded_method
from .hooks import Hooks


class ItermonCallback(TrainerCallback):  # type: ignore[misc]  # transformers has no types
    """Reports one training. Every method is called by the `Trainer`, on the training thread.

    Iterations are numbered as the trainer does, from 1; a logged loss is the trainer's mean since its last log.

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
        self._micro_steps: int  # of the step that runs
        self._last_ns: int  # when the last of the trainer's own doings ended
        self._open = ""  # what was begun: waiting for data, an evaluation, a checkpoint
        self._unlogged: tuple[int, int] | None = None  # an iteration whose loss comes with the next log

    @guarded_method
    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **_: Any) -> None:
        settings = {**_of_arguments(args, state), **_of_model(model), **self._settings}
        if self.hooks is not None:
            self.hooks.close(EndReason.FAILED)  # a training before this one that came to no end
        self.hooks = Hooks(self._name, framework="transformers", **settings)
        self.hooks.begin()
        self._begin(DATA)

    @guarded_method
    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._end()
        self._micro_steps = 0

    @guarded_method
    def on_substep_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._micro_step(args)

    @guarded_method
    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._micro_step(args)

    @guarded_method
    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._unlogged = time.perf_counter_ns(), int(state.global_step)
        if not control.should_log:
            self._iteration({})
            self._next(control)

    @guarded_method
    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
        if self._unlogged is not None:
            self._iteration(logs or {})
            self._next(control)

    @guarded_method
    def on_evaluate(
        self, args: Any, state: Any, control: Any, metrics: dict[str, Any] | None = None, **_: Any
    ) -> None:
        if self._open != EVALUATION:  # called by the user, not by the trainer's schedule
            self._span(EVALUATION)
        else:
            loss = (metrics or {}).get("eval_loss")
            self._end({} if loss is None else {"val_loss": loss})
        self._next(control, evaluated=True)

    @guarded_method
    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._open != CHECKPOINT:  # the best model so far: decided after the evaluation
            self._span(CHECKPOINT)
        else:
            self._end()
        self._begin(DATA)

    @guarded_method
    def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if control.should_evaluate or control.should_save:
            self._next(control)

    @guarded_method
    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._unlogged is not None:
            self._iteration({})
        if self.hooks is not None:
            self.hooks.close()

    def _next(self, control: Any, *, evaluated: bool = False) -> None:
        """What the trainer does next, now that something has ended."""
        if control.should_evaluate and not evaluated:
            self._begin(EVALUATION)
        else:
            self._begin(CHECKPOINT if control.should_save else DATA)

    def _begin(self, kind: str) -> None:
        self._last_ns = time.perf_counter_ns()
        if self.hooks is not None and kind != self._open:
            self._end()
            self._open = kind
            if kind == DATA:
                self.hooks.wait.begin()
            else:
                self.hooks.begin_span(kind)

    def _end(self, values: dict[str, Any] | None = None) -> None:
        if self.hooks is not None and self._open:
            if self._open == DATA:
                self.hooks.wait.end()
            else:
                self.hooks.end_span(self._open, values=values)
            self._open = ""

    def _span(self, kind: str) -> None:
        """A span is over, and nothing was called when it began: it was at the end of what was reported before."""
        if self.hooks is not None:
            self._open = ""
            self.hooks.wait.forget()  # what looked like a wait was the span
            self.hooks.past_span(kind, time.perf_counter_ns() - self._last_ns)

    def _micro_step(self, args: Any) -> None:
        self._micro_steps += 1
        if self.hooks is not None:
            self.hooks.micro_step(self._micro_steps, args.gradient_accumulation_steps)

    def _iteration(self, logs: dict[str, Any]) -> None:
        """Report the iteration that ended at the last `on_step_end`."""
        if self.hooks is not None and self._unlogged is not None:
            (at_ns, index), self._unlogged = self._unlogged, None
            loss, norm, rate = logs.get("loss"), logs.get("grad_norm"), logs.get("learning_rate")
            self.hooks.past_iteration(at_ns, index, loss=loss, gradient_norm=norm, learning_rate=rate)


def _of_arguments(args: Any, state: Any) -> dict[str, Any]:
    interval = {"steps": args.eval_steps}.get(str(getattr(args.eval_strategy, "value", args.eval_strategy)))
    saves = {"steps": args.save_steps}.get(str(getattr(args.save_strategy, "value", args.save_strategy)))
    return {
        "micro_batch_size": args.per_device_train_batch_size,
        "gradient_accumulation": args.gradient_accumulation_steps,
        "world_size": args.world_size,
        "max_iterations": int(state.max_steps),
        "log_interval": int(state.logging_steps) if state.logging_steps else None,
        "evaluation_interval": _whole(interval),
        "checkpoint_interval": _whole(saves),
        "precision": "bf16" if args.bf16 else "fp16" if args.fp16 else "fp32",
        "compiled": bool(args.torch_compile),
    }


def _of_model(model: Any) -> dict[str, Any]:
    about = getattr(model, "config", None)
    return {
        "layers": getattr(about, "num_hidden_layers", None),
        "heads": getattr(about, "num_attention_heads", None),
        "embedding": getattr(about, "hidden_size", None),
        "vocabulary": getattr(about, "vocab_size", None),
    }


def _whole(steps: float | None) -> int | None:
    """An interval below 1 is a share of the run: then it is not known in iterations here."""
    return int(steps) if steps is not None and steps >= 1 else None
