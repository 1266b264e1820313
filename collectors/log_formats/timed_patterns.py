"""Patterns of a user's own, which may take for ever on some line: each search has a time limit.

Python's `re` cannot be stopped, and holds up every thread; `regex`, which reads the same patterns, can. It takes 2 to 3
times as long for a line, so the built-in formats, whose patterns are linear (`bench/hostile_lines.py`), do without it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ...words import duration
from .parsing.grammar import as_written, compile_pattern

if TYPE_CHECKING:
    import re

LIMIT_S = 0.1
"""For one line of at most 4,096 characters: a thousand times what a pattern takes that does not try again and again."""

MOST_TIMEOUTS = 3
"""Lines that may take too long; then the pattern is left out: a log of such lines would never be read."""

_reports: list[str] = []


class TimedPattern:
    """A compiled pattern of a format, as far as formats use it."""

    def __init__(self, format_name: str, pattern: str) -> None:
        import regex  # noqa: PLC0415 - 40 ms, for those who have formats of their own

        plain = compile_pattern(pattern)  # its errors are those that people know
        self._name = format_name
        self._shown = as_written(plain)
        self._compiled: Any = regex.compile(plain.pattern, regex.VERSION0)
        self._timeouts = 0
        self.pattern, self.groupindex = plain.pattern, plain.groupindex

    def search(self, text: str) -> re.Match[str] | None:
        """As `re.Pattern.search`; `None` also where there is no answer within the limit."""
        if self._timeouts >= MOST_TIMEOUTS:
            return None
        began_s = time.monotonic()
        try:
            return self._compiled.search(text, timeout=LIMIT_S)  # type: ignore[no-any-return]
        except TimeoutError:
            self._timeouts += 1
            self._report(text, time.monotonic() - began_s)
            return None

    def _report(self, text: str, spent_s: float) -> None:
        what = f"format {self._name}: the pattern {self._shown[:200]!r} took more than {duration(spent_s)}"
        if self._timeouts == 1:
            _reports.append(
                f"{what} on a line ({text[:60]!r}): the line is left out; repeats inside repeats are slow"
            )
        elif self._timeouts == MOST_TIMEOUTS:
            _reports.append(f"{what} on {MOST_TIMEOUTS} lines: the pattern is left out, the others are read")


def new_reports() -> list[str]:
    """What was too slow since the last question."""
    found = _reports[:]
    _reports.clear()
    return found
