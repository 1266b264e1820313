"""From the marks that the training thread left to events: durations, data waits, which iteration holds what.

A mark is a tuple `(kind, at_ns, ...)` with `at_ns` from `time.perf_counter_ns`. Nothing here is called by the
training thread, and nothing here reads a clock: it is a function of the marks, tested with made-up ones.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import msgspec

from ..events import (
    CHECKPOINT,
    COMPILE,
    DATA,
    EVALUATION,
    GC,
    HOOK,
    SAMPLING,
    Event,
    Iteration,
    Message,
    Phases,
    Progress,
    SpanBegin,
    SpanEnd,
)

if TYPE_CHECKING:
    from collections.abc import Callable

ITERATION = "iteration"
BEGIN = "begin"
END = "end"
PROGRESS = "progress"
LOOP = "loop"
SPAN = "span"
PHASES = "phases"
EVENT = "event"

TIME_INCLUDES = (EVALUATION, CHECKPOINT, SAMPLING, COMPILE, DATA, GC)
"""What an iteration's `duration_s` contains: it goes from the end of the last iteration to the end of this one."""

LONG_WAIT_NS = 250_000_000
"""A wait for data that is longer is told while it lasts; shorter ones only add up to `Iteration.data_wait_s`."""

_STARTS_THE_CLOCK = frozenset({LOOP, BEGIN, PROGRESS})

Mark = tuple[Any, ...]


