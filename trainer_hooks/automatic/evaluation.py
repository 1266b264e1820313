"""Evaluations: from `eval()` or `train(False)` of the model that is trained to its next `train()`.

`eval()` is seen of every module that has torch's own; transformers' models have another, which calls
`train(False)`. `train` is called for every submodule, and by some trainers before every step: a wrapper of torch's
own would cost each of them 0.1 µs. So it is wrapped for the classes of models alone, and a module that is asked
for its parameters (for an optimizer, to clip its gradients) is taken for one.

A model that learns while it is in evaluation's mode was not evaluated: then what began is reported as none. A loop
under `torch.no_grad()` alone is `without_eval`'s. One after the last step ends with its last `no_grad()`, or else
with the process. So does one after which weights are loaded: what is evaluated then (the best model) is another.
So is what is evaluated after a save, where `eval()` was called again.

Once it trains, a copy of the model is evaluated as the model is, be it loaded or an average of it. One that helps
to train (a teacher, a target) asks for its mode too: it proves to be none when the model learns, or at the next
`train()` if no `no_grad()` was left by then.
"""

from __future__ import annotations

import functools
import sys
import time
import weakref
from typing import TYPE_CHECKING, Any

from ...events import EVALUATION
from ..marks import END
from .imports import when_imported, wrap_when_imported

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from .watcher import Watcher

_DETAIL = "from model.eval() to model.train()"
_BEFORE_LOADING = "from model.eval() to its last no_grad()"
_BEFORE_ANOTHER = "from model.eval() to its last no_grad() before a save"
_MODES = ("no_grad", "inference_mode")
_MOST_CLASSES = 100  # whose `train` is wrapped: a program that asks every module for its parameters has no models


def install(watcher: Watcher) -> None:
    """Wrap `torch.nn.Module.eval`, and `train` of the classes that prove to be models."""

    def wrap(module: ModuleType) -> None:
        _Evaluations(watcher, module.Module)

    when_imported("torch.nn.modules.module", watcher.guard(wrap))


