"""How far a run has come, and its events so far: what all who make events of marks need to know."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...events import Event


class Course:
    """`index` is the newest iteration's, and `boundary_ns` when the one that runs began; `None` before the first.

    `unix_minus_ns` turns the marks' clock into Unix time.
    """

    def __init__(self, unix_minus_ns: int = 0) -> None:
        self.unix_minus_ns = unix_minus_ns
        self.events: list[Event] = []
        self.emit = self.events.append
        self.index: int | None = None
        self.boundary_ns: int | None = None

    @property
    def current(self) -> int | None:
        """The index of the iteration that runs; `None` before the first has ended."""
        return None if self.index is None else self.index + 1

    def at_s(self, at_ns: int) -> float:
        """Unix time, in microseconds: no more digits than it is good for."""
        return (at_ns + self.unix_minus_ns) // 1000 / 1e6

    def begin(self, at_ns: int) -> None:
        """Something begins: the first iteration's clock runs, if it does not yet."""
        if self.boundary_ns is None:
            self.boundary_ns = at_ns
