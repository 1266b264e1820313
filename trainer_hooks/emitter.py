"""The daemon thread: ten times a second it makes events of the marks, records them and feeds the viewers.

The training thread starts it, ends it, and asks it for nothing else; so no disk, no viewer and no encoder is ever
in the way of the training.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
import weakref
from typing import TYPE_CHECKING

from ..events import Dropped, End, EndReason, Message
from .delivery.delivery import GOODBYE_S, Delivery, useless
from .delivery.pruning import prune
from .exits import end_at_exit, watch_exits
from .stacks.lookout import Lookout
from .timeline.timeline import Timeline
from .values import as_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ..events import Event
    from .mark_queue import MarkQueue
    from .marks import Mark
    from .output.lines import Lines
    from .output.notice import Notice

TICK_S = 0.1
"""The thread's pace: what a killed trainer can lose of its recording, and a viewer's delay."""

_AT_ONCE = 8192  # marks turned into events before the disk and the viewers have their turn
_CHECK_S = 5.0  # how often the clock, the socket and the recording are checked
_CLOCK_SET_NS = 50_000_000  # a wall clock that moved by less has jitter
_MOST_FAULTS = 20
# What a thread's own fault raises: blocked, it ends the process without a word of `faulthandler`.
_OF_THE_THREAD_ITSELF = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT}

_emitters: weakref.WeakSet[Emitter] = weakref.WeakSet()


class Emitter:
    """Takes the marks out of a queue and delivers them as events, in a thread of its own.

    `head` are the events that the run begins with; `record` and `serve` say where it goes, `None` for nowhere. In
    a forked child (a DataLoader's worker) an emitter is dead: its queue takes nothing, and the parent's socket and
    recording are left alone.
    """

    def __init__(
        self, marks: MarkQueue, head: list[Event], *, record: Path | None = None, serve: Path | None = None
    ) -> None:
        self._marks = marks
        self._timeline = Timeline(_unix_minus_perf_counter_ns())
        self._lookout = Lookout(self._timeline)
        self._faults = 0
        self._checked_s = time.monotonic()
        self._pid = os.getpid()
        self._reason: EndReason | str | None = ""  # "": nobody has closed it
        self._stopping = False
        self._closed_ns: int | None = None
        self._lines: Lines | None = None
        self._notice: Notice | None = None
        self.delivery = Delivery(head, record=record, serve=serve)
        self.thread = threading.Thread(target=self._run, name="itermon hooks", daemon=True)
        if record is None and serve is None:
            self.abandon()
            return
        _emitters.add(self)
        watch_exits()
        try:
            self.thread.start()
        except RuntimeError:  # no more threads, or the interpreter is going down: then there are no hooks
            marks.shut()

    # The training thread's side.

    def close(self, reason: EndReason | str | None) -> None:
        """End the run; waits about a second at most for what is to be written. A second call does nothing.

        `None` is "as the process ends": see `exits`.
        """
        if not self._marks.alive or self._stopping or os.getpid() != self._pid:
            return
        self._reason = reason
        self._closed_ns = time.perf_counter_ns()
        self._stopping = True
        self.delivery.wake()
        if self.thread is not threading.current_thread():
            self.thread.join(GOODBYE_S * 2)
        self._marks.shut()

    def follow(self, marks: MarkQueue, head: list[Event]) -> None:
        """The run goes on in another queue, whose `head` knows better what it is."""
        marks.go_on_from(self._marks)
        self._marks = marks
        for event in head:
            marks.emit(event)

    @property
    def reads_output(self) -> bool:
        """Is what the process prints read?"""
        return self._lines is not None

    def read_output(self, lines: Lines, notice: Notice | None = None) -> None:
        """Make events of the `lines` that are printed too, and show `notice` all events."""
        self._lines, self._notice = lines, notice

    def abandon(self) -> None:
        """In a forked child, or where nobody asked for a run: take nothing, and let go of all descriptors."""
        if self._lines is not None:
            self._lines.taps.remove()
        self._marks.shut()
        self._marks.clear()
        self.delivery.abandon()

    # The daemon thread's side: all that follows.

    def _run(self) -> None:
        self._safely(_leave_signals_alone)
        self._safely(self._make_room)
        while not self._stopping:
            self._safely(self._tick)
        self._safely(self._finish)

    def _safely(self, step: Callable[[], None]) -> None:
        """One step of the thread. A fault of ours costs the hooks at worst, not the training."""
        try:
            step()
        except Exception as error:  # noqa: BLE001 - the trainer comes first
            self._faults += 1
            if self._faults == _MOST_FAULTS:
                self._marks.shut()
                self._stopping = True
                print(  # noqa: T201 - there is nowhere else left to say it
                    f"itermon: hooks are off after {_MOST_FAULTS} faults: {type(error).__name__}: {error}",
                    file=sys.stderr,
                )
            time.sleep(TICK_S)

    def _make_room(self) -> None:
        if nowhere := self.delivery.nowhere():
            print(f"itermon: nothing of this run is kept: {nowhere}", file=sys.stderr)  # noqa: T201 - or nobody knows
        path = self.delivery.recording.path
        if path is not None and (deleted := prune(path.parent, time.time())):
            text = f"to make room, {len(deleted)} old recordings in {path.parent} were deleted"
            self._marks.emit(Message(text=text))

    def _tick(self) -> None:
        due_s = time.monotonic() + TICK_S
        self._lookout.begin_tick(self._marks)
        self.delivery.wait(due_s)
        late_s = time.monotonic() - due_s
        while self._deliver() and not self._stopping:
            pass
        self._lookout.see(self._marks, round(late_s * 1e9))
        self._check()

    def _deliver(self) -> bool:
        """Record and send what waits, and say whether more does."""
        if self._lines is not None:
            self._lines.collect()
        marks, more = self._marks.take(_AT_ONCE)
        if self._lines is not None:
            marks = self._lines.among(marks, more=more)
        events = self._events_of(marks)
        if dropped := self._marks.take_dropped():
            events.append(Dropped(count=dropped, what="marks of the trainer", at_s=round(time.time(), 6)))
        if self._lines is not None and (dropped := self._lines.take_dropped()):
            events.append(Dropped(count=dropped, what="lines that it printed", at_s=round(time.time(), 6)))
        self.delivery.send(events)
        if self._notice is not None:
            see = self._notice.end if self._stopping and not more else self._notice.see
            if warning := see(events):
                self.delivery.send([warning])
        return more

    def _events_of(self, marks: list[Mark]) -> list[Event]:
        timeline = self._timeline
        for mark in marks:
            try:
                timeline.add(mark)
            except Exception as error:  # noqa: BLE001 - one odd value from a user's loop must not lose the others
                timeline.emit(useless(mark[0], error))
        return timeline.take()

    def _check(self) -> None:
        """Every few seconds: follow the wall clock, heal the socket, report what is wrong, once."""
        now_s = time.monotonic()
        if now_s - self._checked_s < _CHECK_S:
            return
        self._checked_s = now_s
        unix_minus_ns = _unix_minus_perf_counter_ns()
        if abs(unix_minus_ns - self._timeline.course.unix_minus_ns) > _CLOCK_SET_NS:
            self._timeline.course.unix_minus_ns = unix_minus_ns
        if (trouble := self.delivery.heal()) is not None:
            self._marks.emit(trouble)

    def _finish(self) -> None:
        while self._notice is not None and self._deliver():
            pass  # all that happened is seen before it is said that nothing did
        self._notice = None
        if self._lines is not None:
            self._lines.taps.remove()
            self._lines.end()
        while self._deliver():
            pass
        self._lookout.finish()
        if self._closed_ns is not None:
            self._timeline.finish(self._closed_ns, self._marks.evaluated_until_ns)
            self.delivery.send(self._timeline.take())
        self.delivery.finish(self._end())

    def _end(self) -> End | None:
        """The end that the trainer gave as its reason, or by the way it exits."""
        if self._reason is None:
            return end_at_exit(self._timeline.newest_iteration_ns)
        if not self._reason:
            return None
        known = EndReason(self._reason)
        own_words = "" if known == self._reason else as_text(self._reason)  # of the user
        return End(known, detail=own_words)


def _leave_signals_alone() -> None:
    """A signal that all other threads block, for one of them waits for it, would end the process in this one."""
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - _OF_THE_THREAD_ITSELF)


def _unix_minus_perf_counter_ns() -> int:
    return time.time_ns() - time.perf_counter_ns()


def _close_all() -> None:
    """At exit."""
    for emitter in list(_emitters):
        emitter.close(None)


def _after_fork() -> None:
    for emitter in list(_emitters):
        emitter.abandon()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_after_fork)
