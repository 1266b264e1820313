"""Checkpoints: every function that writes one. Only the outermost of nested ones counts.

`from torch import save` done before `watch()` escapes: call `watch()` first, or use `with hooks.checkpoint()`.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import time
from typing import TYPE_CHECKING, Any

from ...events import CHECKPOINT, DRAIN
from .imports import wrap_when_imported

if TYPE_CHECKING:
    from collections.abc import Callable

    from .watcher import Watcher

_LEAST_NS = 10_000_000
"""What goes to no file (a buffer, to be sent to other ranks) is a checkpoint only if it takes this long."""

_MOST_FILES = 1_000  # of a folder that are looked at for their size
_CLOCKS_S = 2.0  # by which a file system's clock may be behind ours

_WRITERS = (
    ("torch", "save", 1, "f"),
    ("torch.distributed.checkpoint", "save", None, "checkpoint_id"),
    ("torch.distributed.checkpoint", "async_save", None, "checkpoint_id"),
    ("safetensors.torch", "save_file", 1, "filename"),
    ("safetensors.torch", "save_model", 1, "filename"),
    ("transformers.modeling_utils", "PreTrainedModel.save_pretrained", 1, "save_directory"),
    ("transformers.tokenization_utils_base", "PreTrainedTokenizerBase.save_pretrained", 1, "save_directory"),
    ("transformers.processing_utils", "ProcessorMixin.save_pretrained", 1, "save_directory"),
    ("transformers.trainer", "Trainer._save_checkpoint", None, ""),
    ("transformers.trainer", "Trainer.save_model", 1, "output_dir"),
    ("peft.peft_model", "PeftModel.save_pretrained", 1, "save_directory"),
    ("accelerate.accelerator", "Accelerator.save_state", 1, "output_dir"),
    ("accelerate.accelerator", "Accelerator.save_model", 2, "save_directory"),
    ("deepspeed.runtime.engine", "DeepSpeedEngine.save_checkpoint", 1, "save_dir"),
    ("lightning.pytorch.trainer.trainer", "Trainer.save_checkpoint", 1, "filepath"),
    ("lightning.fabric.fabric", "Fabric.save", 1, "path"),
    ("lightning.fabric.plugins.io.torch_io", "TorchCheckpointIO.save_checkpoint", 2, "path"),
    ("pytorch_lightning.trainer.trainer", "Trainer.save_checkpoint", 1, "filepath"),
    ("lightning_fabric.fabric", "Fabric.save", 1, "path"),
    ("lightning_fabric.plugins.io.torch_io", "TorchCheckpointIO.save_checkpoint", 2, "path"),
)
"""Module, function, and where it takes its target: the place among its arguments, if any, and the name.

A method's own object is the first argument. Without a name, what it calls says where it all goes.
"""


def install(watcher: Watcher, *, of: tuple[str, ...] = ()) -> None:
    """Wrap every way to write a checkpoint; with `of`, those of these packages alone."""
    saving = Saving(watcher)
    for module_name, function, place, name in _WRITERS:
        if not of or module_name.startswith(of):
            wrap = functools.partial(saving.wrapped, place=place, name=name)
            wrap_when_imported(module_name, function, wrap, watcher.guard)


class Saving:
    """The one save that is under way, if any."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._under_way = False
        self._inner: str | None = None  # where the first of those inside it writes

    def wrapped(self, save: Callable[..., Any], place: int | None, name: str) -> Callable[..., Any]:
        """`save`, which reports what it does."""

        @functools.wraps(save)
        def watched(*arguments: Any, **named: Any) -> Any:
            if not self._watcher.is_trainer:
                return save(*arguments, **named)
            target = named.get(name) if place is None or place >= len(arguments) else arguments[place]
            path = _path_of(target)
            if self._under_way:
                self._inner = self._inner or path
                return save(*arguments, **named)
            return self._outermost(functools.partial(save, *arguments, **named), path, always=not name)

        return watched

    def _outermost(self, save: functools.partial[Any], path: str | None, *, always: bool) -> Any:
        hooks = self._watcher.hooks
        self._under_way, self._inner, result = True, None, None
        begun_ns, begun_s = time.perf_counter_ns(), time.time()
        self._watcher.saved_ns = begun_ns
        if path is not None or always:
            hooks.begin_span(CHECKPOINT, path or "")
        try:
            result = save()
        finally:
            self._under_way = False
            took_ns = time.perf_counter_ns() - begun_ns
            where = path or (result if isinstance(result, str) else None) or self._inner
            if path is not None or always:
                hooks.end_span(CHECKPOINT, where or "", _size(where or "", begun_s))
            elif where is not None or took_ns >= _LEAST_NS:
                hooks.past_span(CHECKPOINT, took_ns, where or getattr(save.func, "__qualname__", ""))
        self._report_drain(result, path or "")
        return result

    def _report_drain(self, result: Any, path: str) -> None:
        """What is still being written when the training goes on: its end is seen in another thread."""
        future = getattr(result, "upload_completion", result)
        if hasattr(future, "add_done_callback"):
            hooks, since_ns = self._watcher.hooks, time.perf_counter_ns()
            future.add_done_callback(lambda _: hooks.past_span(DRAIN, time.perf_counter_ns() - since_ns, path))


def _size(path: str, since_s: float) -> dict[str, float]:
    """Of the file; of a folder, what has been written into it `since_s` (Unix time)."""
    try:
        if os.path.isfile(path):  # noqa: PTH113
            return {"bytes": float(os.stat(path).st_size)}  # noqa: PTH116
        written = [about.st_size for about in _files_in(path) if about.st_mtime >= since_s - _CLOCKS_S]
    except (OSError, ValueError):
        return {}
    return {"bytes": float(sum(written))} if written else {}


def _path_of(target: Any) -> str | None:
    """Of the file that is written: a path, or a file that is open for writing; a buffer has none."""
    if isinstance(target, (str, os.PathLike)):
        return str(os.fspath(target))
    name = None
    if isinstance(target, io.BufferedWriter):
        with contextlib.suppress(ValueError):  # detached from its file
            name = getattr(target, "name", None)
    return name if isinstance(name, str) else None


def _files_in(folder: str) -> list[os.stat_result]:
    """Those in `folder` and in the folders below it, unless they are too many."""
    found: list[os.stat_result] = []
    folders = [folder]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    found.append(entry.stat())
                if len(found) + len(folders) > _MOST_FILES:
                    return []
    return found
