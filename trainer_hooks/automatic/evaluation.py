"""Evaluations: from `eval()` of the model that is trained to its next `train()`.

`Module.train` is replaced only while an evaluation lasts, to see its end: `train` is called for every submodule,
and by some trainers before every step. Where nobody calls `train()`, the next backward ends the evaluation.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from ...events import EVALUATION
from .imports import when_imported

if TYPE_CHECKING:
    from types import ModuleType

    from .watcher import Watcher

_DETAIL = "from model.eval() to model.train()"


def install(watcher: Watcher) -> None:
    """Wrap `torch.nn.Module.eval`."""

    def wrap(module: ModuleType) -> None:
        _Evaluations(watcher, module.Module)

    when_imported("torch.nn.modules.module", watcher.guard(wrap))


class _Evaluations:
    def __init__(self, watcher: Watcher, module_class: Any) -> None:
        self._watcher = watcher
        self._module_class = module_class
        self._under_way = False
        self._train = module_class.train
        begins = watcher.guard(self._begins)
        evaluate = module_class.eval

        @functools.wraps(evaluate)
        def watched(module: Any) -> Any:
            begins(module)
            return evaluate(module)

        module_class.eval = watched
        watcher.on_backward.append(self._ends)

    def _begins(self, module: Any) -> None:
        """`eval()` is called on `module`; it matters if `module` was training until now, and trains."""
        if self._under_way or not module.training or not self._watcher.is_trainer:
            return
        if not any(parameter.requires_grad for parameter in module.parameters()):
            return
        self._under_way = True
        self._watcher.hooks.begin_span(EVALUATION, _DETAIL)
        train, ends = self._train, self._watcher.guard(self._ends)

        @functools.wraps(train)
        def watched(module: Any, mode: bool = True) -> Any:  # noqa: FBT001, FBT002 - torch's own signature
            if mode:
                ends()
            return train(module, mode)

        self._module_class.train = watched

    def _ends(self) -> None:
        """The model trains again: so says `train()`, or a backward."""
        if not self._under_way:
            return
        self._under_way = False
        self._module_class.train = self._train
        self._watcher.hooks.end_span(EVALUATION, _DETAIL)
