"""How this process ends, as far as its own Python knows: by an exception, or by `sys.exit` and its code.

Python tells nobody the code that `sys.exit` was given, so `sys.exit` is replaced by one that remembers it. What
ends a process from outside, `os._exit` and `raise SystemExit(1)` are not seen here; `itermon run` sees them all.
"""

from __future__ import annotations

import functools
import sys
import threading
import time
from typing import Any

from ..events import End, EndReason

_asked: tuple[int, Any] | None = None


def watch_exits() -> None:
    """Remember what the main thread gives `sys.exit`, from now on. A second call does nothing."""
    leave = sys.exit
    if hasattr(leave, "__wrapped__"):
        return

    @functools.wraps(leave)
    def watched(status: Any = None, /) -> Any:
        global _asked  # noqa: PLW0603 - a process ends once
        if threading.current_thread() is threading.main_thread():
            _asked = (time.perf_counter_ns(), status)
        leave(status)

    sys.exit = watched


def end_at_exit(newest_iteration_ns: int | None) -> End:
    """The end of a process that is about to exit.

    Args:
        newest_iteration_ns: when its newest iteration ended (`time.perf_counter_ns`): one after `sys.exit` shows
            that somebody caught that exit, and went on.
    """
    error = getattr(sys, "last_value", None)  # an exception that ended the program has just been printed
    if isinstance(error, KeyboardInterrupt):
        return End(EndReason.INTERRUPTED)
    if error is not None:
        return End(EndReason.FAILED, detail=type(error).__name__)
    if _asked is None or (newest_iteration_ns or 0) > _asked[0]:
        return End()
    return end_by_code(_asked[1])


def end_by_code(status: Any) -> End:
    """The end that `sys.exit(status)` means: `None` and 0 are success; what is no number is an error's text."""
    code = 0 if status is None else int(status) if isinstance(status, int) else 1
    if not code:
        return End(exit_code=0)
    return End(EndReason.FAILED, detail=f"exit code {code}", exit_code=code & 255)
