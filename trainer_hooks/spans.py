"""The `with` blocks of the hooks, on the training thread: each leaves a mark when it begins and when it ends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from .marks import PASSED, WAITED

if TYPE_CHECKING:
    from .mark_queue import MarkQueue


class Span:
    """A block of one kind; the values put into the dict that it gives go with its end."""

    __slots__ = ("_detail", "_kind", "_marks", "_values")

    def __init__(self, marks: MarkQueue, kind: str, detail: str = "") -> None:
        self._marks = marks
        self._kind = kind
        self._detail = detail
        self._values: dict[str, float] = {}

    def __enter__(self) -> dict[str, float]:
        self._marks.begin_span(self._kind, self._detail)
        return self._values

    def __exit__(self, *_: object) -> None:
        self._marks.end_span(self._kind, self._detail, self._values)


class Phase:
    """A phase that is timed apart: one mark, at its end. Another one inside it is taken out of it."""

    __slots__ = ("_marks", "_phase", "_since_ns")

    def __init__(self, marks: MarkQueue, phase: str) -> None:
        self._marks = marks
        self._phase = phase

    def __enter__(self) -> None:
        if not self._marks.begun:
            self._marks.begin()
        self._since_ns = time.perf_counter_ns()

    def __exit__(self, *_: object) -> None:
        self._marks.put((PASSED, time.perf_counter_ns(), self._phase, self._since_ns))


class Wait:
    """Waiting for data, which happens for every batch: one object for all of them, and one mark, at the end.

    A wait inside another is part of that one.
    """

    __slots__ = ("_inner", "_marks")

    def __init__(self, marks: MarkQueue) -> None:
        self._marks = marks
        self._inner = 0

    def begin(self, since_ns: int = 0) -> None:
        """The trainer waits, from now on or `since_ns`."""
        marks = self._marks
        if marks.waiting_since_ns is not None:
            self._inner += 1
            return
        if not marks.begun:
            marks.begin()
            since_ns = 0
        marks.waiting_since_ns = since_ns or time.perf_counter_ns()

    def end(self, *_: object) -> None:
        """It has got its batch; nothing happens where it did not wait."""
        if self._inner:
            self._inner -= 1
            return
        marks = self._marks
        since_ns, marks.waiting_since_ns = marks.waiting_since_ns, None
        if since_ns is not None:
            marks.put((WAITED, time.perf_counter_ns(), since_ns))

    __enter__ = begin
    __exit__ = end
