"""The heart of the hooks: the training thread appends a tuple to a deque; a daemon thread does all the rest.

Ten times a second that thread turns the tuples into events, encodes them, appends them to the recording and
feeds the viewers. So no disk, no viewer and no encoder is ever in the way of the training. The deque is bounded;
what a trainer emits faster than the thread can follow is dropped, counted and told. What only says how things
stand (the newest micro-step, since when data is waited for) is not queued: the training thread replaces it, and
ours looks at it. What is replaced holds no new number between two iterations: an integer kept so, in a block of
memory that is full but for it, cost a loop that makes many integers 2 % (CPython 3.11: the block leaves and joins
the list of those with room at each of them).
"""

from __future__ import annotations

import atexit
import os
import socket
import sys
import threading
import time
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any

from .. import run_files
from ..events import (
    SPAN_KINDS,
    Config,
    Dropped,
    End,
    Event,
    Message,
    RunInfo,
    encode,
    encode_all,
)
from .pruning import prune
from .recording import Recording
from .server import Server
from .spans import Wait
from .timeline import (
    EVENT,
    ITERATION,
    LOOP,
    PROGRESS,
    WAITING,
    Timeline,
    as_text,
)

if TYPE_CHECKING:
    from pathlib import Path

    from .timeline import Mark

MOST_MARKS = 1 << 16
"""Marks that wait at most, some 15 MB: a minute of a thousand iterations a second."""

TICK_S = 0.1
"""The thread's pace: what a killed trainer can lose of its recording, and a viewer's delay."""

_AT_ONCE = 8192  # marks turned into events before the disk and the viewers have their turn
_LOOK_S = 5.0  # how often the socket and the recording are looked after
_GOODBYE_S = 0.5  # viewers may take this long to receive the rest when the trainer ends
_MOST_FAULTS = 20

_emitters: weakref.WeakSet[Emitter] = weakref.WeakSet()


