"""A run and a recording of its GPUs as one source: each sample stands before the iteration that ends after it.

Where the log has no clock, or the recording none, no iteration has samples of its own: the recording is then
handed on as a whole. Beside a living log the recording is read on as it grows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ...events import Batch, GpuSample, Iteration, Message, Severity, SourceState, expand
from ..clean import clean
from ..run_and_machine import RunAndMachineSource
from ..source import Source, StartedSource
from .clocks import Offset, find_offset
from .kept import SurveyedRecording
from .recording import NotARecordingError

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ...events import Event
    from .survey import Survey

MOST_HELD = 50_000
"""Events of a history that are held until it is known from when to when it goes."""

BEFORE_S, BEFORE_SHARE = 300.0, 0.1
"""Of the time before the first iteration, and of the log's: what the GPUs do when nobody trains."""

_POLL_S = 1.0
_AT_ONCE = 4_096


class WithGpuLog(Source):
    """The batches of `source`, and in them the samples of the recording at `path`.

    `offset_s` is added to the recording's times; `None`: it is found out. With `follow`, it is read on as it
    grows.
    """

    def __init__(
        self,
        source: Source,
        path: Path,
        *,
        offset_s: float | None = None,
        follow: bool = False,
        poll_s: float = _POLL_S,
    ) -> None:
        self.title = source.title
        self.text = source.text
        self._source = source
        self._path = path
        self._offset_s = offset_s
        self._follow = follow
        self._poll_s = poll_s

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """What `source` yields, with the samples of the recording at their times."""
        batches = self._source.batches(stop)
        held: list[Batch] = []
        for batch in batches:
            if batch.preview:
                yield batch
                continue
            held = [batch] if batch.restart else [*held, batch]
            if batch.state not in (None, SourceState.READING) or sum(b.weight for b in held) >= MOST_HELD:
                break
        placed = self._placed(_Span([event for batch in held for event in batch.events]))
        state = None
        for batch in _then(held, batches):
            state = batch.state
            if state in (SourceState.ENDED, SourceState.FAILED):
                yield from placed.rest()
            yield msgspec.structs.replace(batch, events=placed.put_in(batch.events))
            if state in (SourceState.LIVE, SourceState.WAITING):
                break
        if state in (SourceState.LIVE, SourceState.WAITING):
            yield from RunAndMachineSource(
                StartedSource(self.title, batches), [_Growing(placed, self._poll_s)]
            ).batches(stop)
        placed.recording.close()

    def _placed(self, span: _Span) -> _Placed:
        """The samples, ready to be put in; where they cannot be, the reason in their stead."""
        name = clean(self._path.name)
        recording = SurveyedRecording(self._path, follow=self._follow)
        try:
            found = recording.survey()
        except (NotARecordingError, OSError) as error:
            why = getattr(error, "strerror", None) or str(error)
            return _Placed(recording, span, Message(f"{name}: {why}", Severity.WARNING, about="gpu"))
        if found is None:
            why = "no sample in it" + (" yet" if self._follow else "")
            return _Placed(recording, span, Message(f"{name}: {why}", about="gpu"), 0.0 if self._follow else None)
        return self._joined(name, recording, found, span)

    def _joined(self, name: str, recording: SurveyedRecording, found: Survey, span: _Span) -> _Placed:
        whole = "no iteration has samples of its own, and the recording is judged as a whole"
        if found.zoned is None:
            why = f"{name} has no times (nvidia-smi dmon writes them with -o DT): {whole}"
            return _Placed(recording, span, Message(why), None, whole=found.worked)
        if self._offset_s is not None:
            return _Placed(recording, span, None, self._offset_s)
        if span.begin_s is None:
            live = self._follow
            message = None if live else Message(f"{name}: the log has no clock: {whole}")
            return _Placed(recording, span, message, 0.0 if live else None, whole=None if live else found.worked)
        offset = find_offset(name, found, span.begin_s, span.end_s)
        return _Placed(recording, span, _message_of(offset), offset.seconds)


