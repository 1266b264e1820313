"""What runs inside somebody else's training must not raise: its faults become warnings in the run."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

from ..events import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from .emitter import Emitter


def guarded(act: Callable[..., None], emitter: Callable[[], Emitter]) -> Callable[..., None]:
    """`act`, which cannot raise."""

    @functools.wraps(act)
    def safe(*arguments: Any, **named: Any) -> None:
        try:
            act(*arguments, **named)
        except Exception as error:  # noqa: BLE001 - the trainer comes first
            tell(act, error, emitter())

    return safe


def guarded_method(method: Callable[..., None]) -> Callable[..., None]:
    """A method of a callback that keeps its hooks in `self.hooks` (`None` until the training begins)."""

    @functools.wraps(method)
    def safe(self: Any, *arguments: Any, **named: Any) -> None:
        try:
            method(self, *arguments, **named)
        except Exception as error:  # noqa: BLE001 - the trainer comes first
            if self.hooks is not None:
                tell(method, error, self.hooks)
            else:
                _say(method.__qualname__, f"{type(error).__name__}: {error}")

    return safe


_said: set[str] = set()


def _say(where: str, fault: str) -> None:
    """There is no run to tell it: said once where the trainer prints, or nobody would know why there is none."""
    if where not in _said:
        _said.add(where)
        print(f"itermon: no hooks in this training ({where}): {fault}", file=sys.stderr)  # noqa: T201


def tell(act: Callable[..., None], error: Exception, emitter: Emitter) -> None:
    """A warning in the run; the same one is told once."""
    text = f"a hook of itermon failed ({act.__qualname__}): {type(error).__name__}: {error}"
    emitter.event(Message(text=text[:500], level="warning"))
