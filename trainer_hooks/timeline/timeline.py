"""From marks to events: durations, data waits, which iteration holds what. Called by the daemon thread alone.

Nothing here reads a clock: it is a function of the marks, tested with made-up ones.
"""

from __future__ import annotations

from collections import deque
from math import isfinite
from typing import TYPE_CHECKING, Any

import msgspec

from ...events import DATA, PHASES, Event, Iteration, Message, Output, Phases, Progress, Severity
from .. import marks
from ..values import MOST_SHARE, TOO_MANY, as_count, as_number, as_text, bounded
from .course import Course
from .held_marks import HeldMarks
from .open_spans import OpenSpans
from .spent import MOST, Spent, seconds_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..marks import Mark, Parts, Stamp

_MOST_LINES = 64  # in one event
_MOST_TEXTS = 1000  # of messages that are remembered, so that each is shown once


class Timeline:
    """Turns marks, oldest first, into events.

    An iteration lasts from the end of the one before to its own end. The first lasts from `LOOP` or, without one,
    from the first thing begun in it; if nothing was, its duration is unknown. `course.unix_minus_ns`
    turns the marks' clock into Unix time.
    """

    def __init__(self, unix_minus_ns: int = 0) -> None:
        self.course = course = Course(unix_minus_ns)
        self.emit = course.emit
        self._texts: set[str] = set()
        self._held = HeldMarks()
        self._holds = False
        self._parts: Parts | None = None
        self._times_phases = False  # the script or a call of its has timed one
        self._told: tuple[int | None, int] | None = None  # the newest micro-step that was reported
        self._spans = spans = OpenSpans(course)
        self._takes: dict[str, Callable[..., None]] = {
            marks.ITERATION: self._iteration,
            marks.WAITED: spans.waited,
            marks.PASSED: self._passed,
            marks.PROGRESS: self._progress,
            marks.WAITING: spans.waiting,
            marks.BEGIN: spans.begin,
            marks.END: spans.end,
            marks.SPAN: spans.past,
            marks.PHASES: self._phases,
            marks.PARTS: self._parts_are,
            marks.LOOP: course.begin,
            marks.VOID: spans.void,
            marks.PRINTED: self._printed,
            marks.EVENT: self._event,
        }

    def add(self, mark: Mark) -> None:
        """Take the next mark. Raises what a user's odd value raises: then this mark alone is lost."""
        if self._holds or mark[0] == marks.STEPPED:
            ready = self._held.add(mark)
            self._holds = bool(self._held)
            for one in ready:
                self._add(one)
        else:
            self._add(mark)

    def finish(self, at_ns: int, evaluated_until_ns: int | None = None) -> None:
        """The process ends at `at_ns`: what was held is decided by what there is, and what was begun is over.

        An evaluation was so when it was last seen at work, else with its last batch, or when the model was saved:
        what the process does then (workers end, modules are torn down) is no part of it.
        """
        for mark in self._held.rest():
            self._add(mark)
        self._spans.finish(at_ns, evaluated_until_ns)

    def _add(self, mark: Mark) -> None:
        take = self._takes.get(mark[0])
        if take is not None:
            take(*mark[1:])

    def take(self) -> list[Event]:
        """The events since the last call, and the micro-step that the iteration has come to by now."""
        if self._parts is not None and (under_way := self._parts.under_way()) is not None:
            done, at_ns = under_way
            newest = self.course.index, done
            if newest != self._told:
                self._told = newest
                self._progress(at_ns, done, self._parts.usual)
        events = self.course.events.copy()
        self.course.events.clear()
        return events

    @property
    def newest_iteration_ns(self) -> int | None:
        """When the newest iteration ended, on the marks' clock; `None` before the first."""
        return None if self.course.index is None else self.course.boundary_ns

    @property
    def is_elsewhere(self) -> bool:
        """Is something under way that is no plain training, or is not known yet where iterations end?"""
        return self._holds or self._spans.is_open

    def _iteration(self, at_ns: int, index: Any, *values: Any) -> None:
        loss, gradient_norm, learning_rate, tokens, mfu = values
        course = self.course
        if index is None:
            index = 0 if course.index is None else course.index + 1
        index = int(index)
        if not 0 <= index < TOO_MANY:
            raise ValueError(f"iteration {index}: they are counted from 0")
        apart = course.take_apart(at_ns)
        begun_ns = course.end_iteration(at_ns, index)
        waited_s = self._spans.take_wait()
        number = as_number(loss)
        finite = number is None or isfinite(number)
        self.emit(
            Iteration(
                index=index,
                duration_s=None if begun_ns is None else (at_ns - begun_ns) / 1e9,
                loss=bounded(number),
                mfu=None if mfu is None else bounded(as_number(mfu), 0.0, MOST_SHARE),
                at_s=course.at_s(at_ns),
                tokens=None if tokens is None else as_count(tokens),
                data_wait_s=waited_s,
                gradient_norm=None if gradient_norm is None else bounded(as_number(gradient_norm)),
                learning_rate=None if learning_rate is None else bounded(as_number(learning_rate)),
                bad_loss="" if finite else str(number),
            )
        )
        if self._parts is not None:
            for event in self._parts.of(index, at_ns, apart):
                self.emit(event)
        elif self._times_phases and (phases := _phases_of(index, at_ns, apart, begun_ns, waited_s)):
            self.emit(phases)

    def _passed(self, at_ns: int, phase: str, since_ns: int) -> None:
        if phase in PHASES:
            self._times_phases = True
            self.course.passed(at_ns, phase, since_ns)

    def _phases(self, _at_ns: int, make: Callable[..., Phases], made_of: tuple[Any, ...]) -> None:
        self.emit(make(*made_of))

    def _parts_are(self, _at_ns: int, parts: Parts | None) -> None:
        self._parts = parts

    def _progress(self, at_ns: int, micro_step: Any, micro_steps: Any) -> None:
        """The newest micro-step of the iteration that runs."""
        done = as_count(micro_step)
        if done is None:
            raise ValueError(f"micro-step {as_text(micro_step, 50)}")
        of = as_count(micro_steps)
        self.emit(
            Progress(self.course.current or 0, micro_step=done, micro_steps=of, at_s=self.course.at_s(at_ns))
        )

    def _printed(self, at_ns: int, line: str) -> None:
        """A line was printed: it joins those before it, if nothing else has happened since."""
        before = self.course.events[-1] if self.course.events else None
        if isinstance(before, Output) and len(before.lines) < _MOST_LINES:
            self.course.events[-1] = Output((*before.lines, line), self.course.at_s(at_ns))
        else:
            self.emit(Output((line,), self.course.at_s(at_ns)))

    def _event(self, at_ns: int, event: Event) -> None:
        """An event that is made already; where it has a time and none is set, it happened at the mark."""
        if hasattr(event, "at_s") and event.at_s is None:
            event = msgspec.structs.replace(event, at_s=self.course.at_s(at_ns))
        if isinstance(event, Message) and event.level != Severity.ERROR:
            if event.text in self._texts:
                return
            if len(self._texts) < _MOST_TEXTS:
                self._texts.add(event.text)
        self.emit(event)


def _phases_of(
    index: int, at_ns: int, apart: list[Stamp], begun_ns: int | None, waited_s: float | None
) -> Phases | None:
    """What was timed apart, where nobody stamps the rest; `None` where nothing was."""
    if not apart or len(apart) >= MOST:
        return None
    spent = Spent(begun_ns or 0)
    spent.add(deque(), at_ns, apart)
    waited = {} if waited_s is None else {DATA: round(waited_s, 6)}
    return Phases(index, waited | seconds_of(spent.apart_ns), on_host=True, whole=False)
