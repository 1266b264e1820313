"""What a tracker's record adds to the log of the same run: times and figures that it lacks, settings, samples.

What the log says stays as it is: its lines have the trainer's own times, its evaluations and its errors.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ....events import (
    MOST_SCALARS,
    ClockKind,
    End,
    EndOfFile,
    GpuSample,
    HostSample,
    Iteration,
    Iterations,
    Message,
    RunInfo,
    expand,
)
from ....words import count, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....events import Event
    from .kept import Kept
    from .proof import Same

_FIELDS = ("at_s", "loss", "tokens_per_s", "gradient_norm", "learning_rate", "tokens")


class Filling:
    """Puts into the log's events what `kept` has more, now and whenever it grows."""

    def __init__(self, kept: Kept, same: Same) -> None:
        self._kept = kept
        self._same = same
        self._samples: deque[GpuSample | HostSample] = deque()
        self._measured = 0
        self._configured = 0
        self._has_ended = False
        self._take()

    def said(self) -> Message:
        """In one line, what was joined and why."""
        figures = f"{count(self._same.agreeing)} figures and their times agree"
        samples = f", {plural(self._measured, 'sample')} of GPUs and machine" if self._measured else ""
        return Message(
            f"joined with {self._kept.title}, the same run ({figures}): its times and settings{samples}"
        )

    def put_in(self, events: Sequence[Event]) -> Sequence[Event]:
        """`events` of the log, with what the record has of them."""
        filled: list[Event] = []
        for event in expand(events) if self._has_more(events) else events:
            if isinstance(event, Iteration):
                full = self._filled(event)
                filled += self._until(full.at_s)
                filled.append(full)
            elif isinstance(event, RunInfo):
                filled += [self._completed(event), *self.settings(anew=True)]
            elif isinstance(event, End):
                self._has_ended = True
                filled.append(event if event.exit_code is not None else self._with_code(event))
            elif isinstance(event, EndOfFile):
                filled += self.end() or [event]
            else:
                filled.append(event)
        return filled

    def settings(self, *, anew: bool = False) -> list[Event]:
        """The record's settings: those that are new, or all of them `anew`."""
        new = self._kept.configs[0 if anew else self._configured :]
        self._configured = len(self._kept.configs)
        return list(new)

    def new(self) -> list[Event]:
        """What has come into the record since: settings, samples, and where it has ended, its end."""
        self._take()
        return [*self.settings(), *self._until(float("inf")), *self.end()]

    def end(self) -> list[Event]:
        """How the record says that the run ended, once."""
        end = self._kept.end
        if end is None or self._has_ended:
            return []
        self._has_ended = True
        return [replace(end, at_s=None if end.at_s is None else self._in_log(end.at_s))]

    def _take(self) -> None:
        for sample in self._kept.take_samples():
            self._measured += 1
            self._samples.append(replace(sample, at_s=self._in_log(sample.at_s)))

    def _has_more(self, events: Sequence[Event]) -> bool:
        """Is anything to be put among iterations that come as one block?"""
        return bool(self._kept.iterations or self._samples) and any(isinstance(one, Iterations) for one in events)

    def _filled(self, mine: Iteration) -> Iteration:
        theirs = self._kept.iterations.get(mine.index + self._same.ahead)
        if theirs is None:
            return mine
        found: dict[str, Any] = {}
        for field in _FIELDS:
            value = getattr(theirs, field)
            if value is not None and getattr(mine, field) is None and not (field == "loss" and mine.bad_loss):
                found[field] = self._in_log(value) if field == "at_s" else value
        if theirs.bad_loss and mine.loss is None and not mine.bad_loss:
            found["bad_loss"] = theirs.bad_loss
        scalars, own = theirs.scalars or {}, mine.scalars or {}
        if scalars.keys() - own.keys() and len(scalars | own) <= MOST_SCALARS:
            found["scalars"] = scalars | own
        return replace(mine, **found) if found else mine

    def _completed(self, mine: RunInfo) -> RunInfo:
        theirs = self._kept.info
        begun_s = theirs.started_at_s
        return replace(
            mine,
            host=mine.host or theirs.host,
            gpu_names=mine.gpu_names or theirs.gpu_names,
            started_at_s=mine.started_at_s or (None if begun_s is None else self._in_log(begun_s)),
            resumed=mine.resumed or theirs.resumed,
            clock=mine.clock or ClockKind.ARRIVAL,
        )

    def _with_code(self, mine: End) -> End:
        theirs = self._kept.end
        return mine if theirs is None else replace(mine, exit_code=theirs.exit_code, at_s=mine.at_s or theirs.at_s)

    def _until(self, at_s: float | None) -> list[Event]:
        found: list[Event] = []
        while at_s is not None and self._samples and self._samples[0].at_s <= at_s:
            found.append(self._samples.popleft())
        return found

    def _in_log(self, at_s: float) -> float:
        return max(at_s + self._same.offset_s, 0.0)
