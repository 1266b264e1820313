"""What a tracker has of its run, ready to be put beside a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ....events import (
    Config,
    End,
    Event,
    GpuSample,
    HostSample,
    Iteration,
    Iterations,
    PrintedLoss,
    RunInfo,
    expand,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST = 1_000_000  # iterations, and samples
_MOST_CONFIGS = 100


class Kept:
    """Collects the events of a tracker's source."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.begin()

    def begin(self) -> None:
        """Forget all: the source begins anew."""
        self.info = RunInfo()
        self.configs: list[Config] = []
        self.end: End | None = None
        self.iterations: dict[int, Iteration] = {}
        self._samples: list[GpuSample | HostSample] = []
        self.newest_s: float | None = None
        """When the newest of it was logged or measured,"""

        self.oldest_s: float | None = None
        """and the oldest."""

    def add(self, events: Iterable[Event]) -> None:
        """Take in what the source gives. Where a run was started again, its newest values count."""
        for event in expand(events):
            match event:
                case Iteration() if len(self.iterations) < _MOST:
                    self.iterations[event.index] = event
                    self._note(event.at_s)
                case GpuSample() | HostSample() if len(self._samples) < _MOST:
                    self._samples.append(event)
                    self._note(event.at_s)
                case RunInfo():
                    self.info = event
                case Config() if len(self.configs) < _MOST_CONFIGS and event not in self.configs:
                    self.configs.append(event)
                case PrintedLoss() if event.iteration in self.iterations:
                    self.iterations[event.iteration] = _with(self.iterations[event.iteration], event)
                case End():
                    self.end = event
                    self._note(event.at_s)

    def take_samples(self) -> list[GpuSample | HostSample]:
        """What was measured since the last call, oldest first."""
        taken, self._samples = self._samples, []
        return sorted(taken, key=lambda sample: sample.at_s)

    def _note(self, at_s: float | None) -> None:
        if at_s is not None:
            self.newest_s = at_s if self.newest_s is None else max(at_s, self.newest_s)
            self.oldest_s = at_s if self.oldest_s is None else min(at_s, self.oldest_s)


def iterations_of(events: Iterable[Event], most: int) -> list[Iteration]:
    """The first iterations among `events`."""
    found: list[Iteration] = []
    for event in events:
        if isinstance(event, Iterations):
            found += event[: most - len(found)]
        elif isinstance(event, Iteration):
            found.append(event)
        if len(found) >= most:
            break
    return found


def _with(one: Iteration, more: PrintedLoss) -> Iteration:
    """The iteration with what was logged or printed of it besides."""
    loss = more.loss if one.loss is None else one.loss
    return replace(one, loss=loss, scalars=(one.scalars or {}) | (more.scalars or {}) or None)
