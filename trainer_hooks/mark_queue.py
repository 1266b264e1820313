"""The queue of marks between the training thread, which appends, and the daemon thread, which takes.

Appending a tuple to a deque is all that the training pays; no disk, no viewer and no encoder is ever in its way.
The queue is bounded: what a trainer appends faster than the daemon thread can follow is dropped and counted.

What only says how things stand (the newest micro-step, since when data is waited for) is not queued: the training
thread replaces it, and the daemon thread looks at it. What is replaced holds no new number between two iterations:
an integer kept so, in a block of memory that is full but for it, cost a loop that makes many integers 2 % (CPython
3.11: the block leaves and joins the list of those with room each time).
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from ..events import Phases
from .marks import BEGIN, END, EVENT, ITERATION, LOOP, PHASES, PROGRESS, SPAN, VOID, WAITING
from .values import held

if TYPE_CHECKING:
    from ..events import Event
    from .marks import Mark

MOST_MARKS = 1 << 16
"""Marks that wait at most, some 15 MB: a minute of a thousand iterations a second."""


class Trainer:
    """The thread that trains: the one that makes this, in which the loop begins."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        # Asked for by the thread itself: with the number of one that is gone it would crash. The clock would not.
        self._clock = time.pthread_getcpuclockid(self.thread) if hasattr(time, "pthread_getcpuclockid") else None

    def cpu_ns(self) -> int:
        """How long it has been at work; 0 where nobody can say."""
        try:
            return 0 if self._clock is None else time.clock_gettime_ns(self._clock)
        except OSError:  # it has ended
            return 0


