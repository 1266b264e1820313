"""Evaluations of loops that never say `model.eval()`: `with torch.no_grad(): for batch in loader: model(batch)`.

Two witnesses: a batch is fetched from a loader where gradients are off, and then the trained model goes forward,
before any backward. One alone is none: samples are generated and averages are kept without gradients, a teacher
answers so, and metrics are computed after the forward. It lasts from that fetch to the last sign of it: the end of
a fetch from that loader, or of the model's forward. What fetches with gradients on, or has no loader, is not seen.

Modules have a hook of ours only from such a fetch until the model is seen, and the model alone until the end.
Where anything was compiled there are none: a hook would make it be compiled again.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from ...events import EVALUATION
from ..marks import BEGIN, END

if TYPE_CHECKING:
    from .watcher import Watcher

_DETAIL = "batches of a loader without gradients"


class WithoutEval:
    """The one that is under way, or may be. `is_on`: there may be one."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._loader: Any = None  # the iterator whose batches they are
        self._since_ns: int  # when the first of them was fetched
        self._hook: Any = None
        self._until_ns: int | None = None  # its newest sign; `None`: the model has not been seen
        self._forward_begins, self._forward_ends = watcher.guard(self._begins), watcher.guard(self._sign)
        self.learns = watcher.guard(self.over)

    @property
    def is_on(self) -> bool:
        """May one be under way?"""
        return self._loader is not None

    def fetches(self, loader: Any, since_ns: int) -> None:
        """A batch of `loader` is fetched, since then, where gradients are off."""
        watcher = self._watcher
        if loader is self._loader:
            return
        self.over()
        known = watcher.evaluates or watcher.is_in_eval or watcher.loop is not watcher.hooks
        if known or watcher.compiles or not watcher.iteration:
            return
        modules: Any = sys.modules.get("torch.nn.modules.module")
        self._loader, self._since_ns, self._until_ns = loader, since_ns, None
        begins = self._forward_begins
        self._hook = modules.register_module_forward_pre_hook(lambda module, _inputs: begins(module))
        watcher.evaluates = True
        watcher.on_backward = [*watcher.on_backward, self.learns]

    def fetched(self, loader: Any) -> None:
        """The fetch is over."""
        if loader is self._loader and self._until_ns is not None:
            self._sign()

    def over(self) -> None:
        """Somebody trains again, or another loader is asked: what was seen of it, if it was one, is all of it."""
        watcher = self._watcher
        if self._loader is None:
            return
        until_ns, self._loader, self._until_ns = self._until_ns, None, None
        self._hook.remove()
        watcher.evaluates = False
        watcher.on_backward = [act for act in watcher.on_backward if act is not self.learns]
        if until_ns is not None:
            watcher.loop.put((END, until_ns, EVALUATION, _DETAIL, None))

    def _begins(self, module: Any) -> None:
        if self._until_ns is None and self._watcher.is_model(module):
            self._hook.remove()
            ends = self._forward_ends
            self._hook = module.register_forward_hook(lambda *_: ends())
            self._watcher.loop.put((BEGIN, self._since_ns, EVALUATION, _DETAIL))
            self._sign()

    def _sign(self) -> None:
        self._until_ns = self._watcher.loop.evaluated_until_ns = time.perf_counter_ns()
