"""Spans and waits that have begun: what is inside another, what was none, and what the process's end leaves."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from ...events import (
    CAUSE_OF_SPAN,
    CHECKPOINT,
    DATA,
    DRAIN,
    EVALUATION,
    STOPPED,
    SpanBegin,
    SpanEnd,
    Strength,
)
from ..values import as_number, as_text, bounded

if TYPE_CHECKING:
    from .course import Course

LONG_WAIT_NS = 250_000_000
"""A longer wait for data is reported while it lasts; shorter ones only add up to `Iteration.data_wait_s`."""

_LAST_WAIT_NS = 1_000_000
"""A wait after the last iteration is reported from here on: it finds that there are no more batches."""

_MOST_WAITS = 4
"""An evaluation shows after its loader and two batches at most: their waits are its own."""


class OpenSpans:
    """Those of one run; what they come to is emitted on its `course`."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._open: list[tuple[str, int]] = []
        self._parts_bytes = 0.0  # of the checkpoint that is being written
        self._waited_ns: int | None = None
        self._waited_until_ns = -1
        # The newest that were the training's own: since when, and until when.
        self._waits: deque[tuple[int, int]] = deque(maxlen=_MOST_WAITS)
        self._sign_ns: int | None = None  # of what is open: the newest batch, or the beginning of a save
        self._long_wait_ns: int | None = None

    @property
    def is_open(self) -> bool:
        """Is any span under way?"""
        return bool(self._open)

    def begin(self, at_ns: int, kind: str, detail: Any) -> None:
        """A span of `kind` begins."""
        self._course.begin(at_ns)
        while self._waits and at_ns <= self._waits[-1][0]:  # these were this one's first: it shows afterwards
            since_ns, until_ns = self._waits.pop()
            if self._waited_ns is not None:
                self._waited_ns = self._waited_ns - (until_ns - since_ns) or None
        if not self._is_part(kind):
            self._sign(at_ns if kind == CHECKPOINT else None)
            self._emit_begin(at_ns, kind, as_text(detail))
        self._open.append((kind, at_ns))

    def end(self, at_ns: int, kind: str, detail: Any, values: dict[str, Any] | None) -> None:
        """The innermost span of `kind` ends."""
        begun_ns = self._close(kind)
        if begun_ns is not None:
            self._stopped(kind, begun_ns, at_ns)
        numbers = {str(k): x for k, v in (values or {}).items() if (x := bounded(as_number(v))) is not None}
        if self._is_part(kind):
            self._parts_bytes += numbers.get("bytes", 0.0)
            return
        if kind == CHECKPOINT:
            parts_bytes, self._parts_bytes = self._parts_bytes, 0.0
            numbers = {"bytes": parts_bytes} | numbers if parts_bytes else numbers
        self._emit_end(at_ns, kind, None if begun_ns is None else at_ns - begun_ns, as_text(detail), numbers)

    def past(self, at_ns: int, kind: str, duration_ns: int, detail: Any) -> None:
        """A span that is reported when it is over (a garbage collection: too short to be worth a beginning)."""
        if self._is_part(kind):
            return
        if kind == CHECKPOINT:
            self._sign(at_ns - duration_ns)
        if kind != DRAIN:
            self._stopped(kind, at_ns - duration_ns, at_ns)
        if self._course.boundary_ns is not None:  # before the loop, imports alone collect a dozen times
            self._emit_end(at_ns, kind, duration_ns, as_text(detail), {})

    def void(self, at_ns: int, kind: str) -> None:
        """What looked like a span was none: who got its beginning gets this."""
        if self._close(kind) is not None:
            at_s, iteration = self._course.at_s(at_ns), self._course.current
            self._course.emit(SpanEnd(kind, at_s, iteration, strength=Strength.HOOK, void=True))

    def waited(self, at_ns: int, since_ns: int) -> None:
        """A wait for data is over."""
        self._waited_until_ns = at_ns
        if self._open:  # a wait inside an evaluation is part of the evaluation
            self._sign_ns = at_ns
        else:
            self._waited_ns = (self._waited_ns or 0) + at_ns - since_ns
            self._waits.append((since_ns, at_ns))
        if since_ns == self._long_wait_ns:
            self._emit_end(at_ns, DATA, at_ns - since_ns, "", {})

    def waiting(self, at_ns: int, since_ns: int) -> None:
        """A wait for data was under way; it may be over."""
        long = at_ns - since_ns >= LONG_WAIT_NS
        if long and since_ns >= self._waited_until_ns and since_ns != self._long_wait_ns:
            self._long_wait_ns = since_ns
            self._emit_begin(since_ns, DATA, "")

    def take_wait(self) -> float | None:
        """The seconds of waiting since the last call; `None` without any."""
        waited_ns, self._waited_ns = self._waited_ns, None
        self._waits.clear()
        return None if waited_ns is None else waited_ns / 1e9

    def finish(self, at_ns: int, evaluated_until_ns: int | None) -> None:
        """The process ends at `at_ns`, and with it what has begun: see `Timeline.finish`."""
        for kind, begun_ns in reversed(self._open.copy()):
            over_ns = None
            if kind == EVALUATION:
                seen = evaluated_until_ns is not None and evaluated_until_ns > begun_ns
                over_ns = evaluated_until_ns if seen else self._sign_ns
            detail = "until the process ended" if over_ns is None else "as far as it was seen"
            self.end(at_ns if over_ns is None else over_ns, kind, detail, None)
        if self._course.current is not None and (self._waited_ns or 0) >= _LAST_WAIT_NS:
            until_ns = self._waits[-1][1] if self._waits else self._waited_until_ns
            self._emit_end(until_ns, DATA, self._waited_ns, "after the last iteration", {})
            self._waited_ns = None

    def _stopped(self, kind: str, since_ns: int, until_ns: int) -> None:
        """The training stood for this span; one inside another is part of that one."""
        if not self._open:
            self._course.explain(since_ns, until_ns)
        phase = CAUSE_OF_SPAN.get(kind)
        if phase in STOPPED:
            self._course.passed(until_ns, phase, since_ns)

    def _is_part(self, kind: str) -> bool:
        """Is a checkpoint being written, of which this one is a part? A script's own contains `torch.save`."""
        return kind == CHECKPOINT and any(one == kind for one, _ in self._open)

    def _sign(self, at_ns: int | None) -> None:
        """Something begins: what is open has come as far as this, if it is a save; if nothing is, it is new."""
        if not self._open:
            self._sign_ns = None
        elif at_ns is not None:
            self._sign_ns = at_ns

    def _close(self, kind: str) -> int | None:
        """Take the innermost open span of `kind` off; an exception may have left others open inside it."""
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place][0] == kind:
                begun_ns = self._open[place][1]
                del self._open[place]
                return begun_ns
        return None

    def _emit_begin(self, at_ns: int, kind: str, detail: str) -> None:
        at_s, iteration = self._course.at_s(at_ns), self._course.current
        self._course.emit(SpanBegin(kind, at_s, iteration, strength=Strength.HOOK, detail=detail))

    def _emit_end(
        self, at_ns: int, kind: str, duration_ns: int | None, detail: str, values: dict[str, float]
    ) -> None:
        duration_s = None if duration_ns is None else duration_ns / 1e9
        at_s, iteration = self._course.at_s(at_ns), self._course.current
        self._course.emit(SpanEnd(kind, at_s, iteration, duration_s, Strength.HOOK, detail, values))
