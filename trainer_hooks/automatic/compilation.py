"""`torch.compile` at work: from Dynamo's own callbacks, and the reason when it had to compile again.

An exception in a callback would abort the user's compilation, so ours cannot raise; `torch._dynamo.reset()` drops
the callbacks, so they are registered again, where need be, at the end of every iteration.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ...events import COMPILE, Message
from .imports import when_imported

if TYPE_CHECKING:
    from types import ModuleType

    from .watcher import Watcher


def install(watcher: Watcher) -> None:
    """Register with Dynamo once it is there."""
    compilations = _Compilations(watcher)
    when_imported("torch._dynamo.callback", watcher.guard(compilations.hook))
    watcher.on_iteration.append(watcher.guard(compilations.check))


class _Compilations:
    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._handler: Any = None
        self._begun = watcher.guard(self._begins)
        self._ended = watcher.guard(self._ends)
        self._compiled = False
        self._newest_us = 0.0

    def hook(self, module: ModuleType) -> None:
        self._handler = module.callback_handler
        self._register()

    def check(self) -> None:
        """At the end of an iteration: stay registered, and report why something was compiled again."""
        if self._handler is None:
            return
        self._register()
        if self._compiled:
            self._compiled = False
            self._report_reasons()

    def _register(self) -> None:
        if self._begun not in self._handler.start_callbacks:
            self._handler.register_start_callback(self._begun)
        if self._ended not in self._handler.end_callbacks:
            self._handler.register_end_callback(self._ended)

    def _begins(self, *arguments: Any) -> None:
        self._watcher.hooks.begin_span(COMPILE, _which(arguments))

    def _ends(self, *arguments: Any) -> None:
        self._compiled = True
        self._watcher.hooks.end_span(COMPILE, _which(arguments))

    def _report_reasons(self) -> None:
        utils = sys.modules.get("torch._dynamo.utils")
        if utils is None:
            return
        newest = self._newest_us
        for metrics in utils.get_compilation_metrics():
            begun = float(getattr(metrics, "start_time_us", None) or 0.0)
            reason = getattr(metrics, "recompile_reason", None)
            newest = max(newest, begun)
            if reason and begun > self._newest_us:
                text = f"recompiled {getattr(metrics, 'co_name', None) or '?'}: {reason}"
                self._watcher.hooks.emit(Message(text=text[:500], iteration=self._watcher.iteration - 1))
        self._newest_us = newest


def _which(arguments: tuple[Any, ...]) -> str:
    """What Dynamo says it compiles; older versions say nothing."""
    if not arguments:
        return ""
    about = arguments[0]
    trigger = getattr(getattr(about, "callback_trigger", None), "name", "").lower().replace("_", " ")
    return f"{trigger} {getattr(about, 'compile_id', '')}".strip()
