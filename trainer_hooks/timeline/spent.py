"""An iteration's time by phase: each stamp ends the phase that it names, and what is timed apart is taken out.

What is timed apart has a beginning of its own: waits for data or for other ranks, logging, and the stops
(evaluations, checkpoints, compilations). One inside another is taken out of that one; of a stop only another stop
is, for its batches and its lines are its own.
"""

from __future__ import annotations

from collections import defaultdict, deque
from operator import itemgetter
from typing import TYPE_CHECKING

from ...events import BEFORE_STEP, FORWARD, OPTIMIZER, STOPPED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..marks import Stamp

MOST = 1 << 14
"""Stamps that wait: of an iteration with more, and of those of which some were lost, nothing is known."""


class Spent:
    """Nanoseconds by phase of the iteration that began at `until_ns`, which goes on to its end. In one pass: it is
    made of every iteration, in the trainer's process.

    `apart_ns` is what of it was timed apart. `is_mixed`: a backward follows a step. LBFGS has them in its step,
    and a GAN's parts have each their own.
    """

    def __init__(self, begun_ns: int) -> None:
        self.until_ns = begun_ns
        self.ns: defaultdict[str, int] = defaultdict(int)
        self.apart_ns: defaultdict[str, int] = defaultdict(int)
        self.backwards = 0
        self.is_mixed = False

    def add(self, stamps: deque[Stamp], until_ns: int, apart: list[Stamp]) -> None:
        """Take the stamps until then. Without one at its end, the optimizer's step was."""
        ns, phase, has_stepped, begun_ns = self.ns, "", False, self.until_ns
        waits: list[tuple[int, int]] = []  # in the phase that the next stamp names
        for name, at_ns, since_ns in _in_order(stamps, until_ns, apart):
            if since_ns:
                own_ns = _own_ns(waits, at_ns, max(since_ns, begun_ns))
                ns[name] += own_ns
                self.apart_ns[name] += own_ns
                continue
            phase = name
            passed_ns, begun_ns = at_ns - begun_ns, at_ns
            if waits:
                passed_ns -= sum(wait[1] for wait in waits)
                waits.clear()
            ns[phase] += passed_ns
            if phase == FORWARD:
                self.backwards += 1
                self.is_mixed |= has_stepped
            elif phase == BEFORE_STEP:
                has_stepped = True
        if phase != OPTIMIZER:
            ns[OPTIMIZER] += until_ns - begun_ns - sum(wait[1] for wait in waits)
            begun_ns = until_ns
        self.until_ns = begun_ns


def seconds_of(ns: dict[str, int]) -> dict[str, float]:
    """Whole microseconds: no more digits than they are good for."""
    return {phase: spent_ns // 1000 / 1e6 for phase, spent_ns in ns.items()}


def _in_order(stamps: deque[Stamp], until_ns: int, apart: list[Stamp]) -> Iterable[Stamp]:
    """The stamps until then, which it takes, and what else was timed apart, but for what lies in a stop."""
    ready: list[Stamp] = []
    while stamps and stamps[0][1] <= until_ns:
        ready.append(stamps.popleft())
    if not apart:
        return ready
    ready = sorted(ready + apart, key=itemgetter(1))
    stops = _outermost([(since_ns, at_ns) for name, at_ns, since_ns in apart if name in STOPPED])
    return _outside(ready, stops) if stops else ready


def _outermost(stops: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for since_ns, until_ns in sorted(stops, key=itemgetter(1)):
        while found and found[-1][0] >= since_ns:
            found.pop()
        found.append((since_ns, until_ns))
    return found


def _outside(ready: list[Stamp], stops: list[tuple[int, int]]) -> Iterable[Stamp]:
    place = 0
    for stamp in ready:
        name, at_ns, since_ns = stamp
        while place < len(stops) and stops[place][1] < at_ns:
            place += 1
        is_inside = place < len(stops) and stops[place][0] <= since_ns
        if not is_inside or name in STOPPED:
            yield stamp


def _own_ns(waits: list[tuple[int, int]], at_ns: int, since_ns: int) -> int:
    """Of a wait, what those inside it leave; it takes their place among the `waits` (since when, how long)."""
    whole_ns = own_ns = at_ns - since_ns
    while waits and waits[-1][0] >= since_ns:
        own_ns -= waits.pop()[1]
    waits.append((since_ns, whole_ns))
    return own_ns
