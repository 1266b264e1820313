"""Hooks for the Hugging Face `Trainer`:

    from itermon.trainer_hooks.huggingface import ItermonCallback

    Trainer(..., callbacks=[ItermonCallback()])

The order of its events, measured with transformers 5: fetch of all micro-batches, `on_step_begin`, per micro-step
`on_substep_end`, `on_pre_optimizer_step`, `on_step_end`, `on_log`, evaluation, saving, next fetch. So an iteration
lasts from one `on_step_end` to the next. When evaluations, savings and waits begin, no callback is told: the
trainer's own methods are watched for them (`automatic.trainers`), after the training too.
"""

from __future__ import annotations

import time
from typing import Any

from transformers import TrainerCallback

from ..events import EndReason
from . import one_run
from .automatic import watch_for_callback
from .automatic.device import of_device
from .guard import guarded_method
from .hooks import Hooks


class ItermonCallback(TrainerCallback):  # type: ignore[misc]  # transformers has no types
    """Reports one training, and what follows it. Every method is called by the `Trainer`, on the training thread.

    Iterations are numbered as the trainer does, from 1; a logged loss is the trainer's mean since its last log.
    Tokens are those that the trainer itself counts, over all ranks: with `include_num_input_tokens_seen="all"`
    those of padding too, with "non_padding" the others alone. Without it nobody counts them.

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
        self._trains: bool  # once there are hooks
        self._micro_steps: int  # of the step that runs
        self._unlogged: tuple[int, int, int | None] | None = (
            None  # an iteration whose loss comes with the next log
        )
        self._tokens_seen = 0  # by the trainer, up to the newest iteration
        self._reads_tokens = False  # or pictures, or sound, whose numbers the trainer counts too

    @guarded_method
    def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **also: Any) -> None:
        epoch = _in_an_epoch(also.get("train_dataloader"), args.gradient_accumulation_steps)
        about = {
            **_of_arguments(args, state),
            "iterations_per_epoch": epoch,
            **_of_model(model),
            **of_device(getattr(args, "device", None)),
        }
        if self.hooks is not None and self._trains:
            self.hooks.close(EndReason.FAILED)  # a training before this one that came to no end
        self.hooks, self._trains = Hooks(self._name, framework="transformers", **about | self._settings), True
        self._tokens_seen = int(getattr(state, "num_input_tokens_seen", 0))
        self._reads_tokens = getattr(model, "main_input_name", "input_ids") == "input_ids"
        watch_for_callback(self.hooks, int(state.global_step) + 1)
        self.hooks.begin()

    @guarded_method
    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._iteration({})
        self._micro_steps = 0

    @guarded_method
    def on_substep_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._micro_step(args)

    @guarded_method
    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._micro_step(args)

    @guarded_method
    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        at_ns, seen = time.perf_counter_ns(), int(getattr(state, "num_input_tokens_seen", 0))
        tokens, self._tokens_seen = seen - self._tokens_seen, seen
        self._unlogged = at_ns, int(state.global_step), tokens if tokens > 0 and self._reads_tokens else None
        if not control.should_log:
            self._iteration({})

    @guarded_method
    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
        self._iteration(logs or {})

    @guarded_method
    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._iteration({})
        self._trains = False
        if self.hooks is not None:
            one_run.is_over(self.hooks)

    def _micro_step(self, args: Any) -> None:
        self._micro_steps += 1
        if self.hooks is not None:
            self.hooks.micro_step(self._micro_steps, args.gradient_accumulation_steps)

    def _iteration(self, logs: dict[str, Any]) -> None:
        """Report the iteration that ended at the last `on_step_end`, if it is not reported yet."""
        if self.hooks is not None and self._unlogged is not None:
            (at_ns, index, tokens), self._unlogged = self._unlogged, None
            loss, norm, rate = logs.get("loss"), logs.get("grad_norm"), logs.get("learning_rate")
            self.hooks.past_iteration(
                at_ns, index, loss=loss, gradient_norm=norm, learning_rate=rate, tokens=tokens
            )


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


def _in_an_epoch(loader: Any, accumulation: int) -> int | None:
    """As its trainer counts them: the last iteration of an epoch has what is left. Streams have no length."""
    try:
        return max(1, -(-len(loader) // accumulation))
    except TypeError:
        return None


def _whole(steps: float | None) -> int | None:
    """An interval below 1 is a share of the run: then it is not known in iterations here."""
    return int(steps) if steps is not None and steps >= 1 else None
