"""From marks to events: durations, data waits, which iteration holds what. Called by the daemon thread alone.

Nothing here reads a clock: it is a function of the marks, tested with made-up ones.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import msgspec

from ..events import (
    CHECKPOINT,
    DATA,
    EVALUATION,
    Event,
    Iteration,
    Message,
    Output,
    Progress,
    Severity,
    SpanBegin,
    SpanEnd,
    Strength,
)
from .held_marks import HeldMarks
from .marks import (
    BEGIN,
    END,
    EVENT,
    ITERATION,
    LOOP,
    PHASES,
    PRINTED,
    PROGRESS,
    SPAN,
    STEPPED,
    VOID,
    WAITED,
    WAITING,
)
from .values import MOST_SHARE, TOO_MANY, as_count, as_number, as_text, bounded

if TYPE_CHECKING:
    from .marks import IterationMark, Mark

LONG_WAIT_NS = 250_000_000
"""A longer wait for data is reported while it lasts; shorter ones only add up to `Iteration.data_wait_s`."""

_MOST_LINES = 64  # in one event
_LAST_WAIT_NS = 1_000_000
"""A wait after the last iteration is reported from here on: it finds that there are no more batches."""

_MOST_TEXTS = 1000  # of messages that are remembered, so that each is shown once


class Timeline:
    """Turns marks, oldest first, into events.

    An iteration lasts from the end of the one before to its own end. The first lasts from `LOOP` or, without one,
    from the first thing begun in it; if nothing was, its duration is unknown. `unix_minus_ns` turns the marks'
    clock into Unix time.
    """

    def __init__(self, unix_minus_ns: int = 0) -> None:
        self.unix_minus_ns = unix_minus_ns
        self._events: list[Event] = []
        self.emit = self._events.append
        self._index: int | None = None
        self._boundary_ns: int | None = None
        self._open: list[tuple[str, int]] = []
        self._parts_bytes = 0.0  # of the checkpoint that is being written
        self._waited_ns: int | None = None
        self._waited_until_ns = -1
        self._sign_ns: int | None = None  # of what is open: the newest batch, or the beginning of a save
        self._long_wait_ns: int | None = None
        self._texts: set[str] = set()
        self._held = HeldMarks()

    def add(self, mark: Mark) -> None:
        """Take the next mark. Raises what a user's odd value raises: then this mark alone is lost."""
        if self._held or mark[0] == STEPPED:
            for ready in self._held.add(mark):
                self._add(ready)
        else:
            self._add(mark)

    def finish(self, at_ns: int, evaluated_until_ns: int | None = None) -> None:
        """The process ends at `at_ns`: what was held is decided by what there is, and what was begun is over.

        An evaluation was so when it was last seen at work, else with its last batch, or when the model was saved:
        what the process does then (workers end, modules are torn down) is no part of it.
        """
        for mark in self._held.rest():
            self._add(mark)
        for kind, begun_ns in reversed(self._open.copy()):
            over_ns = None
            if kind == EVALUATION:
                seen = evaluated_until_ns is not None and evaluated_until_ns > begun_ns
                over_ns = evaluated_until_ns if seen else self._sign_ns
            detail = "until the process ended" if over_ns is None else "as far as it was seen"
            self._end(at_ns if over_ns is None else over_ns, kind, detail, None)
        if self._index is not None and (self._waited_ns or 0) >= _LAST_WAIT_NS:
            self._emit_end(self._waited_until_ns, DATA, self._waited_ns, "after the last iteration", {})
            self._waited_ns = None

    def _add(self, mark: Mark) -> None:
        if mark[0] == ITERATION:
            self._iteration(mark)
        elif mark[0] == WAITED:
            self._waited(*mark[1:])
        elif mark[0] == PROGRESS:
            self._progress(*mark[1:])
        elif mark[0] == WAITING:
            self._waiting(*mark[1:])
        elif mark[0] == BEGIN:
            self._begin(*mark[1:])
        elif mark[0] == END:
            self._end(*mark[1:])
        elif mark[0] == SPAN:
            self._span(*mark[1:])
        elif mark[0] == PHASES:
            self.emit(mark[2](*mark[3]))
        elif mark[0] == LOOP:
            self._loop(mark[1])
        elif mark[0] == VOID:
            self._void(*mark[1:])
        elif mark[0] == PRINTED:
            self._printed(*mark[1:])
        elif mark[0] == EVENT:
            self._event(*mark[1:])

    def take(self) -> list[Event]:
        """The events since the last call."""
        events = self._events.copy()
        self._events.clear()
        return events

    @property
    def newest_iteration_ns(self) -> int | None:
        """When the newest iteration ended, on the marks' clock; `None` before the first."""
        return None if self._index is None else self._boundary_ns

    @property
    def _current(self) -> int | None:
        return None if self._index is None else self._index + 1

    def _at_s(self, at_ns: int) -> float:
        return (at_ns + self.unix_minus_ns) // 1000 / 1e6  # microseconds: no more digits than it is good for

    def _iteration(self, mark: IterationMark) -> None:
        _, at_ns, index, loss, gradient_norm, learning_rate, tokens, mfu = mark
        if index is None:
            index = 0 if self._index is None else self._index + 1
        index = int(index)
        if not 0 <= index < TOO_MANY:
            raise ValueError(f"iteration {index}: they are counted from 0")
        begun_ns, self._boundary_ns = self._boundary_ns, at_ns
        self._index = index
        waited_ns, self._waited_ns = self._waited_ns, None
        number = as_number(loss)
        finite = number is None or isfinite(number)
        self.emit(
            Iteration(
                index=index,
                duration_s=None if begun_ns is None else (at_ns - begun_ns) / 1e9,
                loss=bounded(number),
                mfu=bounded(as_number(mfu), 0.0, MOST_SHARE),
                at_s=self._at_s(at_ns),
                tokens=as_count(tokens),
                data_wait_s=None if waited_ns is None else waited_ns / 1e9,
                gradient_norm=bounded(as_number(gradient_norm)),
                learning_rate=bounded(as_number(learning_rate)),
                bad_loss="" if finite else str(number),
            )
        )

    def _loop(self, at_ns: int) -> None:
        """Something begins: the first iteration's clock runs, if it does not yet."""
        if self._boundary_ns is None:
            self._boundary_ns = at_ns

    def _begin(self, at_ns: int, kind: str, detail: Any) -> None:
        self._loop(at_ns)
        if not self._is_part(kind):
            self._sign(at_ns if kind == CHECKPOINT else None)
            self._emit_begin(at_ns, kind, as_text(detail))
        self._open.append((kind, at_ns))

    def _end(self, at_ns: int, kind: str, detail: Any, values: dict[str, Any] | None) -> None:
        begun_ns = self._close(kind)
        numbers = {str(k): x for k, v in (values or {}).items() if (x := bounded(as_number(v))) is not None}
        if self._is_part(kind):
            self._parts_bytes += numbers.get("bytes", 0.0)
            return
        if kind == CHECKPOINT:
            parts_bytes, self._parts_bytes = self._parts_bytes, 0.0
            numbers = {"bytes": parts_bytes} | numbers if parts_bytes else numbers
        self._emit_end(at_ns, kind, None if begun_ns is None else at_ns - begun_ns, as_text(detail), numbers)

    def _span(self, at_ns: int, kind: str, duration_ns: int, detail: Any) -> None:
        """A span that is reported when it is over (a garbage collection: too short to be worth a beginning)."""
        if self._is_part(kind):
            return
        if kind == CHECKPOINT:
            self._sign(at_ns - duration_ns)
        if self._boundary_ns is not None:  # before the loop, imports alone collect a dozen times
            self._emit_end(at_ns, kind, duration_ns, as_text(detail), {})

    def _is_part(self, kind: str) -> bool:
        """Is a checkpoint being written, of which this one is a part? A script's own contains `torch.save`."""
        return kind == CHECKPOINT and any(one == kind for one, _ in self._open)

    def _sign(self, at_ns: int | None) -> None:
        """Something begins: what is open has come as far as this, if it is a save; if nothing is, it is new."""
        if not self._open:
            self._sign_ns = None
        elif at_ns is not None:
            self._sign_ns = at_ns

    def _void(self, at_ns: int, kind: str) -> None:
        """What looked like a span was none: who got its beginning gets this."""
        if self._close(kind) is not None:
            self.emit(SpanEnd(kind, self._at_s(at_ns), self._current, strength=Strength.HOOK, void=True))

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
        if self._open:  # a wait inside an evaluation is part of the evaluation
            self._sign_ns = at_ns
        else:
            self._waited_ns = (self._waited_ns or 0) + at_ns - since_ns
        if since_ns == self._long_wait_ns:
            self._emit_end(at_ns, DATA, at_ns - since_ns, "", {})

    def _waiting(self, at_ns: int, since_ns: int) -> None:
        """A wait for data was under way; it may be over."""
        long = at_ns - since_ns >= LONG_WAIT_NS
        if long and since_ns >= self._waited_until_ns and since_ns != self._long_wait_ns:
            self._long_wait_ns = since_ns
            self._emit_begin(since_ns, DATA, "")

    def _progress(self, at_ns: int, micro_step: Any, micro_steps: Any) -> None:
        """The newest micro-step of the iteration that runs."""
        done = as_count(micro_step)
        if done is None:
            raise ValueError(f"micro-step {as_text(micro_step, 50)}")
        of = as_count(micro_steps)
        self.emit(Progress(self._current or 0, micro_step=done, micro_steps=of, at_s=self._at_s(at_ns)))

    def _printed(self, at_ns: int, line: str) -> None:
        """A line was printed: it joins those before it, if nothing else has happened since."""
        before = self._events[-1] if self._events else None
        if isinstance(before, Output) and len(before.lines) < _MOST_LINES:
            self._events[-1] = Output((*before.lines, line), self._at_s(at_ns))
        else:
            self.emit(Output((line,), self._at_s(at_ns)))

    def _event(self, at_ns: int, event: Event) -> None:
        """An event that is made already; where it has a time and none is set, it happened at the mark."""
        if hasattr(event, "at_s") and event.at_s is None:
            event = msgspec.structs.replace(event, at_s=self._at_s(at_ns))
        if isinstance(event, Message) and event.level != Severity.ERROR:
            if event.text in self._texts:
                return
            if len(self._texts) < _MOST_TEXTS:
                self._texts.add(event.text)
        self.emit(event)

    def _emit_begin(self, at_ns: int, kind: str, detail: str) -> None:
        self.emit(SpanBegin(kind, self._at_s(at_ns), self._current, strength=Strength.HOOK, detail=detail))

    def _emit_end(
        self, at_ns: int, kind: str, duration_ns: int | None, detail: str, values: dict[str, float]
    ) -> None:
        duration_s = None if duration_ns is None else duration_ns / 1e9
        self.emit(SpanEnd(kind, self._at_s(at_ns), self._current, duration_s, Strength.HOOK, detail, values))
