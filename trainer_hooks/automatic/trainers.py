"""What a framework's own trainer does in one call: it evaluates, waits for data, or rehearses its validation.

The calls are exact where modes are not: Lightning puts a model's modes back without a word (`module.training =`),
and transformers says `train()` only in the next step, after the checkpoint and the wait for its batch.
"""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Any

from ...events import DATA, EVALUATION
from .imports import wrap_when_imported

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..hooks import Hooks
    from .watcher import Watcher

_REHEARSAL = "rehearsal"
"""Lightning's sanity check: nothing in it is of the training."""

_VALIDATION, _BEGIN, _END = "validation", "its beginning", "its end"
"""Lightning's: it lasts from when its callbacks are told of its beginning to when they are of its end.

Before, workers for its data may start, which is a wait; after, a callback saves the best model.
"""

_CALLS = (
    ("transformers.trainer", "Trainer.evaluate", EVALUATION),
    ("transformers.trainer", "Trainer.predict", EVALUATION),
    ("transformers.trainer", "Trainer.get_batch_samples", DATA),
    *(
        (f"{package}.{module}", function, kind)
        for package in ("lightning.pytorch", "pytorch_lightning")
        for module, function, kind in (
            ("loops.evaluation_loop", "_EvaluationLoop.run", _VALIDATION),
            ("loops.evaluation_loop", "_EvaluationLoop._on_evaluation_start", _BEGIN),
            ("loops.evaluation_loop", "_EvaluationLoop._on_evaluation_end", _END),
            ("loops.fetchers", "_DataFetcher.__iter__", DATA),
            ("loops.fetchers", "_DataFetcher.__next__", DATA),
            ("trainer.trainer", "Trainer._run_sanity_check", _REHEARSAL),
        )
    ),
)
"""Module, method, and what it is."""


def install(watcher: Watcher) -> None:
    """Wrap the methods of all trainers."""
    calls = _Calls(watcher)
    wraps: dict[str, Callable[[Any], Any]] = {
        EVALUATION: functools.partial(calls.evaluation, begin=True),
        _VALIDATION: calls.evaluation,
        _BEGIN: functools.partial(calls.before, act=calls.begin),
        _END: functools.partial(calls.before, act=calls.end),
        DATA: calls.wait,
        _REHEARSAL: calls.rehearsal,
    }
    for module_name, function, kind in _CALLS:
        wrap_when_imported(module_name, function, wraps[kind], watcher.guard)


class _Calls:
    """The evaluation that is under way, if any, and the wrappers, one for each kind of call."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._hooks: Hooks | None = None  # that have its beginning, and not its end

    def evaluation(self, evaluate: Callable[..., Any], *, begin: bool = False) -> Callable[..., Any]:
        watcher = self._watcher

        @functools.wraps(evaluate)
        def watched(trainer: Any, *arguments: Any, **named: Any) -> Any:
            if watcher.evaluates or not watcher.is_trainer:
                return evaluate(trainer, *arguments, **named)
            watcher.evaluates, result = True, None
            if begin:
                self.begin(trainer)
            try:
                result = evaluate(trainer, *arguments, **named)
                return result
            finally:
                watcher.evaluates = False
                self.end(trainer, result)

        return watched

    def before(self, call: Callable[..., Any], act: Callable[[Any], None]) -> Callable[..., Any]:
        @functools.wraps(call)
        def watched(trainer: Any, *arguments: Any, **named: Any) -> Any:
            if self._watcher.evaluates and self._watcher.is_trainer:
                act(trainer)
            return call(trainer, *arguments, **named)

        return watched

    def begin(self, _trainer: Any) -> None:
        self._hooks = self._watcher.hooks
        self._hooks.begin_span(EVALUATION)

    def end(self, trainer: Any, result: Any = None) -> None:
        hooks, self._hooks = self._hooks, None
        if hooks is not None:
            hooks.end_span(EVALUATION, values=_values(trainer, result))

    def wait(self, fetch: Callable[..., Any]) -> Callable[..., Any]:
        watcher = self._watcher

        @functools.wraps(fetch)
        def watched(*arguments: Any, **named: Any) -> Any:
            wait, since_ns = watcher.hooks.wait, time.perf_counter_ns()
            if not watcher.is_trainer:
                return fetch(*arguments, **named)
            wait.begin(since_ns)
            try:
                return fetch(*arguments, **named)
            finally:
                watcher.stamps.waited(DATA, since_ns)
                wait.end()

        return watched

    def rehearsal(self, rehearse: Callable[..., Any]) -> Callable[..., Any]:
        watcher = self._watcher

        @functools.wraps(rehearse)
        def watched(*arguments: Any, **named: Any) -> Any:
            thread, watcher.trainer_thread = watcher.trainer_thread, None
            try:
                return rehearse(*arguments, **named)
            finally:
                watcher.trainer_thread = thread

        return watched


def _values(trainer: Any, result: Any) -> dict[str, float]:
    """The loss that came out, where nobody has to wait for it: of transformers' metrics, of Lightning's."""
    try:
        if isinstance(result, dict):
            loss = result.get("eval_loss")
        else:
            loss = trainer.trainer.callback_metrics.get("val_loss")
        return {"val_loss": float(loss)} if loss is not None and getattr(loss, "is_cpu", True) else {}
    except Exception:  # noqa: BLE001 - a trainer of another version, or a loss that is no number
        return {}
