"""An iteration's time by phase, where hooks stamped it, by the GPU's clock or on the CPU by the wall's.

One phase ends where the next begins, so a forward pass of a GPU that waited for its data is long too. Beside them
the host's clock may say some phases alone (logging, an evaluation).
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


OFTEN = 0.5
"""A phase that fewer iterations have is none of the usual one: an evaluation, a line each tenth time."""


class GpuPhases:
    """Seconds by phase of the newest iterations, by their index; in the order of an iteration."""

    def __init__(self) -> None:
        self._whole = _Newest()
        self._some = _Newest()
        self.on_host = False  # the whole ones are by the wall clock, of a training on the CPU

    def add(self, event: Phases) -> None:
        """Take in the phases of an iteration: they come when the GPU has passed it."""
        if event.whole:
            self.on_host = event.on_host
        (self._whole if event.whole else self._some).add(event)

    def clear(self) -> None:
        """Another process begins, which may count from where the last one did."""
        self._whole.of.clear()
        self._some.of.clear()

    def usual_s(self) -> dict[str, float]:
        """The median of each phase of whole iterations; empty where none is reported."""
        return self._whole.usual_s()

    def on_host_s(self) -> dict[str, float]:
        """The same of all that the host's clock says."""
        return self._whole.usual_s() if self.on_host else self._some.usual_s()

    def of(self, index: int) -> tuple[GpuPhase, ...]:
        """Those of iteration `index`; empty where they are not known (any more)."""
        return (*self._whole.phases_of(index, on_host=self.on_host), *self._some.phases_of(index, on_host=True))


class _Newest:
    """Of one clock."""

    def __init__(self) -> None:
        self.of: dict[int, dict[str, float]] = {}

    def add(self, event: Phases) -> None:
        phases = {phase: event.phases[phase] for phase in PHASES if phase in event.phases}
        if phases:
            self.of[event.iteration] = phases
        if len(self.of) > KEPT:
            del self.of[next(iter(self.of))]

    def usual_s(self, least: float = OFTEN) -> dict[str, float]:
        newest = list(islice(reversed(self.of.values()), USUAL))
        newest_s = {phase: [of[phase] for of in newest if phase in of] for phase in PHASES}
        return {phase: median(s) for phase, s in newest_s.items() if s and len(s) >= least * len(newest)}

    def phases_of(self, index: int, *, on_host: bool) -> tuple[GpuPhase, ...]:
        phases = self.of.get(index)
        if phases is None:
            return ()
        usual_s = self.usual_s(least=0.0)  # of an evaluation, what the others took
        return tuple(
            GpuPhase(phase, seconds, usual_s.get(phase), on_host) for phase, seconds in phases.items() if seconds
        )
