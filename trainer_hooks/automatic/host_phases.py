"""Where the iteration of a training on the CPU goes, by the wall clock: the phases of `events.PHASES`.

A GPU has its own clock (`gpu_phases.py`). Here each stamp ends the phase that it names, and a wait amid a phase,
for data or for other ranks, is taken out of it.
"""

from __future__ import annotations

import time

from ...events import DATA, SYNC, Phases


class HostPhases:
    """Nanoseconds by phase of the iteration that runs. One without a beginning, the first, is left out."""

    def __init__(self) -> None:
        self._ns: dict[str, int] = {}
        self._since_ns: int | None = None
        self._unnamed_ns = 0  # before a wait: of the phase that the next stamp names
        self.data = _Wait(self, DATA)
        self.sync = _Wait(self, SYNC)

    def stamp(self, phase: str) -> None:
        """What has passed since the stamp before was `phase`, but for the waits in it."""
        now_ns = time.perf_counter_ns()
        if self._since_ns is not None:
            passed_ns = self._unnamed_ns + now_ns - self._since_ns
            self._unnamed_ns = 0
            self._ns[phase] = self._ns.get(phase, 0) + passed_ns
            self._since_ns = now_ns

    def pause(self) -> None:
        """A wait begins: the phase that is under way goes on after it."""
        if self._since_ns is not None:
            now_ns = time.perf_counter_ns()
            self._unnamed_ns += now_ns - self._since_ns
            self._since_ns = now_ns

    def turn(self, iteration: int, *, ranks: bool) -> Phases | None:
        """`iteration` has just ended, with a stamp. With other `ranks` nothing of it may have gone to waiting."""
        ns, self._ns = self._ns, {}
        if self._since_ns is None:
            self._since_ns = time.perf_counter_ns()
            return None
        if ranks:
            ns.setdefault(SYNC, 0)
        return Phases(iteration, {phase: spent_ns // 1000 / 1e6 for phase, spent_ns in ns.items()}, on_host=True)


class _Wait:
    """A `with` block around a wait. Of two inside each other the outer one counts what the inner leaves."""

    __slots__ = ("_kind", "_phases")

    def __init__(self, phases: HostPhases, kind: str) -> None:
        self._phases = phases
        self._kind = kind

    def __enter__(self) -> None:
        self._phases.pause()

    def __exit__(self, *_: object) -> None:
        phases = self._phases
        unnamed_ns, phases._unnamed_ns = phases._unnamed_ns, 0
        phases.stamp(self._kind)
        phases._unnamed_ns = unnamed_ns
