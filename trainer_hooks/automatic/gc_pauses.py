"""Pauses of Python's garbage collection: full ones take 200 ms in a process that has imported torch."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, Any

from ...events import GC

if TYPE_CHECKING:
    from .watcher import Watcher

_LEAST_NS = 1_000_000  # shorter ones are many, and nobody's spike


def install(watcher: Watcher) -> None:
    """Time every collection but those of the youngest generation."""
    begun_ns = 0

    def collected(phase: str, about: dict[str, Any]) -> None:
        nonlocal begun_ns
        if about["generation"] == 0:
            return
        now_ns = time.perf_counter_ns()
        if phase == "start":
            begun_ns = now_ns
        elif now_ns - begun_ns >= _LEAST_NS and watcher.started:
            detail = f"generation {about['generation']}, {about['collected']:,} objects freed"
            watcher.hooks.past_span(GC, now_ns - begun_ns, detail)

    gc.callbacks.append(collected)