class _Evaluations:
    def __init__(self, watcher: Watcher, module_class: Any) -> None:
        self._watcher = watcher
        self._model: Callable[[], Any] | None = None  # a weak reference to what is evaluated
        self._classes: set[type] = {module_class}
        self._modes: list[tuple[Any, Callable[..., Any]]] = []  # whose `__exit__` is watched, and their own
        self._is_copy = False  # what is evaluated
        self._loaded = False  # weights, since the last evaluation
        self._strangers: weakref.WeakSet[Any] = weakref.WeakSet()  # that are in evaluation's mode, and no copies
        self._begins = watcher.guard(self._begin)
        self._ends = watcher.guard(self._end)
        self._learnt = watcher.guard(self._learns)
        module_class.eval = self._watched_eval(module_class.eval)
        module_class.named_parameters = self._watched_parameters(module_class.named_parameters)
        if hasattr(module_class, "load_state_dict"):
            module_class.load_state_dict = self._watched_load(module_class.load_state_dict)
        wrap_when_imported("torch", "load", self._watched_load, watcher.guard)

    def _watched_eval(self, evaluate: Callable[..., Any]) -> Callable[..., Any]:
        begins, strangers = self._begins, self._strangers

        @functools.wraps(evaluate)
        def watched(module: Any) -> Any:
            if module.training or (module._modules and module not in strangers):
                begins(module)
            return evaluate(module)

        return watched

    def _watched_parameters(self, parameters: Callable[..., Any]) -> Callable[..., Any]:
        classes, adopt = self._classes, self._watcher.guard(self._adopt)

        @functools.wraps(parameters)
        def watched(module: Any, *arguments: Any, **named: Any) -> Any:
            if module.__class__ not in classes:
                adopt(module)
            return parameters(module, *arguments, **named)

        return watched

    def _adopt(self, module: Any) -> None:
        """Its class is that of a model: see what becomes of its mode. A layer alone is none."""
        model_class = module.__class__
        if not module._modules or model_class in self._classes or len(self._classes) > _MOST_CLASSES:
            return
        self._classes.add(model_class)
        train, begins, ends = model_class.train, self._begins, self._ends

        @functools.wraps(train)
        def watched(module: Any, mode: bool = True) -> Any:  # noqa: FBT001, FBT002 - torch's own signature
            if not mode:
                if module.training or self._model is not None:
                    begins(module)
            elif self._model is not None:
                ends(module)
            return train(module, mode)

        model_class.train = watched

    def _watched_load(self, load: Callable[..., Any]) -> Callable[..., Any]:
        loads = self._watcher.guard(self._loads)

        @functools.wraps(load)
        def watched(*arguments: Any, **named: Any) -> Any:
            loads()
            return load(*arguments, **named)

        return watched

    def _begin(self, module: Any) -> None:
        """`module` is to be evaluated; it matters if it is what is trained, and was training, or a copy of it."""
        watcher = self._watcher
        if watcher.evaluates or not watcher.is_trainer:
            return
        if self._model is not None:
            self._begin_another(module)
            return
        is_model = watcher.is_model(module)
        if is_model:
            matters = module.training or self._loaded
        else:
            matters = watcher.iteration > 0 and watcher.is_copy(module)
            if not matters and watcher.iteration > 0 and not module.training:
                self._strangers.add(module)
        if matters:
            self._is_begun(module, is_copy=not is_model)

    def _is_begun(self, module: Any, *, is_copy: bool) -> None:
        watcher = self._watcher
        self._model, self._is_copy, self._loaded = weakref.ref(module), is_copy, False
        watcher.is_in_eval = True
        self._adopt(module)
        watcher.loop.begin_span(EVALUATION, _DETAIL)
        watcher.loop.evaluated_until_ns = None
        watcher.on_backward = [*watcher.on_backward, self._learnt]
        self._watch_modes()

    def _begin_another(self, module: Any) -> None:
        """The same model's `eval()` once more. It is another evaluation if a save lies between the two."""
        loop = self._watcher.loop
        until_ns = loop.evaluated_until_ns
        if self._model is not None and self._model() is module and until_ns and self._watcher.saved_ns > until_ns:
            is_copy = self._is_copy
            self._over()
            loop.put((END, until_ns, EVALUATION, _BEFORE_ANOTHER, None))
            self._is_begun(module, is_copy=is_copy)

    def _end(self, module: Any) -> None:
        """`module` trains again: does the model?"""
        model = self._model() if self._model is not None else None
        if self._watcher.is_trainer and (module is model or model is None or self._watcher.is_model(module)):
            if self._is_copy and self._watcher.loop.evaluated_until_ns is None:
                self._learns()
                return
            self._over()
            self._watcher.loop.end_span(EVALUATION, _DETAIL)

    def _learns(self) -> None:
        """A backward, and nobody has said `train()`: it learns in evaluation's mode, or a copy helps it to."""
        if self._model is not None:
            if self._is_copy and (copy := self._model()) is not None:
                self._strangers.add(copy)
            self._over()
            self._watcher.loop.void_span(EVALUATION)

    def _loads(self) -> None:
        """Weights are loaded: an evaluation that was seen at work is over since then."""
        loop = self._watcher.loop
        if self._watcher.is_trainer and self._watcher.iteration:
            if self._model is not None and loop.evaluated_until_ns is not None:
                self._over()
                loop.put((END, loop.evaluated_until_ns, EVALUATION, _BEFORE_LOADING, None))
            self._loaded = True

    def _over(self) -> None:
        watcher = self._watcher
        watcher.on_backward = [act for act in watcher.on_backward if act is not self._learnt]
        self._model, self._loaded, watcher.is_in_eval = None, False, False
        self._leave_modes()

    def _watch_modes(self) -> None:
        """While it lasts: note when a mode without gradients is left. The last evaluation has no other end."""
        for name in _MODES:
            mode = getattr(sys.modules.get("torch.autograd.grad_mode"), name, None)
            if mode is not None:
                self._modes.append((mode, mode.__exit__))
                mode.__exit__ = self._watched_exit(mode.__exit__)

    def _watched_exit(self, leave: Callable[..., Any]) -> Callable[..., Any]:
        watcher = self._watcher

        @functools.wraps(leave)
        def watched(mode: Any, *error: Any) -> Any:
            watcher.loop.evaluated_until_ns = time.perf_counter_ns()
            return leave(mode, *error)

        return watched

    def _leave_modes(self) -> None:
        while self._modes:
            mode, leave = self._modes.pop()
            mode.__exit__ = leave
