"""An iteration's time by phase, where hooks stamped it, by the GPU's clock or on the CPU by the wall's.

One phase ends where the next begins, so a forward pass of a GPU that waited for its data is long too.
"""

from __future__ import annotations

from itertools import islice
from statistics import median
from typing import TYPE_CHECKING

from ...events import PHASES
from ..findings import GpuPhase

if TYPE_CHECKING:
    from ...events import Phases

KEPT = 1024
"""Iterations whose phases are kept, for whoever looks at one of them."""

USUAL = 64
"""The newest ones, whose medians are the usual times: labels are final after as many."""


class GpuPhases:
    """Seconds by phase of the newest iterations, by their index; in the order of an iteration."""

    def __init__(self) -> None:
        self._newest: dict[int, dict[str, float]] = {}
        self.on_host = False  # by the wall clock of a training on the CPU

    def add(self, event: Phases) -> None:
        """Take in the phases of an iteration: they come when the GPU has passed it."""
        self.on_host = event.on_host
        phases = {phase: event.phases[phase] for phase in PHASES if phase in event.phases}
        if phases:
            self._newest[event.iteration] = phases
        if len(self._newest) > KEPT:
            del self._newest[next(iter(self._newest))]

    def clear(self) -> None:
        """Another process begins, which may count from where the last one did."""
        self._newest.clear()

    def usual_s(self) -> dict[str, float]:
        """The median of each phase; empty where none is reported."""
        newest = list(islice(reversed(self._newest.values()), USUAL))
        newest_s = {phase: [of[phase] for of in newest if phase in of] for phase in PHASES}
        return {phase: median(seconds) for phase, seconds in newest_s.items() if seconds}

    def of(self, index: int) -> tuple[GpuPhase, ...]:
        """Those of iteration `index`; empty where they are not known (any more)."""
        phases = self._newest.get(index)
        if phases is None:
            return ()
        usual_s = self.usual_s()
        return tuple(
            GpuPhase(phase, seconds, usual_s.get(phase), self.on_host)
            for phase, seconds in phases.items()
            if seconds
        )
