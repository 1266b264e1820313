"""From the marks that the training thread left to events: durations, data waits, which iteration holds what.

A mark is a tuple `(kind, at_ns, ...)` with `at_ns` from `time.perf_counter_ns`. Nothing here is called by the
training thread, and nothing here reads a clock: it is a function of the marks, tested with made-up ones.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import msgspec

from ..events import (
    DATA,
    HOOK,
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
WAITING = "waiting"
WAITED = "waited"
LOOP = "loop"
SPAN = "span"
PHASES = "phases"
EVENT = "event"

LONG_WAIT_NS = 250_000_000
"""A wait for data that is longer is told while it lasts; shorter ones only add up to `Iteration.data_wait_s`."""

Mark = tuple[Any, ...]

_TOO_MANY = 1 << 53  # `events.Index`: no reader takes more


class Timeline:
    """Turns marks, oldest first, into events.

    An iteration lasts from the end of the one before to its own end. The first lasts from `LOOP` or, without one,
    from the first thing begun in it; if nothing was, its duration is unknown. `unix_minus_ns` turns the marks'
    clock into Unix time.
    """

    def __init__(self, unix_minus_ns: int = 0) -> None:
        self.unix_minus_ns = unix_minus_ns
        self._events: list[Event] = []
        self.tell = self._events.append
        self._index: int | None = None
        self._boundary_ns: int | None = None
        self._open: list[tuple[str, int]] = []
        self._waited_ns: int | None = None
        self._waited_until_ns = -1
        self._long_wait_ns: int | None = None
        self._told: set[str] = set()
        self._act: dict[str, Callable[..., None]] = {
            ITERATION: self._iteration,
            WAITED: self._waited,
            BEGIN: self._begin,
            END: self._end,
            SPAN: self._span,
            LOOP: self._loop,
            PROGRESS: self._progress,
            WAITING: self._waiting,
            PHASES: self._phases,
            EVENT: self._ready,
        }

    def hear(self, mark: Mark) -> None:
        """Take the next mark."""
        self._act[mark[0]](*mark[1:])

    def take(self) -> list[Event]:
        """What has been told since the last call."""
        events = self._events.copy()
        self._events.clear()
        return events

    @property
    def _current(self) -> int | None:
        return None if self._index is None else self._index + 1

    def _at_s(self, at_ns: int) -> float:
        return (at_ns + self.unix_minus_ns) // 1000 / 1e6  # microseconds: no more digits than it is good for

    def _iteration(  # noqa: PLR0917 - in the order of the mark
        self,
        at_ns: int,
        index: int | None,
        loss: Any = None,
        gradient_norm: Any = None,
        learning_rate: Any = None,
        tokens: Any = None,
        mfu: Any = None,
    ) -> None:
        if index is None:
            index = 0 if self._index is None else self._index + 1
        index = int(index)
        if not 0 <= index < _TOO_MANY:
            raise ValueError(f"iteration {index}: they are counted from 0")
        begun_ns, self._boundary_ns = self._boundary_ns, at_ns
        self._index = index
        waited_ns, self._waited_ns = self._waited_ns, None
        number = _number(loss)
        finite = number is None or isfinite(number)
        self.tell(
            Iteration(
                index=index,
                duration_s=None if begun_ns is None else (at_ns - begun_ns) / 1e9,
                loss=number if finite else None,
                mfu=_number(mfu),
                at_s=self._at_s(at_ns),
                tokens=_count(tokens),
                data_wait_s=None if waited_ns is None else waited_ns / 1e9,
                gradient_norm=_number(gradient_norm),
                learning_rate=_number(learning_rate),
                bad_loss="" if finite else str(number),
            )
        )

    def _loop(self, at_ns: int) -> None:
        """Something begins: the first iteration's clock runs, if it does not yet."""
        if self._boundary_ns is None:
            self._boundary_ns = at_ns

    def _begin(self, at_ns: int, kind: str, detail: str = "") -> None:
        self._loop(at_ns)
        self._open.append((kind, at_ns))
        self.tell(
            SpanBegin(
                kind=kind,
                at_s=self._at_s(at_ns),
                iteration=self._current,
                strength=HOOK,
                detail=as_text(detail),
            )
        )

    def _end(self, at_ns: int, kind: str, detail: str = "", values: dict[str, Any] | None = None) -> None:
        begun_ns = self._close(kind)
        duration_ns = None if begun_ns is None else at_ns - begun_ns
        numbers = {str(k): x for k, v in (values or {}).items() if (x := _number(v)) is not None and isfinite(x)}
        self._tell_end(at_ns, kind, duration_ns, detail, numbers)

    def _tell_end(
        self,
        at_ns: int,
        kind: str,
        duration_ns: int | None,
        detail: str = "",
        values: dict[str, float] | None = None,
    ) -> None:
        self.tell(
            SpanEnd(
                kind=kind,
                at_s=self._at_s(at_ns),
                iteration=self._current,
                duration_s=None if duration_ns is None else duration_ns / 1e9,
                strength=HOOK,
                detail=as_text(detail),
                values=values or {},
            )
        )

    def _close(self, kind: str) -> int | None:
        """Take the innermost open span of `kind` off; an exception may have left others open inside it."""
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place][0] == kind:
                begun_ns = self._open[place][1]
                del self._open[place]
                return begun_ns
        return None

    def _waited(self, at_ns: int, since_ns: int) -> None:
        """A wait for data is over."""
        self._waited_until_ns = at_ns
        if not self._open:  # a wait inside an evaluation is part of the evaluation
            self._waited_ns = (self._waited_ns or 0) + at_ns - since_ns
        if since_ns == self._long_wait_ns:
            self._tell_end(at_ns, DATA, at_ns - since_ns)

    def _waiting(self, at_ns: int, since_ns: int) -> None:
        """A wait for data was under way; it may be over."""
        long = at_ns - since_ns >= LONG_WAIT_NS
        if long and since_ns >= self._waited_until_ns and since_ns != self._long_wait_ns:
            self._long_wait_ns = since_ns
            self.tell(SpanBegin(kind=DATA, at_s=self._at_s(since_ns), iteration=self._current, strength=HOOK))

    def _span(self, at_ns: int, kind: str, duration_ns: int, detail: str = "") -> None:
        """A span that is told when it is over (a collection of garbage: too short to be worth a beginning)."""
        if self._boundary_ns is not None:  # before the loop, imports alone collect a dozen times
            self._tell_end(at_ns, kind, duration_ns, detail)

    def _progress(self, at_ns: int, micro_step: Any, micro_steps: Any) -> None:
        """The newest micro-step of the iteration that runs."""
        done = _count(micro_step)
        if done is None:
            raise ValueError(f"micro-step {as_text(micro_step, 50)}")
        self.tell(
            Progress(
                iteration=self._current or 0,
                micro_step=done,
                micro_steps=_count(micro_steps),
                at_s=self._at_s(at_ns),
            )
        )

    def _phases(self, _at_ns: int, iteration: int, phases: dict[str, float]) -> None:
        self.tell(Phases(iteration=iteration, phases=phases))

    def _ready(self, at_ns: int, event: Event) -> None:
        """An event that is made already; where it has a time and none is set, it happened at the mark."""
        if "at_s" in event.__struct_fields__ and getattr(event, "at_s", 0) is None:
            event = msgspec.structs.replace(event, at_s=self._at_s(at_ns))
        if isinstance(event, Message) and event.level != "error":
            if event.text in self._told:
                return
            if len(self._told) < 1000:
                self._told.add(event.text)
        self.tell(event)


def as_text(value: Any, most: int = 500) -> str:
    """Whatever the user gave as text that JSON can hold: a path may have bytes in it that are no UTF-8."""
    try:
        text = str(value)
    except Exception as error:  # noqa: BLE001 - the user's own class, or an integer of 5,000 digits
        text = f"a {type(value).__name__} without a text: {type(error).__name__}"
    return text[:most].encode(errors="replace").decode()


def _number(value: Any) -> float | None:
    """A float of whatever number the user gave; `None` for what would make us wait for a GPU, or is no number."""
    if value is None or value.__class__ is float:
        return value
    if not getattr(value, "is_cpu", True):  # a tensor on any device, not CUDA's alone
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None


def _count(value: Any) -> int | None:
    """How many, of whatever number the user gave; `None` for what is none."""
    if value is None or value.__class__ is int:  # nearly always: no float is made of it
        return value if value is None or 0 <= value < _TOO_MANY else None
    number = _number(value)
    return int(number) if number is not None and 0 <= number < _TOO_MANY else None