def _message_of(offset: Offset) -> Message | None:
    if offset.seconds is None:
        return Message(offset.words, Severity.WARNING, about="gpu")
    return Message(offset.words) if offset.words else None


def _then(held: Sequence[Batch], more: Iterator[Batch]) -> Iterator[Batch]:
    yield from held
    if held and held[-1].state in (None, SourceState.READING):
        yield from more


class _Span:
    """From when to when the log trains, by its own clock; `begin_s` is `None` where it has none."""

    def __init__(self, events: Sequence[Event]) -> None:
        dated = [event for event in events if isinstance(event, Iteration) and event.at_s is not None]
        self.begin_s: float | None = None
        self.end_s = 0.0
        if len(dated) > 1:  # one alone has the time of its file
            first = dated[0]
            self.begin_s = (first.at_s or 0.0) - (first.duration_s or 0.0)
            self.end_s = dated[-1].at_s or 0.0


class _Placed:
    """The samples of a recording, on their way into a run.

    With an `offset_s` each comes at its time; as a `whole` those of its busy time come at the end; with
    neither, none comes at all.
    """

    def __init__(
        self,
        recording: SurveyedRecording,
        span: _Span,
        message: Message | None,
        offset_s: float | None = None,
        *,
        whole: tuple[float, float] | None = None,
    ) -> None:
        self.recording = recording
        self._message = message
        self._offset_s = offset_s
        self._whole = whole
        self._from_s = -1.0
        if span.begin_s is not None:
            self._from_s = span.begin_s - min(BEFORE_S, BEFORE_SHARE * (span.end_s - span.begin_s))
        self._samples = self._shifted()
        self._next: GpuSample | None = None

    def put_in(self, events: Sequence[Event]) -> Sequence[Event]:
        """`events` with the samples whose time comes in them."""
        message, self._message = self._message, None
        before: list[Event] = [message] if message else []
        if self._offset_s is None or not any(type(event) is Iteration for event in events):
            return [*before, *events] if before else events
        placed = before
        for event in expand(events):
            if isinstance(event, Iteration) and event.at_s is not None:
                placed += self._until(event.at_s)
            placed.append(event)
        return placed

    def rest(self) -> Iterator[Batch]:
        """What is left when the log has ended: the whole recording, where it has no place in time. What the GPUs
        did after the last iteration is no part of the run."""
        part: list[Event] = []
        from_s, to_s = self._whole or (0.0, 0.0)
        for sample in self._samples if self._whole else ():
            if from_s <= sample.at_s <= to_s:
                part.append(sample)
            if len(part) >= _AT_ONCE:
                yield Batch(part, state=SourceState.READING)
                part = []
        if part:
            yield Batch(part, state=SourceState.READING)

    def new(self) -> list[Event]:
        """What has come since, of a recording that grows."""
        return self._until(float("inf")) if self._offset_s is not None else []

    def _until(self, end_s: float) -> list[Event]:
        found: list[Event] = []
        while (sample := self._next or next(self._samples, None)) is not None:
            if sample.at_s > end_s:
                self._next = sample
                return found
            self._next = None
            if sample.at_s >= self._from_s:
                found.append(sample)
        self._samples = self._shifted()  # it may grow
        return found

    def _shifted(self) -> Iterator[GpuSample]:
        try:
            for samples in self.recording.new():
                for sample in samples:
                    at_s = sample.at_s + (self._offset_s or 0.0)
                    yield sample if at_s == sample.at_s else msgspec.structs.replace(sample, at_s=max(at_s, 0.0))
        except (NotARecordingError, OSError):
            return  # said when it was surveyed; what came before stands


class _Growing(Source):
    """What comes into the recording while the log lives. Its batches have no state."""

    def __init__(self, placed: _Placed, poll_s: float) -> None:
        self.title = "GPU recording"
        self._placed = placed
        self._poll_s = poll_s

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        """The new samples, as often as there are any."""
        while not stop.is_set():
            if new := self._placed.new():
                yield Batch(new)
            stop.wait(self._poll_s)
