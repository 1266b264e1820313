"""What an iteration is made of: stamps of the training thread, of which the hooks' thread makes the rest.

Each stamp ends the phase that it names (`events.PHASES`), and a wait amid a phase, for data or for other ranks, is
taken out of it. Of a training on the CPU that is where its time goes; a GPU has its own clock (`gpu_phases.py`).
How many backwards there are is how many micro-steps an iteration has, whatever the device.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from typing import TYPE_CHECKING, TypeAlias

from ...events import BACKWARD, BEFORE_STEP, DATA, FORWARD, OPTIMIZER, SYNC, Config, Phases

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

    def newest_wait_ns(self) -> int:
        """Since when the newest wait for data was; 0 where anything was done after it: a backward, a step."""
        try:
            kind, _, since_ns = self.waiting[-1]
        except IndexError:
            return 0
        return since_ns if kind == DATA else 0

    def of(self, iteration: int, until_ns: int) -> list[Event]:
        """What is known of the `iteration` that ended at `until_ns`, and after all before it."""
        is_whole = len(self.waiting) < _MOST
        spent = _Spent(self._begun_ns or 0)
        spent.add(self.waiting, until_ns)
        was_seen, self._begun_ns = self._begun_ns is not None, spent.until_ns
        if not is_whole:
            self._last = 0
            return []
        events: list[Event] = []
        if self.counts and self._is_new_rule(spent):
            events.append(Config(origin="hook", gradient_accumulation=self.usual))
        if self.on_host and was_seen:
            seconds = {phase: spent_ns // 1000 / 1e6 for phase, spent_ns in spent.ns.items()}
            if self.ranks:  # nothing of it may have gone to waiting
                seconds.setdefault(SYNC, 0.0)
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

    def _is_new_rule(self, spent: _Spent) -> bool:
        """Twice the same number of micro-steps is the rule, not an exception."""
        if spent.is_mixed:
            self._last, self.usual = 0, None
            return False
        last, self._last = self._last, spent.backwards
        if last == self.usual or not last or last != self._last:
            return False
        self.usual = last
        return True


class _Spent:
    """Nanoseconds by phase of the iteration that began at `until_ns`, which goes on to its end. In one pass: it is
    made of every iteration, in the trainer's process.

    `is_mixed`: a backward follows a step. LBFGS has them in its step, and a GAN's parts have each their own.
    """

    def __init__(self, begun_ns: int) -> None:
        self.until_ns = begun_ns
        self.ns: defaultdict[str, int] = defaultdict(int)
        self.backwards = 0
        self.is_mixed = False

    def add(self, stamps: deque[Stamp], until_ns: int) -> None:
        """Take the stamps until then. Without one at its end, the optimizer's step was."""
        ns, phase, has_stepped, begun_ns = self.ns, "", False, self.until_ns
        waits: list[tuple[int, int]] = []  # in the phase that the next stamp names
        while stamps and stamps[0][1] <= until_ns:
            phase, at_ns, since_ns = stamps.popleft()
            if since_ns:
                ns[phase] += _own_ns(waits, at_ns, max(since_ns, begun_ns))
                continue
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


def _own_ns(waits: list[tuple[int, int]], at_ns: int, since_ns: int) -> int:
    """Of a wait, what those inside it leave; it takes their place among the `waits` (since when, how long)."""
    whole_ns = own_ns = at_ns - since_ns
    while waits and waits[-1][0] >= since_ns:
        own_ns -= waits.pop()[1]
    waits.append((since_ns, whole_ns))
    return own_ns
