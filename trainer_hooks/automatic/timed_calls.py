"""Logging, and copying a batch to its device: phases that are timed apart, where one call is all of them.

What is printed is timed where a line ends and where a stream is flushed; `logging` where its handlers are called;
trackers where they are given values. A batch is seen to be copied where a framework does it for the script.
`Tensor.to` and `.cuda` stay as they are: they are called for much else, in each layer at times, and who looks for
`torch.Tensor.to` in `__torch_function__` would not find it any more. `hooks.phase("host to device")` says it.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import time
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ...events import HOST_TO_DEVICE, LOGGING
from ..marks import PASSED
from .imports import wrap_when_imported

if TYPE_CHECKING:
    from collections.abc import Callable

    from .watcher import Watcher

_CALLS = (
    ("logging", "Logger.callHandlers", LOGGING),
    *(
        (module, f"SummaryWriter.add_{what}", LOGGING)
        for module in ("torch.utils.tensorboard.writer", "tensorboardX.writer")
        for what in ("scalar", "scalars", "histogram", "image", "images", "figure", "text")
    ),
    ("wandb.sdk.wandb_run", "Run.log", LOGGING),
    ("mlflow", "log_metric", LOGGING),
    ("mlflow", "log_metrics", LOGGING),
    ("trackio.run", "Run.log", LOGGING),
    ("accelerate.data_loader", "send_to_device", HOST_TO_DEVICE),
    ("lightning.fabric.wrappers", "move_data_to_device", HOST_TO_DEVICE),
    ("lightning_fabric.wrappers", "move_data_to_device", HOST_TO_DEVICE),
    ("lightning.pytorch.strategies.strategy", "Strategy.batch_to_device", HOST_TO_DEVICE),
    ("pytorch_lightning.strategies.strategy", "Strategy.batch_to_device", HOST_TO_DEVICE),
)
"""Module, function, and the phase that it is: called once for each batch or line, whatever is in it."""


def install(watcher: Watcher) -> None:
    """Wrap these, and what the two streams of this process write."""
    for module, function, phase in _CALLS:
        wrap_when_imported(module, function, functools.partial(_timed, watcher, phase), watcher.guard)
    for stream in {id(stream): stream for stream in (sys.stdout, sys.stderr)}.values():
        time_stream(watcher, stream)


def time_stream(watcher: Watcher, stream: Any) -> None:
    """Time what `stream` writes and flushes; one that cannot be changed (a process without a console) stays."""
    with contextlib.suppress(Exception):
        stream.write, stream.flush = _writing(watcher, stream.write), _timed(watcher, LOGGING, stream.flush)


def _timed(watcher: Watcher, phase: str, call: Callable[..., Any]) -> Callable[..., Any]:
    """`call`, each of which is a `phase` where it is of the thread that trains, amid its loop."""

    @functools.wraps(call)
    def watched(*arguments: Any, **named: Any) -> Any:
        hooks = watcher.hooks
        if not hooks.begun or get_ident() != watcher.trainer_thread:
            return call(*arguments, **named)
        since_ns = time.perf_counter_ns()
        try:
            return call(*arguments, **named)
        finally:
            hooks.put((PASSED, time.perf_counter_ns(), phase, since_ns))

    return watched


def _writing(watcher: Watcher, write: Callable[..., Any]) -> Callable[..., Any]:
    """`write` of a stream, timed where a line ends. As `_timed`, whose call would be a third of its cost."""

    @functools.wraps(write)
    def watched(*arguments: Any, **named: Any) -> Any:
        text, hooks = arguments[0] if arguments else "", watcher.hooks
        ends = text.__class__ is str and ("\n" in text or "\r" in text)
        if not ends or not hooks.begun or get_ident() != watcher.trainer_thread:
            return write(*arguments, **named)
        since_ns = time.perf_counter_ns()
        try:
            return write(*arguments, **named)
        finally:
            hooks.put((PASSED, time.perf_counter_ns(), LOGGING, since_ns))

    return watched
