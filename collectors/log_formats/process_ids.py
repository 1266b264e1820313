"""Whose line it is, where a logger's prefix says so: another id whose counter jumps is another process.

I0301 10:00:06.250000  5674 solver.cpp:218] Iteration 900, loss = 0.25      glog
I20250301 10:00:06.250000  5674 solver.cpp:218] Iteration 900, loss = 0.25
[pid 5674] iteration 900 loss 0.25
"""

from __future__ import annotations

from ..patterns import lazy_pattern

FAR = 10
"""Another process counts on from so many rows later: those between are not in the log."""

_GLOG = lazy_pattern(r"[IWEF](?:20\d\d)?\d{4} \d\d:\d\d:\d\d\.\d{1,9} {1,7}(\d{1,10}) ")
_PID = lazy_pattern(r"(?i)\bpid[ =:]{1,2}(\d{1,10})\b")
_PREFIX = 100


class ProcessIds:
    """Sees the rows of one log. Their ids are looked at only where the counter jumps: it costs each row next to nothing."""

    def __init__(self) -> None:
        self._before = ""  # the newest row
        self._step = 0  # from the one before it

    def jumps(self, text: str, index: int, last: int | None) -> bool:
        """Is `text`, the row of iteration `index` behind that of `last`, of another process that counts from elsewhere?"""
        usual, self._step = self._step, 0 if last is None else index - last
        before, self._before = self._before, text
        if not 0 < FAR * usual < self._step:
            return False
        ids = process_of(before), process_of(text)
        jumps = None not in ids and ids[0] != ids[1]
        if jumps:
            self._step = 0
        return jumps


def process_of(text: str) -> str | None:
    """The id in the prefix of a line."""
    if text[:1] in "IWEF" and (found := _GLOG.match(text)):
        return found[1]
    front = text[:_PREFIX]
    if ("pid" in front or "PID" in front) and (found := _PID.search(front)):
        return found[1]
    return None
