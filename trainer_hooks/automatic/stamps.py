"""What an iteration is made of: stamps of the training thread, of which the hooks' thread makes the rest.

Of a training on the CPU that is where its time goes (`spent.py`); a GPU has its own clock (`gpu_phases.py`), and
beside it the host's says what was timed apart.
How many backwards there are is how many micro-steps an iteration has, whatever the device.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from ...events import BACKWARD, BEFORE_STEP, DATA, SYNC, Config, Phases
from ..timeline.spent import MOST, Spent, seconds_of

if TYPE_CHECKING:
    from ...events import Event
    from ..marks import Stamp

_OF_A_GPU = frozenset({DATA, SYNC})
"""What says nothing new by the host's clock where a GPU has its own."""


class Stamps:
    """Those since the newest iteration that the hooks' thread has seen.

    The training thread appends to `waiting`, which is bounded by itself: a call of ours for each would be much of
    what a stamp costs. It says `on_host` where the host's clock tells of the device, `ranks` that there are
    others, `counts` that nobody else counts the micro-steps. The rest is the hooks' thread's.
    """

    def __init__(self) -> None:
        self.waiting: deque[Stamp] = deque(maxlen=MOST)
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

    def of(self, iteration: int, until_ns: int, apart: list[Stamp]) -> list[Event]:
        """What is known of the `iteration` that ended at `until_ns`, and after all before it: see `Parts`."""
        is_whole = len(self.waiting) < MOST and len(apart) < MOST
        spent = Spent(self._begun_ns or 0)
        spent.add(self.waiting, until_ns, apart)
        was_seen, self._begun_ns = self._begun_ns is not None, spent.until_ns
        if not is_whole:
            self._last = 0
            return []
        events: list[Event] = []
        if self.counts and self._is_new_rule(spent):
            events.append(Config(origin="hook", gradient_accumulation=self.usual))
        if self.on_host and was_seen:
            seconds = seconds_of(spent.ns)
            if self.ranks:  # nothing of it may have gone to waiting
                seconds.setdefault(SYNC, 0.0)
            events.append(Phases(iteration, seconds, on_host=True))
        elif not self.on_host and not spent.apart_ns.keys() <= _OF_A_GPU:
            some = {phase: spent_ns for phase, spent_ns in spent.apart_ns.items() if phase != SYNC}
            events.append(Phases(iteration, seconds_of(some), on_host=True, whole=False))
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

    def _is_new_rule(self, spent: Spent) -> bool:
        """Twice the same number of micro-steps is the rule, not an exception."""
        if spent.is_mixed:
            self._last, self.usual = 0, None
            return False
        last, self._last = self._last, spent.backwards
        if last == self.usual or not last or last != self._last:
            return False
        self.usual = last
        return True
