"""The frames of another thread. Only for the daemon thread: never from within a garbage collection.

`sys._current_frames` holds a lock of the interpreter's while it makes its objects. Before CPython 3.11.5 and 3.12
that could start a garbage collection, whose callbacks let other threads run, who wait for that lock for ever
(python/cpython#106883). So the collector is switched off meanwhile, in calls between which no thread can run: a
chain of C functions, of which the evaluation loop sees one.
"""

from __future__ import annotations

import gc
import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType, FrameType

DEEPEST = 256
"""Frames that are walked: a recursion of a million is no longer than this."""

_call: Any = partial.__call__
_STEPS = (partial(gc.isenabled), partial(gc.disable), partial(sys._current_frames), partial(gc.enable))

Steps = list["tuple[CodeType, int]"]
"""What a thread is in, innermost first: each frame's code, and its line."""


def may_look() -> bool:
    """Is it safe in this Python, and wanted?"""
    if os.environ.get("ITERMON_STACKS", "") == "0" or sys.implementation.name != "cpython":
        return False
    return "t" not in getattr(sys, "abiflags", "")  # a build that can run without the interpreter's lock


def look(thread: int) -> Steps:
    """What `thread` (its `threading.get_ident()`) is in now; empty where it is no more. Keeps no frame alive."""
    steps: Steps = []
    frame = _frames().get(thread)
    while frame is not None and len(steps) < DEEPEST:
        steps.append((frame.f_code, frame.f_lineno or 0))
        frame = frame.f_back
    return steps


def _frames() -> dict[int, FrameType]:
    if not gc.isenabled():
        return sys._current_frames()
    collects, _, frames, _ = map(_call, _STEPS)
    if not collects:  # somebody has switched it off in between: they find it so
        gc.disable()
    return frames  # type: ignore[no-any-return]