class Timeline:
    """Turns marks, oldest first, into events.

    An iteration lasts from the end of the one before to its own end. The first lasts from `LOOP` or, without one,
    from the first thing begun in it; if nothing was, its duration is unknown.
    """

    def __init__(self, unix_minus_ns: Callable[[], int]) -> None:
        self._unix_minus_ns = unix_minus_ns
        self._index: int | None = None
        self._boundary_ns: int | None = None
        self._open: list[tuple[str, int]] = []
        self._waiting_since_ns: int | None = None
        self._wait_told = False
        self._waited_ns = 0
        self._waits = 0
        self._progress: tuple[Any, ...] | None = None
        self._told: set[str] = set()
        self._make: dict[str, Callable[..., list[Event]]] = {
            ITERATION: self._iteration,
            BEGIN: self._begin,
            END: self._end,
            PROGRESS: self._micro_step,
            SPAN: self._span,
            LOOP: lambda _at_ns: [],
            PHASES: self._phases,
            EVENT: self._ready,
        }

    @property
    def index(self) -> int | None:
        """Of the last iteration that ended."""
        return self._index

    def events(self, mark: Mark) -> list[Event]:
        """What `mark` says, as events."""
        kind, at_ns, *rest = mark
        if self._boundary_ns is None and kind in _STARTS_THE_CLOCK:
            self._boundary_ns = at_ns
        return self._make[kind](at_ns, *rest)

    def meanwhile(self, now_ns: int) -> list[Event]:
        """How things stand between two marks: the newest micro-step, and a wait for data that has become long."""
        events = self._newest_progress()
        since_ns = self._waiting_since_ns
        if since_ns is not None and not self._wait_told and now_ns - since_ns >= LONG_WAIT_NS:
            self._wait_told = True
            events.append(SpanBegin(kind=DATA, at_s=self._at_s(since_ns), iteration=self._current, strength=HOOK))
        return events

    @property
    def _current(self) -> int | None:
        return None if self._index is None else self._index + 1

    def _at_s(self, at_ns: int) -> float:
        return (at_ns + self._unix_minus_ns()) // 1000 / 1e6  # microseconds: no more digits than it is good for

    def _iteration(  # noqa: PLR0917 - in the order of the mark
        self,
        at_ns: int,
        index: int | None,
        loss: Any = None,
        gradient_norm: Any = None,
        learning_rate: Any = None,
        tokens: Any = None,
        mfu: Any = None,
    ) -> list[Event]:
        if index is None:
            index = 0 if self._index is None else self._index + 1
        begun_ns, self._boundary_ns = self._boundary_ns, at_ns
        self._index = int(index)
        self._progress = None
        waited_ns, waits, self._waited_ns, self._waits = self._waited_ns, self._waits, 0, 0
        number = _number(loss)
        finite = number is None or isfinite(number)
        event = Iteration(
            index=self._index,
            duration_s=None if begun_ns is None else (at_ns - begun_ns) / 1e9,
            loss=number if finite else None,
            mfu=_number(mfu),
            at_s=self._at_s(at_ns),
            tokens=None if tokens is None else int(tokens),
            data_wait_s=waited_ns / 1e9 if waits else None,
            gradient_norm=_number(gradient_norm),
            learning_rate=_number(learning_rate),
            bad_loss="" if finite else str(number),
        )
        return [event]

    def _begin(self, at_ns: int, kind: str, detail: str = "") -> list[Event]:
        if kind == DATA:
            self._waiting_since_ns = at_ns
            self._wait_told = False
            return []
        self._open.append((kind, at_ns))
        return [
            SpanBegin(kind=kind, at_s=self._at_s(at_ns), iteration=self._current, strength=HOOK, detail=detail),
        ]

    def _end(self, at_ns: int, kind: str, detail: str = "", values: dict[str, Any] | None = None) -> list[Event]:
        if kind == DATA:
            return self._end_wait(at_ns)
        begun_ns = self._close(kind)
        return [
            SpanEnd(
                kind=kind,
                at_s=self._at_s(at_ns),
                iteration=self._current,
                duration_s=None if begun_ns is None else (at_ns - begun_ns) / 1e9,
                strength=HOOK,
                detail=detail,
                values={
                    str(k): x for k, v in (values or {}).items() if (x := _number(v)) is not None and isfinite(x)
                },
            ),
        ]

    def _close(self, kind: str) -> int | None:
        """Take the innermost open span of `kind` off; an exception may have left others open inside it."""
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place][0] == kind:
                begun_ns = self._open[place][1]
                del self._open[place]
                return begun_ns
        return None

    def _end_wait(self, at_ns: int) -> list[Event]:
        since_ns, self._waiting_since_ns = self._waiting_since_ns, None
        if since_ns is None:
            return []
        waited_ns = at_ns - since_ns
        if not self._open:  # a wait inside an evaluation is part of the evaluation
            self._waited_ns += waited_ns
            self._waits += 1
        if not self._wait_told:
            return []
        return [
            SpanEnd(
                kind=DATA,
                at_s=self._at_s(at_ns),
                iteration=self._current,
                duration_s=waited_ns / 1e9,
                strength=HOOK,
            ),
        ]

    def _span(self, at_ns: int, kind: str, duration_ns: int, detail: str = "") -> list[Event]:
        """A span that is told when it is over (a collection of garbage: too short to be worth a beginning)."""
        if self._boundary_ns is None:  # before the loop: imports alone collect a dozen times
            return []
        return [
            SpanEnd(
                kind=kind,
                at_s=self._at_s(at_ns),
                iteration=self._current,
                duration_s=duration_ns / 1e9,
                strength=HOOK,
                detail=detail,
            ),
        ]

    def _micro_step(self, *progress: Any) -> list[Event]:
        """Told by `meanwhile`: of those that came since the last tick, the newest says it all."""
        self._progress = progress
        return []

    def _newest_progress(self) -> list[Event]:
        if self._progress is None:
            return []
        (at_ns, micro_step, micro_steps), self._progress = self._progress, None
        return [
            Progress(
                iteration=self._current if self._current is not None else 0,
                micro_step=int(micro_step),
                micro_steps=None if micro_steps is None else int(micro_steps),
                at_s=self._at_s(at_ns),
            ),
        ]

    def _phases(self, _at_ns: int, iteration: int, phases: dict[str, float]) -> list[Event]:
        return [Phases(iteration=iteration, phases=phases)]

    def _ready(self, at_ns: int, event: Event) -> list[Event]:
        """An event that is made already; where it has a time and none is set, it happened at the mark."""
        if "at_s" in event.__struct_fields__ and getattr(event, "at_s", 0) is None:
            event = msgspec.structs.replace(event, at_s=self._at_s(at_ns))
        if isinstance(event, Message) and event.level != "error":
            if event.text in self._told:
                return []
            if len(self._told) < 1000:
                self._told.add(event.text)
        return [event]


def _number(value: Any) -> float | None:
    """A float of whatever number the user gave; `None` for what would make us wait for a GPU, or is no number."""
    if value is None or value.__class__ is float:
        return value
    if getattr(value, "is_cuda", False):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None
