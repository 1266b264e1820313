"""When to look at the training thread, and what is told of it. Called by the daemon thread alone, at each tick."""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import Stack
from .looking import look, may_look
from .places import Places
from .witness import the_witness

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..mark_queue import MarkQueue
    from ..timeline.timeline import Timeline
    from .looking import Steps
    from .witness import Seen

LATE = 3.0
"""An iteration is looked at once it takes so many times its usual time ..."""

SOONEST_NS = 500_000_000
"""... and at least this."""

UNKNOWN_NS = 30_000_000_000
"""Where no usual time is known: the first iteration prepares, and loads, and compiles."""

MOST_LOOKS = 10
"""At one iteration."""

FURTHER = 1.7
"""Each look comes so many times later than the one before: ten, from half a second on, take a minute."""

BLOCKED_NS = 1_000_000_000
"""Where the daemon thread had to wait so long for its turn, the training thread let nobody else run."""

_FEW = 5  # iterations, of which no usual time is known
_BUSY = 0.1  # of the time: so the thread was at work while nobody else could run. A stopped process is not
_AT_WORK_NS = 2 * BLOCKED_NS // 10  # ... and longer than it can have been before it was stopped


class Lookout:
    """Looks at the thread that trains whenever an iteration is late, and emits `Stack`s on the `timeline`."""

    def __init__(self, timeline: Timeline, looks: Callable[[int], Steps] = look) -> None:
        self._timeline = timeline
        self._look = looks if may_look() else None
        self._witness = the_witness() if self._look is not None else None
        self._places: Places | None = None
        self._iteration_ns = -1  # when the one began that was looked at
        self._looks = 0
        self._held: Stack | None = None  # looks that found what was told already
        self._told: Stack | None = None
        self._cpu_ns = 0

    def begin_tick(self, marks: MarkQueue) -> None:
        """The daemon thread is about to wait for its tick."""
        self._cpu_ns = marks.trainer.cpu_ns()
        if self._witness is not None and self._timeline.course.index is not None:
            self._witness.arm()

    def see(self, marks: MarkQueue, late_ns: int) -> None:
        """All marks have been taken: look, if it is time. The tick came `late_ns` too late."""
        if self._look is None:
            return
        now_ns = time.perf_counter_ns()
        course = self._timeline.course
        if course.boundary_ns != self._iteration_ns:
            self._tell_held()
            self._told = None
            self._iteration_ns, self._looks = course.boundary_ns or 0, 0
        is_young = course.boundary_ns is None or now_ns - course.boundary_ns < SOONEST_NS
        if is_young or self._timeline.is_elsewhere:
            return
        native = late_ns >= BLOCKED_NS and self._has_worked(marks, late_ns)
        seen = self._witness.seen(marks.trainer.thread) if self._witness and late_ns >= BLOCKED_NS else None
        looks = 0 if native or seen else self._looks  # what was blocked is looked at whenever that is over
        if self._looks < MOST_LOOKS and self._unexplained_ns(now_ns) >= self._next_ns(looks):
            self._take_from(seen) if seen else self._take(marks, now_ns, native=native)

    def finish(self) -> None:
        """The run ends."""
        self._tell_held()
        if self._witness is not None:
            self._witness.disarm()

    def _has_worked(self, marks: MarkQueue, late_ns: int) -> bool:
        """Was the thread at work all along? Else the process may have been stopped, or the machine asleep."""
        return marks.trainer.cpu_ns() - self._cpu_ns >= max(_AT_WORK_NS, late_ns * _BUSY)

    def _unexplained_ns(self, now_ns: int) -> int:
        course = self._timeline.course
        return now_ns - (course.boundary_ns or now_ns) - course.explained_ns

    def _next_ns(self, looks: int) -> float:
        """What the iteration has taken when it is looked at after so many `looks`."""
        lately = self._timeline.course.lately_ns
        late_ns = UNKNOWN_NS if len(lately) < _FEW else max(SOONEST_NS, LATE * median(lately))
        return float(late_ns * FURTHER**looks)

    def _take(self, marks: MarkQueue, now_ns: int, *, native: bool) -> None:
        assert self._look is not None  # noqa: S101 - asked before
        steps = self._look(marks.trainer.thread)
        if marks.waits or not steps:  # the iteration may have ended in between: then that was another one
            return
        frames, own = self._in_words().words(steps)
        self._found(self._timeline.course.at_s(now_ns), frames, own, native=native)

    def _take_from(self, seen: Seen) -> None:
        """What the witness saw, while nobody could look."""
        frames, own = self._in_words().words_of(seen[1])
        self._found(seen[0], frames, own, native=True)

    def _in_words(self) -> Places:
        self._places = self._places or Places()  # made late: by now the script is known
        return self._places

    def _found(self, at_s: float, frames: tuple[str, ...], own: int | None, *, native: bool) -> None:
        self._looks += 1
        course = self._timeline.course
        waited_s = max(0.0, round(at_s - course.at_s(self._iteration_ns), 6))
        self.tell(Stack(at_s, course.current, waited_s, frames, own, native=native))

    def tell(self, stack: Stack) -> None:
        """The first of equal ones at once; those after it together, with what comes next."""
        before = self._told
        if before is None or (stack.frames, stack.native) != (before.frames, before.native):
            self._tell_held()
            self._told = stack
            self._timeline.emit(stack)
        else:
            self._held = replace(stack, count=1 if self._held is None else self._held.count + 1)
            if self._looks >= MOST_LOOKS:
                self._tell_held()

    def _tell_held(self) -> None:
        if self._held is not None:
            self._timeline.emit(self._held)
            self._held = None
