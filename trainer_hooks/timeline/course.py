"""How far a run has come, and its events so far: what all who make events of marks need to know."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from .spent import MOST

if TYPE_CHECKING:
    from ...events import Event
    from ..marks import Stamp

_LATELY = 64  # iterations, of which the usual time is the median


class Course:
    """`index` is the newest iteration's, and `boundary_ns` when the one that runs began; `None` before the first.

    `explained_ns` is what spans that are over have taken of the one that runs, and `lately_ns` what the newest
    iterations took without theirs.
    `unix_minus_ns` turns the marks' clock into Unix time.
    """

    def __init__(self, unix_minus_ns: int = 0) -> None:
        self.unix_minus_ns = unix_minus_ns
        self.events: list[Event] = []
        self.emit = self.events.append
        self.index: int | None = None
        self.boundary_ns: int | None = None
        self.explained_ns = 0
        self.lately_ns: deque[int] = deque(maxlen=_LATELY)
        self._apart: deque[Stamp] = deque(maxlen=MOST)

    @property
    def current(self) -> int | None:
        """The index of the iteration that runs; `None` before the first has ended."""
        return None if self.index is None else self.index + 1

    def at_s(self, at_ns: int) -> float:
        """Unix time, in microseconds: no more digits than it is good for."""
        return (at_ns + self.unix_minus_ns) // 1000 / 1e6

    def end_iteration(self, at_ns: int, index: int) -> int | None:
        """An iteration ends; returns when it began."""
        begun_ns, self.boundary_ns = self.boundary_ns, at_ns
        self.index = index
        if begun_ns is not None:
            self.lately_ns.append(at_ns - begun_ns - self.explained_ns)
        self.explained_ns = 0
        return begun_ns

    def explain(self, since_ns: int, until_ns: int) -> None:
        """A span explains this part of the iteration that runs."""
        if self.boundary_ns is not None:
            self.explained_ns += max(0, until_ns - max(since_ns, self.boundary_ns))

    def passed(self, at_ns: int, phase: str, since_ns: int) -> None:
        """A phase was timed apart; before the loop, nobody asks for it."""
        if self.boundary_ns is not None:
            self._apart.append((phase, at_ns, since_ns))

    def take_apart(self, until_ns: int) -> list[Stamp]:
        """What was timed apart until then, by when it ended."""
        taken = []
        while self._apart and self._apart[0][1] <= until_ns:
            taken.append(self._apart.popleft())
        return taken

    def begin(self, at_ns: int) -> None:
        """Something begins: the first iteration's clock runs, if it does not yet."""
        if self.boundary_ns is None:
            self.boundary_ns = at_ns
