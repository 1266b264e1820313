"""Where the iteration of a training on the CPU goes, by the wall clock: the phases of `events.PHASES`.

A GPU has its own clock (`gpu_phases.py`). Here each stamp ends the phase that it names, and a wait amid a phase,
for data or for other ranks, is taken out of it. The training thread only stamps; the seconds are the hooks'
thread's to work out.
"""

from __future__ import annotations

import time
from typing import TypeAlias

from ...events import DATA, SYNC, Phases

Stamp: TypeAlias = tuple[str, int, bool]
"""What is over, when, and whether it was a wait. Without a name: the phase goes on after the wait that begins."""

_MOST = 4096  # stamps of an iteration: a thousand micro-steps with their waits; it has no phases beyond


class HostPhases:
    """The stamps of the iteration that runs; the first of them is where it begins."""

    def __init__(self) -> None:
        self._stamps: list[Stamp] = []
        self._whole = False  # the first iteration was not seen from its beginning
        self.data = _Wait(self, DATA)
        self.sync = _Wait(self, SYNC)

    def stamp(self, phase: str, *, is_wait: bool = False) -> None:
        """What has passed since the stamp before was `phase`, but for the waits in it."""
        if len(self._stamps) < _MOST:
            self._stamps.append((phase, time.perf_counter_ns(), is_wait))

    def turn(self) -> list[Stamp] | None:
        """An iteration has just ended, with a stamp: all of its stamps, if its beginning was seen."""
        stamps = self._stamps
        self._stamps = [stamps[-1] if 0 < len(stamps) < _MOST else ("", time.perf_counter_ns(), False)]
        whole, self._whole = self._whole and len(stamps) < _MOST, True
        return stamps if whole else None


class _Wait:
    """A `with` block around a wait. Of two inside each other the outer one counts what the inner leaves."""

    __slots__ = ("_kind", "_phases")

    def __init__(self, phases: HostPhases, kind: str) -> None:
        self._phases = phases
        self._kind = kind

    def __enter__(self) -> None:
        self._phases.stamp("")

    def __exit__(self, *_: object) -> None:
        self._phases.stamp(self._kind, is_wait=True)


def phases_of(iteration: int, stamps: list[Stamp], ranks: bool) -> Phases:  # noqa: FBT001 - a mark gives it
    """The seconds by phase. With other `ranks` nothing of them may have gone to waiting."""
    ns: dict[str, int] = {SYNC: 0} if ranks else {}
    since_ns, unnamed_ns = stamps[0][1], 0  # before a wait: of the phase that the next stamp names
    for phase, at_ns, is_wait in stamps[1:]:
        passed_ns, since_ns = at_ns - since_ns, at_ns
        if not phase:
            unnamed_ns += passed_ns
            continue
        if not is_wait:
            passed_ns, unnamed_ns = passed_ns + unnamed_ns, 0
        ns[phase] = ns.get(phase, 0) + passed_ns
    return Phases(iteration, {phase: spent_ns // 1000 / 1e6 for phase, spent_ns in ns.items()}, on_host=True)
