"""What runs inside somebody else's training must not raise: its faults become warnings in the run."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

from ..events import Message, Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from .mark_queue import MarkQueue

_ANY_NUMBER = 4  # `inspect.CO_VARARGS`; that module takes 10 ms to import
_without_hooks: set[str] = set()  # where a fault was printed, for there were no hooks to report it


def guarded(act: Callable[..., None], marks: Callable[[], MarkQueue]) -> Callable[..., None]:
    """`act`, which takes no arguments by name and cannot raise: its faults are reported to `marks()`."""

    def safe(*arguments: Any) -> None:
        try:
            act(*arguments)
        except Exception as error:  # noqa: BLE001 - the trainer comes first
            _report(act, error, marks())

    # In every iteration: to take and hand on any arguments costs three times as much as to name them.
    def safe_without() -> None:
        try:
            act()
        except Exception as error:  # noqa: BLE001
            _report(act, error, marks())

    def safe_with_one(argument: Any) -> None:
        try:
            act(argument)
        except Exception as error:  # noqa: BLE001
            _report(act, error, marks())

    def safe_with_three(first: Any, second: Any, third: Any) -> None:
        try:
            act(first, second, third)
        except Exception as error:  # noqa: BLE001
            _report(act, error, marks())

    by_count: dict[int | None, Callable[..., None]] = {0: safe_without, 1: safe_with_one, 3: safe_with_three}
    made: Callable[..., None] = functools.wraps(act)(by_count.get(_count(act), safe))
    return made


def _count(act: Callable[..., None]) -> int | None:
    """How many arguments it takes; `None` where that is not fixed."""
    code = getattr(act, "__code__", None)
    if code is None or code.co_flags & _ANY_NUMBER or getattr(act, "__defaults__", None):
        return None
    return int(code.co_argcount - hasattr(act, "__self__"))


def guarded_method(method: Callable[..., None]) -> Callable[..., None]:
    """A method of a callback that keeps its hooks in `self.hooks` (`None` until the training begins)."""

    @functools.wraps(method)
    def safe(self: Any, *arguments: Any, **named: Any) -> None:
        try:
            method(self, *arguments, **named)
        except Exception as error:  # noqa: BLE001 - the trainer comes first
            if self.hooks is not None:
                _report(method, error, self.hooks)
            else:
                # With its module: the callbacks of several frameworks have one name.
                _print(f"{method.__module__}.{method.__qualname__}", f"{type(error).__name__}: {error}")

    return safe


def _report(act: Callable[..., None], error: Exception, marks: MarkQueue) -> None:
    """A warning in the run; the same one is shown once."""
    text = f"a hook of itermon failed ({act.__qualname__}): {type(error).__name__}: {error}"
    marks.emit(Message(text=text[:500], level=Severity.WARNING))


def _print(where: str, fault: str) -> None:
    """Without a run to report it to: once where the trainer prints, or nobody would know why there is no run."""
    if where not in _without_hooks:
        _without_hooks.add(where)
        print(f"itermon: no hooks in this training ({where}): {fault}", file=sys.stderr)  # noqa: T201
