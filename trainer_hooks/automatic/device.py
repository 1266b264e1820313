"""On what it trains, in which precision, with how many others: reported once, when the first iteration has ended.

What the script has said of itself stays. A precision is reported where it is known: that of autocast, which is
watched in the first iteration, or of the parameters. Parameters of float32 prove nothing where something else may
compute in another precision: shards, adapters on a model of fewer bits, copies for the optimizer.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

from ..identity import world_size
from .imports import when_imported

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from .watcher import Watcher

_NAMES = {"torch.bfloat16": "bf16", "torch.float16": "fp16", "torch.float32": "fp32"}
_OTHER_PRECISIONS = ("apex", "deepspeed", "megatron", "peft", "torchao", "transformer_engine")
"""Whose parameters of float32 are not what is computed with."""


def install(watcher: Watcher) -> None:
    """Watch the first iteration."""
    first = _FirstIteration(watcher)
    watcher.on_iteration.append(first.ends)
    when_imported("torch.amp.autocast_mode", watcher.guard(first.wrap_autocast))


class _FirstIteration:
    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._autocast = ""  # the newest type that was entered
        self._unwrap: Callable[[], None] = lambda: None
        self.ends = watcher.guard(self._ends)

    def wrap_autocast(self, module: ModuleType) -> None:
        autocast = module.autocast
        enter = autocast.__enter__

        @functools.wraps(enter)
        def watched(context: Any) -> Any:
            if getattr(context, "_enabled", False) and self._watcher.is_trainer:
                self._autocast = str(getattr(context, "fast_dtype", ""))
            return enter(context)

        def unwrap() -> None:
            if autocast.__enter__ is watched:
                autocast.__enter__ = enter

        autocast.__enter__, self._unwrap = watched, unwrap

    def _ends(self) -> None:
        watcher = self._watcher
        watcher.on_iteration = [act for act in watcher.on_iteration if act is not self.ends]
        self._unwrap()
        groups = [group for optimizer in watcher.optimizers() for group in optimizer.param_groups]
        tensors = [one for group in groups for one in group["params"]]
        found: dict[str, Any] = {"world_size": world_size()}
        if tensors:
            device = tensors[0].device
            found |= of_device(device) | {"precision": self._precision(tensors, device.type)}
        given = watcher.hooks.given
        reported = {name: value for name, value in found.items() if value is not None and name not in given}
        if reported:
            watcher.hooks.config(**reported)

    def _precision(self, tensors: list[Any], device: str) -> str | None:
        if self._autocast:
            return _NAMES.get(self._autocast)
        kinds = {one.dtype for one in tensors}
        kind = _NAMES.get(str(kinds.pop())) if len(kinds) == 1 else None
        return _of_float32(device) if kind == "fp32" else kind


def of_device(device: Any) -> dict[str, Any]:
    """What `device` (a `torch.device`) is, as settings: the name of its GPU, or what it is instead of one."""
    torch: Any = sys.modules.get("torch")
    kind = getattr(device, "type", None)
    if kind != "cuda":
        return {"device": kind}
    return {"gpu_name": torch.cuda.get_device_name(device)} if torch.cuda.is_initialized() else {}


def _of_float32(device: str) -> str | None:
    if (world_size() or 1) > 1 or any(name in sys.modules for name in _OTHER_PRECISIONS):
        return None
    torch: Any = sys.modules.get("torch")
    if device == "cuda" and torch.get_float32_matmul_precision() != "highest":
        return "tf32"
    return "fp32"