class MarkQueue:
    """A bounded queue of marks. No method raises, blocks, or waits for a GPU.

    Each method belongs to one side: the training thread's (any thread of the trainer may call them) come first,
    the daemon thread's after. `waiting_since_ns` is when the wait for data began that is under way,
    `trainer` is the thread that trains, `evaluated_until_ns` when the evaluation under way was last seen at work.
    """

    def __init__(self) -> None:
        self._queue: deque[Mark] = deque()
        self._most = MOST_MARKS
        self._dropped = 0
        self._dropped_reported = 0
        self._progress: tuple[int, int | None] | None = None
        self._progress_taken: tuple[int, int | None] | None = None
        self.begun = False
        self.trainer = Trainer()
        self.waiting_since_ns: int | None = None
        self.evaluated_until_ns: int | None = None

    # The training thread's side.

    def begin(self) -> None:
        """The loop begins now: the first iteration's time counts from here."""
        self.begun = True
        self.trainer = Trainer()
        self.put((LOOP, time.perf_counter_ns()))

    def micro_step(self, done: int, of: int | None = None) -> None:
        """A micro-step of the running iteration has been submitted.

        Args:
            done: its number in the iteration, from 1.
            of: how many micro-steps an iteration has; `None` where nobody knows.

        Raises:
            Nothing, whatever is given.
        """
        if not self.begun:
            self.begin()
        self._progress = (done, of)

    def iteration(
        self,
        index: int | None = None,
        *,
        loss: Any = None,
        gradient_norm: Any = None,
        learning_rate: Any = None,
        tokens: int | None = None,
        mfu: float | None = None,
    ) -> None:
        """An iteration (one optimizer step) ended now. Called every iteration; bench/hook_cost.py measures it.

        Values may be numbers or tensors on the CPU; a tensor on a GPU is left out, for reading it would wait.

        Args:
            index: the iteration's number, from 0; `None` is one more than the last.
            loss: the training loss.
            gradient_norm: the norm of the gradient before clipping.
            learning_rate: of the first parameter group.
            tokens: tokens in this iteration over all ranks, where they vary.
            mfu: model FLOPs utilization as the trainer computed it, as a fraction (0.4 is 40 %).

        Raises:
            Nothing, whatever is given: a value of no use becomes a warning in the run.
        """
        # With cold caches each thing that is touched costs: `type(loss)` and `queue.append` touch less than
        # `loss.__class__` and an `append` of our own would (2.2 to 1.8 times the bare append).
        if type(loss) is not float and loss is not None:
            loss = held(loss)
        self._progress = None  # before the mark: see `take`
        queue = self._queue
        if len(queue) < self._most:
            queue.append(
                (ITERATION, time.perf_counter_ns(), index, loss, gradient_norm, learning_rate, tokens, mfu),
            )
        else:
            self._dropped += 1

    def past_iteration(
        self,
        at_ns: int,
        index: int,
        *,
        loss: Any = None,
        gradient_norm: Any = None,
        learning_rate: Any = None,
        tokens: int | None = None,
    ) -> None:
        """An iteration ended before, at `at_ns` (`time.perf_counter_ns`); the values are those of `iteration`."""
        self._progress = None
        self.put((ITERATION, at_ns, index, loss, gradient_norm, learning_rate, tokens, None))

    def begin_span(self, kind: str, detail: Any = "") -> None:
        """A span of `kind` (`events.EVALUATION` and the like) begins now."""
        self.put((BEGIN, time.perf_counter_ns(), kind, detail))

    def end_span(self, kind: str, detail: Any = "", values: dict[str, Any] | None = None) -> None:
        """The innermost span of `kind` ends now; `values` are numbers by name, as `events.SpanEnd` has them."""
        self.put((END, time.perf_counter_ns(), kind, detail, values))

    def void_span(self, kind: str) -> None:
        """The innermost span of `kind` was none: it counts for nothing."""
        self.put((VOID, time.perf_counter_ns(), kind))

    def past_span(self, kind: str, duration_ns: int, detail: Any = "") -> None:
        """A span of `kind` that nobody saw begin has just ended."""
        self.put((SPAN, time.perf_counter_ns(), kind, duration_ns, detail))

    def phases(self, iteration: int, phases: dict[str, float]) -> None:
        """GPU seconds by phase of an `iteration` that ended before."""
        self.put((PHASES, time.perf_counter_ns(), Phases, (iteration, phases)))

    def emit(self, event: Event) -> None:
        """Send `event` as it is; one without a time gets the present one."""
        self.put((EVENT, time.perf_counter_ns(), event))

    def put(self, mark: Mark) -> None:
        """Queue a mark that is made already."""
        queue = self._queue
        if len(queue) < self._most:
            queue.append(mark)
        else:
            self._dropped += 1

    def go_on_from(self, other: MarkQueue) -> None:
        """What waits in `other`, and what still comes there, is in this queue from now on."""
        self._queue = other._queue
        self.begun, self.waiting_since_ns = other.begun, other.waiting_since_ns

    @property
    def alive(self) -> bool:
        """Does anything that is put in still arrive?"""
        return self._most > 0

    # The daemon thread's side.

    def take(self, most: int) -> tuple[list[Mark], bool]:
        """Up to `most` marks, oldest first, and how things stand; and whether more marks wait."""
        # How things stand is read before the marks: one of them may say that it is over.
        now_ns, progress, since_ns = time.perf_counter_ns(), self._progress, self.waiting_since_ns
        popleft = self._queue.popleft
        marks = [popleft() for _ in range(min(len(self._queue), most))]
        more = len(marks) == most
        if not more and since_ns is not None:
            marks.append((WAITING, now_ns, since_ns))
        # An iteration forgets its micro-step before it leaves its mark: it has not ended if the step still stands.
        if not more and progress is not None and progress is self._progress is not self._progress_taken:
            self._progress_taken = progress
            marks.append((PROGRESS, now_ns, *progress))
        return marks, more

    def take_dropped(self) -> int:
        """How many marks were dropped since the last call."""
        count, self._dropped_reported = self._dropped - self._dropped_reported, self._dropped
        return count

    @property
    def waits(self) -> bool:
        """Is there anything to take?"""
        return bool(self._queue)

    def shut(self) -> None:
        """Take nothing more. What waits can still be taken."""
        self._most = 0

    def clear(self) -> None:
        """Forget what waits."""
        self._queue.clear()
