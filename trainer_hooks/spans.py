"""The `with` blocks of the hooks: what takes time is told when it begins and when it ends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from .timeline import BEGIN, END, WAITED

if TYPE_CHECKING:
    from .emitter import Emitter


class Span:
    """A block of one kind; the values that it is given to hold go with its end."""

    __slots__ = ("_detail", "_emitter", "_kind", "_values")

    def __init__(self, emitter: Emitter, kind: str, detail: str = "") -> None:
        self._emitter = emitter
        self._kind = kind
        self._detail = detail
        self._values: dict[str, float] = {}

    def __enter__(self) -> dict[str, float]:
        self._emitter.mark(BEGIN, self._kind, self._detail)
        return self._values

    def __exit__(self, *_: object) -> None:
        self._emitter.mark(END, self._kind, self._detail, self._values)


class Wait:
    """Waiting for data, told for every batch: one object for all of them, and one mark, when it is over.

    `since_ns` is when the wait began that is under way. Nobody waits twice at a time.
    """

    __slots__ = ("_emitter", "since_ns")

    def __init__(self, emitter: Emitter) -> None:
        self._emitter = emitter
        self.since_ns: int | None = None

    def begin(self) -> None:
        """The trainer waits from now on."""
        if not self._emitter.begun:
            self._emitter.begin()
        self.since_ns = time.perf_counter_ns()

    def end(self, *_: object) -> None:
        """It has got its batch; nothing happens where it did not wait."""
        since_ns, self.since_ns = self.since_ns, None
        if since_ns is not None:
            self._emitter.put((WAITED, time.perf_counter_ns(), since_ns))

    __enter__ = begin
    __exit__ = end
