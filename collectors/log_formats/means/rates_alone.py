"""Rows of a rate alone, as TPUEstimator prints them on a GPU: `global_step/sec: 0.25`, and no step.

How many steps lie between two of them their stamps and the rate tell together. The first comes with the second step
behind the save that a process begins with.
"""

from __future__ import annotations

from ..parsing.values import Fields, LogLine  # noqa: TC001 - the fields are made here

FEWEST = 4
"""So many in a row without a line of a loss between them: no such line comes."""

EXACT = 0.1
"""Of a step: so closely the stamps and the rate tell of a whole number."""


class Rated:
    """The steps of such rows. Where a line of a loss comes, those tell of the steps."""

    def __init__(self) -> None:
        self._step: float | None = None  # of the newest row, or that before which the first one lies
        self._before_s: float | None = None
        self._steps = 1  # from the row before to the newest
        self._held: list[tuple[float, LogLine]] = []
        self._count = 0
        self._is_off = False

    def begins(self, step: float) -> None:
        """A save: the first of a process is at the step that it begins with."""
        if not (self._count or self._held):
            self._step = step + 1

    def drop(self) -> None:
        """A line of a loss."""
        self._held, self._is_off = [], self._is_off or not self._count

    def rows(self, rate: float, line: LogLine) -> list[tuple[Fields, LogLine]]:
        """The rows that are sure now."""
        if self._is_off or self._step is None or not line.stamped or rate <= 0:
            return []
        self._held.append((rate, line))
        if not self._count and len(self._held) < FEWEST:
            return []
        held, self._held = self._held, []
        if not self._count:
            self._steps = self._passed(*held[1], held[0][1].at_s)
        return [(self._row(*one), one[1]) for one in held]

    def _row(self, rate: float, line: LogLine) -> Fields:
        self._steps = self._passed(rate, line, self._before_s)
        self._step = (self._step or 0.0) + self._steps
        self._before_s, self._count = line.at_s, self._count + 1
        return {"iteration": self._step, "duration_s": 1 / rate, "averaged_over": self._steps}

    def _passed(self, rate: float, line: LogLine, before_s: float | None) -> int:
        """Steps since the row before; as many as to that one where the stamps do not tell."""
        steps = self._steps if before_s is None or line.at_s is None else rate * (line.at_s - before_s)
        return round(steps) if steps >= 1 - EXACT and abs(steps - round(steps)) < EXACT else self._steps
