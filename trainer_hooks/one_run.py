"""One process, one run: whoever tells of the training, the script, a callback or the automatic mode.

`itermon run --hooks` watches whatever trains, and cannot know whether the script has hooks of its own. Where it
has, they tell of the loop; what the automatic mode sees beside it (compilations, checkpoints) goes to them, and
what it has seen before is the beginning of their run.

A training that is over is no run's end: an evaluation and a last checkpoint follow. The run ends with its process,
or when another training begins.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Protocol

from ..events import EndReason

if TYPE_CHECKING:
    from collections.abc import Callable

    from .emitter import Emitter


class Hooks(Protocol):
    """What is needed of `hooks.Hooks` here, which themselves need this module."""

    @property
    def alive(self) -> bool:
        """Does anything that is put in still arrive?"""

    def close(self, reason: EndReason) -> None:
        """End the run."""


_newest: weakref.ref[Hooks] | None = None
_over: dict[Hooks, EndReason] = {}
_automatic: Callable[[Any], Emitter | None] | None = None


def begins(hooks: Hooks) -> Emitter | None:
    """`hooks` are made, and another run begins; returns what has taken the marks of this one until now, if any."""
    global _newest  # noqa: PLW0603 - of the process
    _newest = weakref.ref(hooks)
    while _over:
        hooks_before, reason = _over.popitem()
        hooks_before.close(reason)
    return _automatic(hooks) if _automatic is not None else None


def is_over(hooks: Hooks, reason: EndReason = EndReason.FINISHED) -> None:
    """The training of `hooks` is over, and they stay open for what comes after it.

    `reason` is how their run ends if another training follows; else it ends as its process does.
    """
    _over[hooks] = reason


def watch(take: Callable[[Any], Emitter | None]) -> None:
    """The automatic mode asks to be told of hooks: of those that are there already, and of all others."""
    global _automatic  # noqa: PLW0603
    _automatic = take
    hooks = _newest() if _newest is not None else None
    if hooks is not None and hooks.alive:
        take(hooks)
