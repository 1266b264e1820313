"""Checkpoints: `torch.save`, `torch.distributed.checkpoint`, safetensors. Only the outermost of nested ones.

`from torch import save` done before `watch()` escapes: call `watch()` first, or use `with hooks.checkpoint()`.
"""

from __future__ import annotations

import functools
import os
import time
from typing import TYPE_CHECKING, Any

from ...events import CHECKPOINT
from .imports import when_imported

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from .watcher import Watcher

_LEAST_NS = 10_000_000
"""What goes to no file (a buffer, to be sent to other ranks) is a checkpoint only if it takes this long."""

_WRITERS = (
    ("torch", "save", 1, "f"),
    ("torch.distributed.checkpoint", "save", None, "checkpoint_id"),
    ("torch.distributed.checkpoint", "async_save", None, "checkpoint_id"),
    ("safetensors.torch", "save_file", 1, "filename"),
    ("safetensors.torch", "save_model", 1, "filename"),
)
"""Module, function, and where it takes its target: the place among its arguments, if any, and the name."""


def install(watcher: Watcher) -> None:
    """Wrap every way to write a checkpoint."""
    saving = Saving(watcher)
    for module_name, function, place, name in _WRITERS:

        def wrap(
            module: ModuleType, function: str = function, place: int | None = place, name: str = name
        ) -> None:
            if hasattr(module, function):
                setattr(module, function, saving.wrapped(getattr(module, function), place, name))

        when_imported(module_name, watcher.guard(wrap))


class Saving:
    """The one save that is under way, if any."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._under_way = False

    def wrapped(self, save: Callable[..., Any], place: int | None, name: str) -> Callable[..., Any]:
        """`save`, which reports what it does."""

        @functools.wraps(save)
        def watched(*arguments: Any, **named: Any) -> Any:
            if self._under_way or not self._watcher.is_trainer:
                return save(*arguments, **named)
            target = named.get(name) if place is None or place >= len(arguments) else arguments[place]
            path = os.fspath(target) if isinstance(target, (str, os.PathLike)) else None
            self._under_way = True
            hooks = self._watcher.hooks
            begun_ns = time.perf_counter_ns()
            if path is not None:
                hooks.begin_span(CHECKPOINT, str(path))
            try:
                return save(*arguments, **named)
            finally:
                self._under_way = False
                took_ns = time.perf_counter_ns() - begun_ns
                if path is not None:
                    hooks.end_span(CHECKPOINT, str(path), _size(path))
                elif took_ns >= _LEAST_NS:
                    hooks.past_span(CHECKPOINT, took_ns, save.__qualname__)

        return watched


def _size(path: Any) -> dict[str, float]:
    try:
        return {"bytes": float(os.stat(path).st_size)} if os.path.isfile(path) else {}  # noqa: PTH113, PTH116
    except (OSError, ValueError):
        return {}
