"""The frames of another thread. Only for the daemon thread: never from within a garbage collection.

A look is one chain of C functions, of which the evaluation loop sees one call: no other thread runs meanwhile, and
no frame is held when one does. Walked in Python, with other threads in between, the frames of a thread that went
on crashed CPython 3.11 (bench/stacks_safety.py: once in 250,000 looks).

`sys._current_frames` holds a lock of the interpreter's while it makes its objects. Before CPython 3.11.5 and 3.12
that could start a garbage collection, whose callbacks let other threads run, who wait for that lock for ever
(python/cpython#106883). So the collector is switched off within the chain.
"""

from __future__ import annotations

import gc
import os
import sys
from functools import partial
from itertools import accumulate, chain, repeat, takewhile
from operator import attrgetter, is_not, methodcaller
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

DEEPEST = 256
"""Frames that are walked: a recursion of a million is no longer than this."""

_call: Any = partial.__call__
_is_frame = partial(is_not, None)
_of_frame = attrgetter("f_code", "f_lineno")
_FRAMES = (partial(sys._current_frames),)
_SWITCH_OFF = (partial(gc.isenabled), partial(gc.disable))
_SWITCH_ON = (partial(gc.enable),)

Steps = list["tuple[CodeType, int]"]
"""What a thread is in, innermost first: each frame's code, and its line."""


def may_look() -> bool:
    """Is it safe in this Python, and wanted?"""
    if os.environ.get("ITERMON_STACKS", "") == "0" or sys.implementation.name != "cpython":
        return False
    return "t" not in getattr(sys, "abiflags", "")  # a build that can run without the interpreter's lock


def look(thread: int) -> Steps:
    """What `thread` (its `threading.get_ident()`) is in now; empty where it is no more."""
    if not gc.isenabled():
        return [*_walk(thread)]
    collects, _, *steps, _ = chain(map(_call, _SWITCH_OFF), _walk(thread), map(_call, _SWITCH_ON))
    if not collects:  # somebody has switched it off just before: they find it so
        gc.disable()
    return steps


def _walk(thread: int) -> Iterator[tuple[CodeType, int]]:
    """Its frames, from the innermost on, each let go of before the next: nothing is done before somebody asks."""
    innermost = map(methodcaller("get", thread), map(_call, _FRAMES))
    frames = accumulate(chain(innermost, repeat("f_back", DEEPEST - 1)), getattr)
    return map(_of_frame, takewhile(_is_frame, frames))
