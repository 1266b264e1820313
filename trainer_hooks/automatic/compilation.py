"""`torch.compile` at work: from Dynamo's own callbacks, and the reason when it had to compile again.

An exception in a callback would abort the user's compilation, so ours cannot raise; `torch._dynamo.reset()` drops
the callbacks, so they are registered again then.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

from ...events import COMPILE, Message
from .imports import when_imported

if TYPE_CHECKING:
    from types import ModuleType

    from .watcher import Watcher

_MOST_REASONS = 64
_MOST_TEXT = 500


def install(watcher: Watcher) -> None:
    """Register with Dynamo once it is there."""
    compilations = _Compilations(watcher)
    when_imported("torch._dynamo.callback", watcher.guard(compilations.hook))


class _Compilations:
    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._handler: Any = None
        self._begun = watcher.guard(self._begins)
        self._ended = watcher.guard(self._ends)
        self._reports = watcher.guard(self._iteration_ends)
        self._reasons: dict[str, str] = {}  # by what Dynamo compiles, the newest: its backward is compiled later

    def hook(self, module: ModuleType) -> None:
        self._handler = module.callback_handler
        self._register()
        handlers, register = type(self._handler), self._watcher.guard(self._register)
        if clear := getattr(handlers, "clear", None):

            @functools.wraps(clear)
            def watched(handler: Any) -> None:
                try:
                    clear(handler)
                finally:
                    register()

            handlers.clear = watched

    def _iteration_ends(self) -> None:
        """The first after a compilation: report why something was compiled again."""
        watcher = self._watcher
        watcher.on_iteration = [act for act in watcher.on_iteration if act is not self._reports]
        self._report_reasons()

    def _register(self) -> None:
        if self._begun not in self._handler.start_callbacks:
            self._handler.register_start_callback(self._begun)
        if self._ended not in self._handler.end_callbacks:
            self._handler.register_end_callback(self._ended)

    def _begins(self, about: Any = None) -> None:
        self._watcher.compiles = True
        self._watcher.hooks.begin_span(COMPILE, _which(about))

    def _ends(self, about: Any = None) -> None:
        if self._reports not in self._watcher.on_iteration:
            self._watcher.on_iteration = [*self._watcher.on_iteration, self._reports]
        part = str(getattr(about, "compile_id", ""))
        if reason := _reason_now():
            self._reasons = {**dict([*self._reasons.items()][-_MOST_REASONS:]), part: reason}
        again = self._reasons.get(part)
        self._watcher.hooks.end_span(COMPILE, f"again, {again}"[:_MOST_TEXT] if again else _which(about))

    def _report_reasons(self) -> None:
        """Of all compilations that Dynamo remembers, 64 of them: the same message is shown once."""
        utils = sys.modules.get("torch._dynamo.utils")
        if utils is None:
            return
        iteration = self._watcher.iteration - 1 if self._watcher.is_numbered else None
        for metrics in utils.get_compilation_metrics():
            if reason := getattr(metrics, "recompile_reason", None):
                text = f"recompiled {getattr(metrics, 'co_name', None) or '?'}: {reason}"
                self._watcher.hooks.emit(Message(text=text[:_MOST_TEXT], iteration=iteration))


def _reason_now() -> str:
    """Why what is compiled now was compiled again; empty for the first time, and where Dynamo does not say."""
    utils = sys.modules.get("torch._dynamo.utils")
    context: Any = getattr(utils, "get_metrics_context", lambda: None)()
    return str(getattr(context, "_metrics", {}).get("recompile_reason") or "")


def _which(about: Any) -> str:
    """What Dynamo says it compiles; older versions say nothing."""
    trigger = getattr(getattr(about, "callback_trigger", None), "name", "").lower().replace("_", " ")
    return f"{trigger} {getattr(about, 'compile_id', '')}".strip()