class Emitter:
    """Takes marks from any thread of the trainer at the cost of an append. Nothing here raises or blocks.

    `record` and `serve` say where; `None` for none. In a forked child (a DataLoader's worker) an emitter is dead:
    it takes nothing, and leaves the parent's socket and recording alone.
    """

    def __init__(self, info: RunInfo, config: Config, *, record: Path | None, serve: Path | None) -> None:
        self._queue: deque[Mark] = deque()
        self._append = self._queue.append
        self._most = MOST_MARKS
        self._dropped = 0
        self._told_dropped = 0
        self._told_trouble = ""
        self._faults = 0
        self._looked_s = time.monotonic()
        self.begun = False
        self.wait = Wait(self)
        self._progress: tuple[int, int | None] | None = None
        self._told_progress: tuple[int, int | None] | None = None
        self._pid = os.getpid()
        self._reason = ""
        self._stopping = False
        self._timeline = Timeline(_unix_minus_perf_counter_ns())
        self._recording = Recording(record)
        self._server = Server(serve, self._recording)
        self._recording.keep(_encoded([info, config]))
        self._thread = threading.Thread(target=self._run, name="itermon hooks", daemon=True)
        if record is None and serve is None:
            self.forked()
            return
        _emitters.add(self)
        try:
            self._thread.start()
        except RuntimeError:  # no more threads, or the interpreter is going down: then there are no hooks
            self._most = 0

    def begin(self) -> None:
        """The loop begins now: the first iteration's time counts from here."""
        self.begun = True
        self.mark(LOOP)

    def micro_step(self, done: int, of: int | None = None) -> None:
        """Micro-step `done` (from 1) of `of` in the running iteration has been submitted."""
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
        """An iteration ended now. Made every iteration: bench/hook_cost.py measures what it costs."""
        if loss.__class__ is not float and loss is not None:
            loss = _now(loss)
        self._progress = None  # before the mark: see `_drain`
        if len(self._queue) < self._most:
            self._append(
                (ITERATION, time.perf_counter_ns(), index, loss, gradient_norm, learning_rate, tokens, mfu),
            )
        else:
            self._dropped += 1

    def iteration_at(self, at_ns: int, *fields: Any) -> None:
        """One ended before, at `at_ns` (`time.perf_counter_ns`); the fields are those of `iteration`, in order."""
        self._progress = None
        self.mark_at(at_ns, ITERATION, *fields)

    def mark(self, kind: str, *fields: Any) -> None:
        """Anything else happened now; kinds and fields as in `timeline`."""
        self.put((kind, time.perf_counter_ns(), *fields))

    def mark_at(self, at_ns: int, kind: str, *fields: Any) -> None:
        """The same for a moment that was measured before, by `time.perf_counter_ns`."""
        self.put((kind, at_ns, *fields))

    def put(self, mark: Mark) -> None:
        """Queue a mark that is made already."""
        if len(self._queue) < self._most:
            self._append(mark)
        else:
            self._dropped += 1

    def event(self, event: Event) -> None:
        """Send an event as it is."""
        self.mark(EVENT, event)

    @property
    def recording(self) -> Path | None:
        """The file that this run is recorded in."""
        return self._recording.path

    @property
    def address(self) -> Path | None:
        """The socket that viewers attach to."""
        return self._server.path

    @property
    def alive(self) -> bool:
        """Does anything that is emitted still arrive?"""
        return self._most > 0

    def close(self, reason: str = "finished") -> None:
        """Say good-bye; waits about a second at most for what is to be written. A second call does nothing."""
        if self._most == 0 or self._stopping or os.getpid() != self._pid:
            return
        self._reason = reason
        self._stopping = True
        self._server.wake()
        if self._thread is not threading.current_thread():
            self._thread.join(_GOODBYE_S * 2)
        self._most = 0

    def forked(self) -> None:
        """In a forked child: take nothing more, and let go of the parent's descriptors."""
        self._most = 0
        self._queue.clear()
        self._server.abandon()
        self._recording.close(forked=True)

    def _run(self) -> None:
        self._safely(self._make_room)
        while not self._stopping:
            self._safely(self._tick)
        self._safely(self._finish)

    def _safely(self, step: Any) -> None:
        """One step of the thread. A fault of ours is told once and costs the hooks at worst, not the training."""
        try:
            step()
        except Exception as error:  # noqa: BLE001 - the trainer comes first
            self._faults += 1
            if self._faults == _MOST_FAULTS:
                self._most = 0
                self._stopping = True
                print(  # noqa: T201 - there is nowhere else left to say it
                    f"itermon: hooks are off after {_MOST_FAULTS} faults: {type(error).__name__}: {error}",
                    file=sys.stderr,
                )
            time.sleep(TICK_S)

    def _make_room(self) -> None:
        path = self._recording.path
        if path is None:
            return
        if deleted := prune(path.parent, time.time()):
            self.event(Message(text=f"to make room, {len(deleted)} old recordings in {path.parent} were deleted"))

    def _tick(self) -> None:
        self._server.wait(time.monotonic() + TICK_S)
        while self._drain() and not self._stopping:
            pass
        self._look()

    def _drain(self) -> bool:
        """Record and send what waits, and say whether more does."""
        # How things stand is read before the marks: one of them may say that it is over.
        now_ns, progress, since_ns = time.perf_counter_ns(), self._progress, self.wait.since_ns
        popleft = self._queue.popleft
        marks = [popleft() for _ in range(min(len(self._queue), _AT_ONCE))]
        more = len(marks) == _AT_ONCE
        if not more and since_ns is not None:
            marks.append((WAITING, now_ns, since_ns))
        # An iteration forgets its micro-step before it leaves its mark: it has not ended if the step still stands.
        if not more and progress is not None and progress is self._progress is not self._told_progress:
            self._told_progress = progress
            marks.append((PROGRESS, now_ns, *progress))
        events = self._told(marks)
        if self._dropped != self._told_dropped:
            count, self._told_dropped = self._dropped - self._told_dropped, self._dropped
            events.append(Dropped(count=count, what="marks of the trainer", at_s=round(time.time(), 6)))
        if events:
            self._recording.append(_encoded(events))
        else:
            self._recording.flush()
        self._server.feed()
        return more

    def _told(self, marks: list[Mark]) -> list[Event]:
        timeline = self._timeline
        for mark in marks:
            try:
                timeline.hear(mark)
            except Exception as error:  # noqa: BLE001 - one odd value from a user's loop must not lose the others
                timeline.tell(_no_use(mark, error))
        return timeline.take()

    def _look(self) -> None:
        """Every few seconds: follow the wall clock, heal the socket, tell of trouble once."""
        now_s = time.monotonic()
        if now_s - self._looked_s < _LOOK_S:
            return
        self._looked_s = now_s
        offset_ns = _unix_minus_perf_counter_ns()
        if abs(offset_ns - self._timeline.unix_minus_ns) > 50_000_000:  # the clock was set: less would be jitter
            self._timeline.unix_minus_ns = offset_ns
        self._server.listen()
        trouble = self._recording.trouble or self._server.trouble
        if not trouble and self._recording.gone():
            trouble = (
                f"{self._recording.path} was deleted or cut short: this run's recording, or a part of it, is lost"
            )
        if trouble and trouble != self._told_trouble:
            self._told_trouble = trouble
            self.event(Message(text=trouble, level="warning"))

    def _finish(self) -> None:
        while self._drain():
            pass
        if self._reason:
            self._recording.append(encode(End(reason=self._reason, at_s=round(time.time(), 6))))
        self._server.finish(time.monotonic() + _GOODBYE_S)
        self._recording.close()


