"""Evaluations of loops that never say `model.eval()`: `with torch.no_grad(): for batch in loader: model(batch)`.

Two witnesses: a batch is fetched from a loader where gradients are off, and then the trained model goes forward,
before any backward. One alone is none: samples are generated and averages are kept without gradients, a teacher
answers so, and metrics are computed after the forward. It lasts from that fetch, or from the beginning of its
loader, to the last sign of it: the end of a fetch from that loader, or of the model's forward.

Where gradients are off for each batch alone, the witnesses are two fetches from one loader without a backward or a
step between them, and then the trained model's forward without gradients. What has no loader is not seen.

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
    from collections.abc import Callable

    from .watcher import Watcher

NOBODYS = 0, 0
_DETAIL = "batches of a loader without gradients"


class WithoutEval:
    """The one that is under way, or may be, on the batches of `loader`.

    In every fetch with gradients `newest` is compared and set, and nothing else is done: whose batch it was (its
    identity: a reference would keep its workers alive) and, of a loader's first, since when. `made` is the newest
    iterator without a batch yet; its first begins when its making did, which may have started workers.
    """

    def __init__(self, watcher: Watcher, with_gradients: Callable[[], bool]) -> None:
        self._watcher = watcher
        self._with_gradients = with_gradients
        self.loader: Any = None  # the iterator whose batches they are
        self.newest = self.made = NOBODYS
        self.each_batch = False  # are gradients off for each batch alone?
        self._refused = 0  # an iterator whose batches are learnt from, two at a time
        self._since_ns: int  # when the first of them was fetched
        self._hook: Any = None
        self._until_ns: int | None = None  # its newest sign; `None`: the model has not been seen
        self._forward_begins, self._forward_ends = watcher.guard(self._begins), watcher.guard(self._sign)
        self.learns = watcher.guard(self.over)

    def fetches(self, loader: Any, since_ns: int) -> None:
        """A batch of `loader` is fetched, since then, where gradients are off."""
        if loader is not self.loader:
            (made, made_ns), self.made, self.each_batch = self.made, NOBODYS, False
            self._expect(loader, made_ns if made == id(loader) else since_ns)

    def fetches_again(self, loader: Any, since_ns: int) -> None:
        """A second batch of `loader`, where gradients are on; nothing was learnt from the one since then."""
        if id(loader) != self._refused:
            self.each_batch = True
            self._expect(loader, self.newest[1] or since_ns)

    def fetched(self, loader: Any) -> None:
        """The fetch is over."""
        if loader is self.loader and self._until_ns is not None:
            self._sign()

    def over(self) -> None:
        """Somebody trains again, or another loader is asked: what was seen of it, if it was one, is all of it."""
        watcher = self._watcher
        if self.loader is None:
            return
        until_ns, self.loader, self._until_ns = self._until_ns, None, None
        self._hook.remove()
        watcher.evaluates = False
        watcher.on_backward = [act for act in watcher.on_backward if act is not self.learns]
        if until_ns is not None:
            watcher.loop.put((END, until_ns, EVALUATION, _DETAIL, None))

    def _expect(self, loader: Any, since_ns: int) -> None:
        watcher = self._watcher
        self.over()
        known = watcher.evaluates or watcher.is_in_eval or watcher.loop is not watcher.hooks
        if known or watcher.compiles or not watcher.iteration:
            return
        modules: Any = sys.modules.get("torch.nn.modules.module")
        self.loader, self._since_ns, self._until_ns = loader, since_ns, None
        begins = self._forward_begins
        self._hook = modules.register_module_forward_pre_hook(lambda module, _inputs: begins(module))
        watcher.evaluates = True
        watcher.on_backward = [*watcher.on_backward, self.learns]

    def _begins(self, module: Any) -> None:
        if self._until_ns is None and self._watcher.is_model(module):
            if self.each_batch and self._with_gradients():
                self._refused = id(self.loader)
                self.over()
                return
            self._hook.remove()
            ends = self._forward_ends
            self._hook = module.register_forward_hook(lambda *_: ends())
            self._watcher.loop.put((BEGIN, self._since_ns, EVALUATION, _DETAIL))
            self._sign()

    def _sign(self) -> None:
        self._until_ns = self._watcher.loop.evaluated_until_ns = time.perf_counter_ns()
