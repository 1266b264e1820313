"""What an iteration is made of: stamps of the training thread, of which the hooks' thread makes the rest.

Each stamp ends the phase that it names (`events.PHASES`), and a wait amid a phase, for data or for other ranks, is
taken out of it. Of a training on the CPU that is where its time goes; a GPU has its own clock (`gpu_phases.py`).
How many backwards there are is how many micro-steps an iteration has, whatever the device.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, TypeAlias

from ...events import BACKWARD, BEFORE_STEP, FORWARD, OPTIMIZER, SYNC, Config, Phases

if TYPE_CHECKING:
    from ...events import Event

Stamp: TypeAlias = tuple[str, int, int]
"""What is over and when; of a wait, since when it lasted, else 0: since the phase before."""

_MOST = 1 << 14  # that wait: of an iteration with more, and of those of which some were lost, nothing is known


class Stamps:
    """Those since the newest iteration that the hooks' thread has seen.

    The training thread appends to `waiting`, which is bounded by itself: a call of ours for each would be much of
    what a stamp costs. It says `on_host` where the host's clock tells of the device, `ranks` that there are
    others, `counts` that nobody else counts the micro-steps. The rest is the hooks' thread's.
    """

    def __init__(self) -> None:
        self.waiting: deque[Stamp] = deque(maxlen=_MOST)
        self.on_host = self.ranks = False
        self.counts = True
        self.usual: int | None = None  # micro-steps of an iteration
        self._last = 0
        self._begun_ns: int | None = None  # the iteration that runs; `None`: nobody saw it

    def stamp(self, phase: str) -> None:
        """What has passed since the phase before was `phase`, but for the waits in it."""
        self.waiting.append((phase, time.perf_counter_ns(), 0))

    def waited(self, kind: str, since_ns: int) -> None:
        """A wait is over."""
        self.waiting.append((kind, time.perf_counter_ns(), since_ns))

    def of(self, iteration: int, until_ns: int) -> list[Event]:
        """What is known of the `iteration` that ended at `until_ns`, and after all before it."""
        waiting, stamps = self.waiting, []
        is_whole = len(waiting) < _MOST
        while waiting and waiting[0][1] <= until_ns:
            stamps.append(waiting.popleft())
        if not stamps or stamps[-1][0] != OPTIMIZER:
            stamps.append((OPTIMIZER, until_ns, 0))
        begun_ns, self._begun_ns = self._begun_ns, stamps[-1][1]
        if not is_whole:
            self._last = 0
            return []
        events: list[Event] = []
        if self.counts and self._is_new_rule(stamps):
            events.append(Config(origin="hook", gradient_accumulation=self.usual))
        if self.on_host and begun_ns is not None:
            ns = _spent_ns(begun_ns, stamps)
            if self.ranks:  # nothing of it may have gone to waiting
                ns.setdefault(SYNC, 0)
            seconds = {phase: spent_ns // 1000 / 1e6 for phase, spent_ns in ns.items()}
            events.append(Phases(iteration, seconds, on_host=True))
        return events

    def under_way(self) -> tuple[int, int] | None:
        """How many micro-steps of the iteration that runs are done, and when the newest was; `None` before one."""
        done = at_ns = 0
        for phase, stamped_ns, _ in self.waiting.copy() if self.counts else ():
            if phase == BEFORE_STEP:
                break
            if phase == BACKWARD:
                done, at_ns = done + 1, stamped_ns
        return (done, at_ns) if done else None

    def _is_new_rule(self, stamps: list[Stamp]) -> bool:
        """Twice the same number of micro-steps is the rule, not an exception."""
        done, has_stepped = 0, False
        for phase, _, _ in stamps:
            if phase == FORWARD:
                if has_stepped:  # LBFGS goes backward in its step, and a GAN's parts have each their own
                    self._last, self.usual = 0, None
                    return False
                done += 1
            elif phase == BEFORE_STEP:
                has_stepped = True
        last, self._last = self._last, done
        if done == self.usual or not done or done != last:
            return False
        self.usual = done
        return True


def _spent_ns(begun_ns: int, stamps: list[Stamp]) -> dict[str, int]:
    """By phase. Of two waits inside each other the outer one counts what the inner leaves."""
    ns: dict[str, int] = {}
    waits: list[tuple[int, int]] = []  # in the phase that the next stamp names: since when each lasted, how long
    for phase, at_ns, since_ns in stamps:
        if since_ns:
            inside = [wait for wait in waits if wait[0] >= since_ns]
            whole_ns = at_ns - max(since_ns, begun_ns)
            spent_ns = whole_ns - sum(wait[1] for wait in inside)
            waits = [*waits[: len(waits) - len(inside)], (since_ns, whole_ns)]
        else:
            spent_ns = at_ns - begun_ns
            if waits:
                spent_ns -= sum(wait[1] for wait in waits)
                waits = []
            begun_ns = at_ns
        ns[phase] = ns.get(phase, 0) + spent_ns
    return ns