def run_info(name: str, rank: int | None, framework: str) -> RunInfo:
    """What this process can say of its run."""
    return RunInfo(
        name=as_text(name or os.environ.get("ITERMON_NAME", "") or _name_of_script()),
        source_format="hooks",
        framework=framework,
        host=socket.gethostname(),
        pid=os.getpid(),
        rank=rank,
        started_at_s=round(time.time(), 3),
        time_includes=SPAN_KINDS,  # it goes from the end of one iteration to the end of the next
        clock="hook",
        output=as_text(os.environ.get(run_files.OUTPUT, "")),
    )


def _encoded(events: list[Event]) -> bytes:
    try:
        return encode_all(events)
    except Exception:  # noqa: BLE001 - one of them holds something odd: only that one is lost
        return b"".join(map(_encoded_or_told, events))


def _encoded_or_told(event: Event) -> bytes:
    try:
        return encode(event)
    except Exception as error:  # noqa: BLE001 - told in its place
        return encode(_no_use((type(event).__name__, 0), error))


def _no_use(mark: Mark, error: Exception) -> Message:
    text = f"a mark of kind {mark[0]!r} was no use: {type(error).__name__}: {error}"
    return Message(text=text[:500], level="warning")


def _now(value: Any) -> Any:
    """A number that will not change under us: a tensor may be added to in place before our thread reads it."""
    try:
        return value.item() if value.is_cpu else None
    except Exception:  # noqa: BLE001 - not a tensor: read as it is, in our thread
        return value


def _unix_minus_perf_counter_ns() -> int:
    return time.time_ns() - time.perf_counter_ns()


def _name_of_script() -> str:
    script = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] else ""  # noqa: PTH119 - may be no path
    return script.removesuffix(".py") or "run"


def _close_all() -> None:
    """At exit. An exception that ended the program has just been printed, which leaves it in `sys.last_value`."""
    error = getattr(sys, "last_value", None)
    reason = "finished" if error is None else "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
    for emitter in list(_emitters):
        emitter.close(reason)


def _after_fork() -> None:
    for emitter in list(_emitters):
        emitter.forked()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_after_fork)
