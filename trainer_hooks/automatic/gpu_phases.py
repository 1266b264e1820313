"""The GPU's own time by phase, with CUDA: forward, backward, gradient sync, the optimizer's step.

The phases are measured by CUDA events that the GPU passes in its own time; they are read iterations later and
never waited for. Forward is what lies between two backwards; the optimizer's part is its step. The sync is what
the GPU waits for other ranks' gradients after its own are ready: before that, the exchange costs it nothing.
"""

from __future__ import annotations

import functools
import sys
from collections import deque
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_EVENTS = 64  # in an iteration: 31 micro-steps; beyond, the middle ones are left out and so is the iteration
_MOST_PENDING = 16  # iterations the GPU may lag behind the CPU before the oldest is given up


class GpuPhases:
    """Rings of GPU events: each stamp ends the phase that it names.

    `make` makes an event with `record`, `query` and `elapsed_time` (milliseconds), as `torch.cuda.Event` is;
    `capturing` says whether a CUDA graph is being captured, during which nothing may be asked.
    """

    def __init__(self, make: Callable[[], Any], capturing: Callable[[], bool]) -> None:
        self._make = make
        self._capturing = capturing
        self._free: list[Any] = []
        self._now: list[tuple[str, Any]] = []
        self._whole = False  # the first iteration was not seen from its beginning
        self._pending: deque[tuple[int, list[tuple[str, Any]]]] = deque()

    def stamp(self, phase: str) -> None:
        """The GPU is to note when it has come to the end of `phase`."""
        if len(self._now) >= _MOST_EVENTS or self._capturing():
            self._whole = False
            return
        event = self._free.pop() if self._free else self._make()
        event.record()
        self._now.append((phase, event))

    def turn(self, iteration: int) -> list[tuple[int, dict[str, float]]]:
        """`iteration` was submitted: what the GPU has finished by now, as (iteration, seconds by phase)."""
        if self._capturing() or not self._now:
            self._now, self._whole = [], False
            return []
        last = self._now[-1]
        if self._whole:
            self._pending.append((iteration, self._now))
        else:
            self._give_back(self._now[:-1])
        self._now, self._whole = [last], True
        finished = []
        while self._pending and self._pending[0][1][-1][1].query():
            done, stamps = self._pending.popleft()
            finished.append((done, _seconds(stamps)))
            self._give_back(stamps[:-1])  # the last begins the next iteration
        if len(self._pending) > _MOST_PENDING:
            self._pending.popleft()
        return finished

    def _give_back(self, stamps: list[tuple[str, Any]]) -> None:
        self._free += [event for _, event in stamps]


def _seconds(stamps: list[tuple[str, Any]]) -> dict[str, float]:
    phases: dict[str, float] = {}
    for (_, before), (phase, event) in pairwise(stamps):
        if phase:
            phases[phase] = phases.get(phase, 0.0) + before.elapsed_time(event) / 1e3
    return phases


def gpu_phases() -> GpuPhases | None:
    """`None` where there is no CUDA: then phases are absent, not zero."""
    torch: Any = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available() or not torch.cuda.is_initialized():
        return None
    return GpuPhases(
        functools.partial(torch.cuda.Event, enable_timing=True), torch.cuda.is_current_stream_capturing
    )
